// Texts that the policy leaves in its own memory, ended by NUL.

import { alloc } from '../common/arena';
import { copyOut, loadByte } from './opa';

/** Length of the last text that was read. */
export let textLength: u32 = 0;

/** A copy of the text in the filter's memory. */
export function textOf(pointer: u32): u32 {
  let end = pointer;
  while (loadByte(end) != 0) end += 1;
  textLength = end - pointer;
  const copy = alloc(textLength);
  copyOut(copy, pointer, textLength);
  return copy;
}
