// Identity and tax numbers at the first digit of a number or of what follows a few letters.

import { isKnown, length, resetForm, stop, takeGroup } from '../form';
import { continues, goesOn, groups } from '../numbers';
import { ALNUM, at, count, is } from '../text';
import { asianAt, chineseAt, nricAt, panAt } from './asia-pacific';
import { corsicanAt, europeanAt, europeanLettersAt, fiscalCodeAt, nieAt, ninoAt } from './europe';
import { curpAt, northAmericanAt } from './north-america';
import { hetuAt, northEasternAt } from './north-east-europe';
import { rutAt, southAmericanAt } from './south-america';

/** What the checks of one form cost at most, in bytes looked at. */
const CHECK_STEPS: u32 = 64;

/** Proposes every number that the groups of digits read at `p` begin with. */
export function identityAt(p: u32): void {
  if (continues(p)) return;
  resetForm();
  for (let number: u32 = 1; number <= groups; number++) {
    takeGroup(number - 1);
    if (length < 6) continue;
    if (length > 18) return;
    if (!isKnown()) continue;
    count(CHECK_STEPS);
    if (number == 1 && length == 6) {
      hetuAt(p);
      corsicanAt(p);
    }
    europeanLettersAt(p);
    rutAt(p);
    chineseAt(p);
    if (length < 8 || is(stop, ALNUM) || goesOn(stop)) continue;
    northAmericanAt(p);
    southAmericanAt(p, number);
    europeanAt(p);
    northEasternAt(p);
    asianAt(p);
  }
}

/** Proposes every number whose `letters` letters end before its first digit `p`, at a word's beginning. */
export function letteredIdentityAt(p: u32, letters: u32): void {
  if (letters == 1) {
    nieAt(p);
    nricAt(p);
  } else if (letters == 2) ninoAt(p - 2, p);
  else if (letters == 4) curpAt(p);
  else if (letters == 5) panAt(p);
  else if (letters == 6) fiscalCodeAt(p);
}

/** Proposes the numbers whose letters and first digit `p` stand apart: `AB 12 34 56 C`, `X-1234567-L`. */
export function apartIdentityAt(p: u32): void {
  if (at(p - 1) == 0x20 && !is(p - 4, ALNUM)) ninoAt(p - 3, p);
  if (at(p - 1) == 0x2d && !is(p - 3, ALNUM)) nieAt(p - 1);
}
