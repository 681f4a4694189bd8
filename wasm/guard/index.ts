// The guard module: scans what goes to a model or a tool and what comes from one; no finding holds the value found.

import { reserve } from '../common/abi';
import { alloc, keptBelow, persist, restore } from '../common/arena';
import { INPUT_INVALID, INPUT_TOO_LARGE, OK } from '../common/errors';
import { jsonError, parseJson, stringLength, stringPointer } from '../common/json';
import { writeAnswer } from './answer';
import { setBase } from './findings';
import { readRequest, text } from './request';
import { advanceAll, resetScan } from './scan';
import { BUFFER_BYTES, openStream, pushStream, streamReleased } from './stream';
import { work } from './text';

export { output, outputLength, reserve } from '../common/abi';

/** What is kept in memory whatever is scanned. */
const kept: u32 = keptBelow();
let isOpen: bool = false;

/**
 * Scans `{"direction":"input"|"output","scanners":[…],"text":"…"}`, with the optional members of request.ts, and
 * writes `{"allow":bool,"findings":[{"end","kind","scanner","score","start"}…],"scores":{…},"truncated":bool}`,
 * offsets in bytes of the text's UTF-8, scores in thousandths. Returns an error number for unreadable input, an
 * unknown scanner, direction or member, and text over 4 MiB.
 */
export function scan(pointer: u32, length: u32): i32 {
  const root = parseJson(pointer, length);
  if (root == 0) return jsonError();
  const error = readRequest(root, false);
  if (error != OK) return error;
  isOpen = false;
  const begin = stringPointer(text);
  setBase(begin);
  resetScan();
  advanceAll(begin, begin + stringLength(text), true);
  writeAnswer(-1);
  return OK;
}

/** As `reserve`, and frees what the last stream kept: call it to write the request of a new one. */
export function streamReserve(length: u32): u32 {
  isOpen = false;
  restore(kept);
  return reserve(length);
}

/** Begins a stream: the request of `scan` without its text. Returns an error number. */
export function streamOpen(pointer: u32, length: u32): i32 {
  const root = parseJson(pointer, length);
  if (root == 0) return jsonError();
  const error = readRequest(root, true);
  if (error != OK) return error;
  openStream(alloc(BUFFER_BYTES));
  // The nodes of the request and the buffer outlive what is pushed.
  persist();
  resetScan();
  isOpen = true;
  return OK;
}

/**
 * Takes the next bytes of the text, whole code points of UTF-8, at most 4 MiB in all, and writes the answer of `scan`
 * with the findings that became certain and `"released"`: how many bytes of the text may be shown, since nothing
 * that is found later begins before. Whatever the pieces, the findings of all answers together are those of the
 * whole text. Returns an error number; after one, and after `last`, the stream is closed.
 */
export function streamPush(pointer: u32, length: u32, last: i32): i32 {
  if (!isOpen) return INPUT_INVALID;
  isOpen = last == 0;
  if (!pushStream(pointer, length, last != 0)) {
    isOpen = false;
    return INPUT_TOO_LARGE;
  }
  writeAnswer(<i32>streamReleased());
  return OK;
}

/** Bytes looked at by the last scan, counted with repetition: what shows that a scan is linear. */
export function steps(): u32 {
  return work;
}
