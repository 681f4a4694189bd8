// The text that is judged now, as far as it is known, and what stands before a place in it.

import { Before, beforeNext } from './step';

/** Where the text begins; 0 once its beginning is no longer in the buffer. */
export let textStart: usize = 0;
/** One past the last byte that is known. */
export let textEnd: usize = 0;
/** Whether nothing follows the last byte. */
export let isLast: bool = false;

/** Sets what is known of the text. */
export function openText(start: usize, end: usize, last: bool): void {
  textStart = start;
  textEnd = end;
  isLast = last;
}

/** What stands before a place, for assertions. */
export function beforeAt(at: usize): u32 {
  return at == textStart ? Before.Nothing : beforeNext(load<u8>(at - 1));
}
