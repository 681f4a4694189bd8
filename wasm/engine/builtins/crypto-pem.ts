// Finds the blocks of PEM text (RFC 7468), as Go's encoding/pem does: headers allowed, broken blocks skipped.

import { alloc } from '../../common/arena';
import { equalBytes } from '../text';
import { beginsWith, decodeBase64, decodedLength } from './encoding-base64';

/** Of the block that was read last: its type, its bytes, and where the text behind it begins. */
export let blockType: u32 = 0;
export let blockTypeLength: u32 = 0;
export let block: u32 = 0;
export let blockLength: u32 = 0;
export let rest: u32 = 0;

/** Of the line that was read last: its end without line end and trailing blanks, and the next line's start. */
let lineEnd: u32 = 0;
let nextLine: u32 = 0;

function readLine(start: u32, end: u32): void {
  let p = start;
  while (p < end && load<u8>(p) != 0x0a) p++;
  nextLine = min(p + 1, end);
  if (p < end && p > start && load<u8>(p - 1) == 0x0d) p--;
  while (p > start && (load<u8>(p - 1) == 0x20 || load<u8>(p - 1) == 0x09)) p--;
  lineEnd = p;
}

/** Whether a literal stands at `p`. */
function stands(p: u32, end: u32, text: string): bool {
  return beginsWith(p, end - p, text);
}

/** Reads the next block of the text; false when there is none. */
export function readPem(pointer: u32, length: u32): bool {
  const end = pointer + length;
  let start = pointer;
  // The last BEGIN before the END that was found; a BEGIN inside a block starts anew.
  let begin: u32 = 0;
  for (let p = pointer; p < end; p++) {
    if (load<u8>(p) == 0x2d && stands(p, end, '-----BEGIN ')) begin = p;
    else if (load<u8>(p) == 0x0a && stands(p, end, '\n-----END ')) {
      const lineStart = begin == start || (begin != 0 && load<u8>(begin - 1) == 0x0a);
      if (begin >= start && begin != 0 && lineStart && readBlock(begin, p, end)) return true;
      start = p + 10;
      begin = 0;
      p += 9;
    }
  }
  return false;
}

/** Reads the block from its BEGIN to the line end before its END. */
function readBlock(begin: u32, close: u32, end: u32): bool {
  readLine(begin + 11, end);
  if (lineEnd < begin + 16 || !stands(lineEnd - 5, end, '-----')) return false;
  blockType = begin + 11;
  blockTypeLength = lineEnd - 5 - blockType;
  let body = nextLine;
  let headers = false;
  while (body < end) {
    readLine(body, end);
    let p = body;
    while (p < lineEnd && load<u8>(p) != 0x3a) p++;
    if (p == lineEnd) break;
    headers = true;
    body = nextLine;
  }
  if (body == end || (headers && body > close)) return false;
  const trailer = close + 10;
  if (end - trailer < blockTypeLength + 5) return false;
  if (!equalBytes(trailer, blockType, blockTypeLength)) return false;
  if (!stands(trailer + blockTypeLength, end, '-----')) return false;
  readLine(trailer + blockTypeLength + 5, end);
  if (lineEnd != trailer + blockTypeLength + 5) return false;
  rest = nextLine;
  return decodeBody(body, close);
}

/** Decodes base64 in which blanks and line ends mean nothing. */
function decodeBody(start: u32, end: u32): bool {
  block = start;
  blockLength = 0;
  if (start >= end) return true;
  const compact = alloc(end - start);
  let out = compact;
  for (let p = start; p < end; p++) {
    const byte = <u32>load<u8>(p);
    if (byte != 0x20 && byte != 0x09) store<u8>(out++, byte);
  }
  block = decodeBase64(compact, out - compact, false, true);
  blockLength = decodedLength;
  return block != 0;
}

/** Whether the type of the block that was read last is a literal. */
export function isBlock(type: string): bool {
  return blockTypeLength == <u32>type.length && beginsWith(blockType, blockTypeLength, type);
}
