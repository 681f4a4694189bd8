// The guard module: scans text for invisible characters, personal data and secrets; no finding holds the value found.

import { INPUT_INVALID, INPUT_TOO_LARGE, OK } from '../common/errors';
import {
  childCount,
  firstChild,
  jsonError,
  Kind,
  keyLength,
  keyPointer,
  kindOf,
  nextSibling,
  parseJson,
  stringLength,
  stringPointer,
} from '../common/json';
import { beginOutput, writeAscii, writeU32 } from '../common/writer';
import { findingEnd, findingKind, findingStart, found, truncated } from './findings';
import { writeKind, writeScanner } from './kinds';
import { INVISIBLE_TEXT, PII, SECRETS, scanText } from './scan';
import { work } from './text';

export { output, outputLength, reserve } from '../common/abi';

/** The longest text that is scanned, in bytes; a longer one is refused, never cut. */
const TEXT_MAX: u32 = 4 * 1024 * 1024;

let scanners: u32 = 0;
let text: u32 = 0;

/**
 * Scans `{"direction":"input"|"output","scanners":[…],"text":"…"}` and writes
 * `{"allow":bool,"findings":[{"end","kind","scanner","start"}…],"truncated":bool}`, offsets in bytes of
 * the text's UTF-8. Returns an error number for unreadable input, an unknown scanner or direction, and
 * text over 4 MiB. Every scanner that is built serves both directions.
 */
export function scan(pointer: u32, length: u32): i32 {
  const root = parseJson(pointer, length);
  if (root == 0) return jsonError();
  if (!readRequest(root)) return INPUT_INVALID;
  if (stringLength(text) > TEXT_MAX) return INPUT_TOO_LARGE;
  scanText(stringPointer(text), stringLength(text), scanners);
  writeAnswer(stringPointer(text));
  return OK;
}

/** Bytes looked at by the last scan, counted with repetition: what shows that a scan is linear. */
export function steps(): u32 {
  return work;
}

function isText(pointer: u32, length: u32, literal: string): bool {
  if (length != <u32>literal.length) return false;
  const source = <u32>changetype<usize>(literal);
  for (let i: u32 = 0; i < length; i++) {
    if (load<u8>(pointer + i) != load<u8>(source + (i << 1))) return false;
  }
  return true;
}

function isString(node: u32, literal: string): bool {
  return kindOf(node) == Kind.String && isText(stringPointer(node), stringLength(node), literal);
}

function isKey(node: u32, literal: string): bool {
  return isText(keyPointer(node), keyLength(node), literal);
}

/** Reads exactly the three members. */
function readRequest(root: u32): bool {
  if (kindOf(root) != Kind.Object || childCount(root) != 3) return false;
  for (let child = firstChild(root); child != 0; child = nextSibling(child)) {
    if (isKey(child, 'direction')) {
      if (!isString(child, 'input') && !isString(child, 'output')) return false;
    } else if (isKey(child, 'scanners')) {
      if (!readScanners(child)) return false;
    } else if (isKey(child, 'text') && kindOf(child) == Kind.String) {
      text = child;
    } else return false;
  }
  return true;
}

function readScanners(node: u32): bool {
  if (kindOf(node) != Kind.Array || childCount(node) == 0) return false;
  scanners = 0;
  for (let child = firstChild(node); child != 0; child = nextSibling(child)) {
    let scanner: u32 = 0;
    if (isString(child, 'PII')) scanner = PII;
    else if (isString(child, 'Secrets')) scanner = SECRETS;
    else if (isString(child, 'InvisibleText')) scanner = INVISIBLE_TEXT;
    if (scanner == 0 || (scanners & scanner) != 0) return false;
    scanners |= scanner;
  }
  return true;
}

function writeAnswer(base: u32): void {
  beginOutput();
  writeAscii(found == 0 ? '{"allow":true,"findings":[' : '{"allow":false,"findings":[');
  for (let i: u32 = 0; i < found; i++) {
    writeAscii(i == 0 ? '{"end":' : ',{"end":');
    writeU32(findingEnd(i) - base);
    writeAscii(',"kind":"');
    writeKind(findingKind(i));
    writeAscii('","scanner":"');
    writeScanner(findingKind(i));
    writeAscii('","start":');
    writeU32(findingStart(i) - base);
    writeAscii('}');
  }
  writeAscii(truncated ? '],"truncated":true}' : '],"truncated":false}');
}
