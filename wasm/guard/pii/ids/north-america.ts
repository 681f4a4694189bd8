// Numbers of the United States, Canada and Mexico: social security, taxpayer, employer, social insurance, CURP.

import { offer } from '../candidate';
import { isDay, luhn } from '../checks';
import { isCompact, isShaped, length, scoreOf, stop } from '../form';
import { CA_SIN, MX_CURP, SSN, US_EIN, US_ITIN } from '../kinds';
import { digit, HYPHEN, PERIOD, SPACE, value } from '../numbers';
import { ALNUM, at, DIGIT, is, LETTER, run } from '../text';
import { digitAt, letter } from './letters';

/** Nine digits of which neither the groups nor the area were never issued (SSA). */
function isSocialSecurity(): bool {
  const area = value(0, 3);
  const group = value(3, 5);
  const serial = value(5, 9);
  if (area == 0 || area == 666 || area >= 900 || group == 0 || serial == 0) return false;
  return !isAdvertised(area, group, serial);
}

/** Numbers void because they were printed in advertisements, wallets and pamphlets. */
function isAdvertised(area: u32, group: u32, serial: u32): bool {
  return (
    (area == 78 && group == 5 && serial == 1120) ||
    (area == 219 && group == 9 && serial == 9999) ||
    (area == 457 && group == 55 && serial == 5462)
  );
}

/** Individual taxpayer numbers: 9, and a group of 50 to 65, 70 to 88, 90 to 92 or 94 to 99 (IRS). */
function isTaxpayer(): bool {
  const group = value(3, 5);
  if (digit(0) != 9) return false;
  return (group >= 50 && group <= 65) || (group >= 70 && group <= 99 && group != 89 && group != 93);
}

/** The prefixes of employer numbers that the IRS has not assigned. */
function isCampus(prefix: u32): bool {
  switch (prefix) {
    case 0:
    case 7:
    case 8:
    case 9:
    case 17:
    case 18:
    case 19:
    case 28:
    case 29:
    case 49:
    case 69:
    case 70:
    case 78:
    case 79:
    case 89:
    case 96:
    case 97:
      return false;
    default:
      return true;
  }
}

/** Proposes what nine digits of the form can be here. */
export function northAmericanAt(p: u32): void {
  if (length != 9) return;
  const triple = isShaped(0x030204, SPACE | HYPHEN | PERIOD);
  if (isCompact() || triple) {
    if (isSocialSecurity())
      offer(SSN, p, stop, triple ? (isShaped(0x030204, HYPHEN) ? 900 : 870) : 300, 950);
    if (isTaxpayer()) offer(US_ITIN, p, stop, triple ? 880 : 300, 950);
  }
  if ((isCompact() || isShaped(0x0207, HYPHEN)) && isCampus(value(0, 2))) {
    offer(US_EIN, p, stop, isCompact() ? 100 : 500, 900);
  }
  const insurance = scoreOf(300, 0x030303, 600);
  if (insurance > 0 && digit(0) != 0 && digit(0) != 8 && luhn(0, 9)) {
    offer(CA_SIN, p, stop, insurance, 950);
  }
}

const STATES = 'ASBCBSCCCHCLCMCSDFDGGRGTHGJCMCMNMSNENLNTOCPLQRQTSLSPSRTCTLTSVZYNZS';

function isState(first: u32, second: u32): bool {
  const source = <u32>changetype<usize>(STATES);
  for (let i: u32 = 0; i < (<u32>STATES.length) << 1; i += 4) {
    if (load<u16>(source + i) == first && load<u16>(source + i, 2) == second) return true;
  }
  return false;
}

/** The value of a character of a CURP, in which Ñ stands between N and O. */
function curpValue(byte: u32): u32 {
  if (byte <= 0x39) return byte - 0x30;
  return byte - 0x41 + 10 + (byte > 0x4e ? 1 : 0);
}

/** Proposes the CURP whose four letters end before its first digit `p`. */
export function curpAt(p: u32): void {
  const from = p - 4;
  if (run(p, DIGIT, 7) != p + 6 || run(from, ALNUM, 19) != from + 18) return;
  if (run(p + 6, LETTER, 6) != p + 12 || !is(p + 13, DIGIT)) return;
  const sex = letter(p + 6);
  if ((sex != 0x48 && sex != 0x4d) || !isState(letter(p + 7), letter(p + 8))) return;
  const month = digitAt(p + 2) * 10 + digitAt(p + 3);
  const year = digitAt(p) * 10 + digitAt(p + 1) + (is(p + 12, DIGIT) ? 1900 : 2000);
  if (!isDay(year, month, digitAt(p + 4) * 10 + digitAt(p + 5))) return;
  let sum: u32 = 0;
  for (let i: u32 = 0; i < 17; i++) sum += curpValue(letter(from + i)) * (18 - i);
  if ((10 - (sum % 10)) % 10 == at(p + 13) - 0x30) offer(MX_CURP, from, from + 18, 950, 990);
}
