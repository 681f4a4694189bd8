// The compiled program of a pattern, compiled once in an evaluation.
//
// Programs are not kept from one evaluation to the next: an evaluation's steps are counted, and must not depend on
// what was evaluated before. What an evaluation keeps lies outside the arena, where nobody's `release` frees it.

import { alloc, mark, persist, release, resets } from '../../common/arena';
import { compileError, compileRe2, RegexError, search } from '../../regex/regex';
import { Failure, stop } from '../failure';
import { lengthOf, textOf } from '../value';

const KEPT_BYTES: u32 = 96 * 1024;
/** Larger programs are compiled at each use. */
const KEPT_PROGRAM_MAX: u32 = 32 * 1024;
const SMALL_PROGRAM: u32 = 64 * 1024;
const LARGE_PROGRAM: u32 = 1024 * 1024;

const KEPT: u32 = takeKept();
// Each entry: its bytes, the pattern's length, the program; then the pattern. 4-byte aligned.
const ENTRY_LENGTH: u32 = 4;
const ENTRY_PROGRAM: u32 = 8;
const ENTRY_BYTES: u32 = 12;
let keptTop: u32 = KEPT;
let keptSince: u32 = 0;

function takeKept(): u32 {
  const at = alloc(KEPT_BYTES);
  persist();
  return at;
}

function kept(pattern: u32, length: u32): u32 {
  if (keptSince != resets) {
    keptSince = resets;
    keptTop = KEPT;
  }
  for (let entry = KEPT; entry < keptTop; entry += load<u32>(entry)) {
    if (load<u32>(entry, ENTRY_LENGTH) != length) continue;
    if (memory.compare(entry + ENTRY_BYTES, pattern, length) == 0)
      return load<u32>(entry, ENTRY_PROGRAM);
  }
  return 0;
}

/** Keeps a program for the evaluation, when it is not too large; returns where it is then. */
function keep(pattern: u32, length: u32, program: u32, bytes: u32): u32 {
  const programAt = (ENTRY_BYTES + length + 3) & ~3;
  const entryBytes = programAt + ((bytes + 3) & ~3);
  if (entryBytes > KEPT_PROGRAM_MAX) return program;
  if (keptTop + entryBytes > KEPT + KEPT_BYTES) keptTop = KEPT;
  const entry = keptTop;
  store<u32>(entry, entryBytes);
  store<u32>(entry, length, ENTRY_LENGTH);
  store<u32>(entry, entry + programAt, ENTRY_PROGRAM);
  memory.copy(entry + ENTRY_BYTES, pattern, length);
  memory.copy(entry + programAt, program, bytes);
  keptTop += entryBytes;
  return entry + programAt;
}

/**
 * The program of a pattern of Go's package regexp (a string value), valid until the next call; 0 when it is no
 * pattern. A pattern beyond the engine's limits (wasm/regex/program.ts) ends the evaluation, because no answer
 * would be true.
 */
export function programOf(pattern: u32): u32 {
  const text = textOf(pattern);
  const length = lengthOf(pattern);
  const before = kept(text, length);
  if (before != 0) return before;
  const point = mark();
  let program = alloc(SMALL_PROGRAM);
  let bytes = compileRe2(text, length, program, SMALL_PROGRAM);
  if (bytes == 0 && compileError() == RegexError.TooLarge) {
    release(point);
    program = alloc(LARGE_PROGRAM);
    bytes = compileRe2(text, length, program, LARGE_PROGRAM);
  }
  if (bytes == 0) {
    if (compileError() == RegexError.TooLarge) stop(Failure.Memory);
    release(point);
    return 0;
  }
  const at = keep(text, length, program, bytes);
  release(at == program ? program + bytes : point);
  return at;
}

/** Whether a program matches anywhere in a string value. */
export function matches(program: u32, text: u32): bool {
  return search(program, textOf(text), lengthOf(text), u32.MAX_VALUE) == 1;
}
