// Passport numbers, which have no form in common: a word of digits and capitals beside a word for passport.

import { propose } from './candidate';
import { near } from './context';
import { PASSPORT } from './kinds';
import { ALNUM, DIGIT, is, LOWER, run } from './text';

const NAMED: u32 = 920;
const WORD_WITHIN: u32 = 40;
const DIGITS_MIN: u32 = 5;

/** Proposes the word of 6 to 10 digits and capitals that begins at `from`, five of them digits at least. */
export function passportAt(from: u32): void {
  const stop = run(from, ALNUM, 11);
  if (stop < from + 6 || stop > from + 10) return;
  let digits: u32 = 0;
  for (let q = from; q < stop; q++) {
    if (is(q, LOWER)) return;
    if (is(q, DIGIT)) digits++;
  }
  if (digits >= DIGITS_MIN && near(PASSPORT, from, WORD_WITHIN))
    propose(PASSPORT, from, stop, NAMED);
}
