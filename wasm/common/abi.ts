// The exports that every module shares: where the host writes input and where it reads output.

import { alloc, resetArena } from './arena';
import { outputBytes, outputPointer, setOutput } from './writer';

/** The largest input of any module, in bytes: 4 MiB of text plus its JSON envelope and escapes. */
const RESERVE_MAX: u32 = 32 * 1024 * 1024;

/** Begins a new decision: frees the last one and returns where to write `length` bytes; 0 when too large. */
export function reserve(length: u32): u32 {
  resetArena();
  setOutput(0, 0);
  if (length > RESERVE_MAX) return 0;
  return alloc(length);
}

/** Pointer of the last output. */
export function output(): u32 {
  return outputPointer();
}

/** Length of the last output in bytes. */
export function outputLength(): u32 {
  return outputBytes();
}
