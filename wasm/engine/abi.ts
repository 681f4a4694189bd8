// What hosts call: where they write, how data and input become values, and how values become text.

import { alloc, persist, resetArena } from '../common/arena';
import { OK } from '../common/errors';
import { settleAnswer } from './answers';
import { jsonError, parseInput, parseKept } from './json-parse';
import { unmarked } from './marked';
import { newObject } from './object';

export { persist as keep } from '../common/arena';
export { answer, answerText, result } from './answers';
export { setTime } from './clock';
export { failureOf, setStrict } from './failure';
export { internText as intern } from './intern';
export { markedText as dump } from './json-dump';
export { jsonError, parseInput as parse } from './json-parse';

/** The largest text or tree that a host writes. */
const BEGIN_MAX: u32 = 64 * 1024 * 1024;

let document: u32 = 0;

/** Frees all of the last evaluation and returns so many bytes, 8-aligned; 0 when that is too much. */
export function begin(bytes: u32): u32 {
  settleAnswer();
  resetArena();
  if (bytes > BEGIN_MAX) return 0;
  return alloc(bytes);
}

/** Reads the data document from the memory of `begin` and keeps it; returns 0 or an error number. */
export function loadData(pointer: u32, length: u32): i32 {
  const value = parseKept(pointer, length);
  if (value == 0) return jsonError();
  persist();
  document = value;
  return OK;
}

/** The data document, an empty object before `loadData`. */
export function data(): u32 {
  return document == 0 ? newObject(0) : document;
}

/** Reads JSON text with marked sets (`dump`); 0 with `jsonError()` when it is none. */
export function parseMarked(pointer: u32, length: u32): u32 {
  const value = parseInput(pointer, length);
  return value == 0 ? 0 : unmarked(value);
}
