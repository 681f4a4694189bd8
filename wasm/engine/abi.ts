// What hosts call: where they write, how data and input become values, and how values become text.

import { alloc, resetArena } from '../common/arena';
import { settleAnswer } from './answers';
import { parseInput } from './json-parse';
import { loaded } from './load';
import { unmarked } from './marked';
import { newObject } from './object';

export { persist as keep } from '../common/arena';
export { answer, answerText, result } from './answers';
export { setTime } from './clock';
export { failureOf, setStrict } from './failure';
export { internText as intern } from './intern';
export { markedText as dump } from './json-dump';
export { jsonError, parseInput as parse } from './json-parse';
export { loadBegin, loadData, loadNext } from './load';

/** The largest text or tree that a host writes. */
const BEGIN_MAX: u32 = 64 * 1024 * 1024;

/** Frees all of the last evaluation and returns so many bytes, 8-aligned; 0 when that is too much. */
export function begin(bytes: u32): u32 {
  settleAnswer();
  resetArena();
  if (bytes > BEGIN_MAX) return 0;
  return alloc(bytes);
}

/** The data document, an empty object before one is loaded. */
export function data(): u32 {
  const document = loaded();
  return document == 0 ? newObject(0) : document;
}

/** Reads JSON text with marked sets (`dump`); 0 with `jsonError()` when it is none. */
export function parseMarked(pointer: u32, length: u32): u32 {
  const value = parseInput(pointer, length);
  return value == 0 ? 0 : unmarked(value);
}
