// Numbers of northern and eastern Europe: Denmark, Finland, Norway, Sweden, Poland, Romania, Russia.

import { offer } from '../candidate';
import { isBirthday, isDay, luhn, weigh } from '../checks';
import { between, isCompact, isShaped, length, shape, stop } from '../form';
import {
  DK_CPR,
  FI_HETU,
  NO_FODSELSNUMMER,
  PL_PESEL,
  RO_CNP,
  RU_INN,
  RU_SNILS,
  SE_PERSONNUMMER,
} from '../kinds';
import { digit, HYPHEN, SPACE, value } from '../numbers';
import { ALNUM, at, DIGIT, is, run } from '../text';
import { digitAt, isOneOf, letter, pick } from './letters';

function isPesel(): bool {
  const month = value(2, 4);
  const centuries: u32 = month / 20;
  const year = (centuries == 4 ? 1800 : 1900 + centuries * 100) + value(0, 2);
  if (!isDay(year, month % 20, value(4, 6))) return false;
  return (10 - (weigh(0, '1379137913') % 10)) % 10 == digit(10);
}

/** The year of birth that the individual digits of a Norwegian number tell; 0 for none. */
function norwegianYear(year: u32, individual: u32): u32 {
  if (individual < 500) return 1900 + year;
  if (individual < 750 && year >= 54) return 1800 + year;
  if (year < 40) return 2000 + year;
  return individual >= 900 ? 1900 + year : 0;
}

/** Day (40 more in D-numbers), month (40 more in H-numbers), year, individual and two check digits. */
function isNorwegian(): bool {
  const day = value(0, 2);
  const month = value(2, 4);
  if (day >= 80) return false;
  const year = norwegianYear(value(4, 6), value(6, 9));
  if (year == 0) return false;
  if (!isDay(year, month > 40 ? month - 40 : month, day > 40 ? day - 40 : day)) return false;
  const first = (11 - (weigh(0, '376189452') % 11)) % 11;
  const second = (11 - (weigh(0, '5432765432') % 11)) % 11;
  return first == digit(9) && second == digit(10);
}

function isDane(): bool {
  const century = digit(6);
  const short = value(4, 6);
  let year: u32 = 2000 + short;
  if (century <= 3 || ((century == 4 || century == 9) && short >= 37)) year = 1900 + short;
  else if (century >= 5 && century <= 8 && short >= 58) year = 1800 + short;
  return isDay(year, value(2, 4), value(0, 2));
}

/** Numbers of 1-001-998 and below were issued without this check and are not seen. */
function isSnils(): bool {
  const rest = weigh(0, '987654321') % 101;
  return (rest == 100 ? 0 : rest) == value(9, 11) && value(0, 9) > 1001998;
}

function isInn(): bool {
  if (value(0, 6) + value(6, 12) == 0) return false;
  return (
    (weigh(0, '724:359468') % 11) % 10 == digit(10) &&
    (weigh(0, '3724:359468') % 11) % 10 == digit(11)
  );
}

function isCnp(): bool {
  const born = digit(0);
  const county = value(7, 9);
  if (born == 0 || county == 0 || (county > 48 && county < 51)) return false;
  if (county > 52 && county != 70 && (county < 80 || county > 83)) return false;
  const century: u32 = born == 3 || born == 4 ? 1800 : born == 5 || born == 6 ? 2000 : 1900;
  if (!isDay(century + value(1, 3), value(3, 5), value(5, 7))) return false;
  const rest = weigh(0, '279146358279') % 11;
  return (rest == 10 ? 1 : rest) == digit(12);
}

/** Proposes what the digits of the form can be here. */
export function northEasternAt(p: u32): void {
  const isDashed = (between & ~HYPHEN) == 0;
  if (length == 10) {
    if (!isCompact() && !(shape == 0x0604 && isDashed)) return;
    if (isBirthday(0) && luhn(0, 10)) offer(SE_PERSONNUMMER, p, stop, isCompact() ? 400 : 800, 960);
    if (isDane()) offer(DK_CPR, p, stop, isCompact() ? 200 : 500, 950);
  } else if (length == 11) elevenAt(p);
  else if (length == 12) {
    if (isCompact() && isInn()) offer(RU_INN, p, stop, 500, 950);
    if (!isCompact() && !(shape == 0x0804 && isDashed)) return;
    if (value(0, 2) < 18 || value(0, 2) > 20 || !luhn(2, 12)) return;
    if (!isDay(value(0, 4), value(4, 6), value(6, 8))) return;
    offer(SE_PERSONNUMMER, p, stop, isCompact() ? 700 : 900, 970);
  } else if (length == 13 && isCompact() && isCnp()) offer(RO_CNP, p, stop, 600, 950);
}

function elevenAt(p: u32): void {
  const isSpaced = isShaped(0x0605, SPACE);
  if ((isCompact() || isSpaced) && isNorwegian()) {
    offer(NO_FODSELSNUMMER, p, stop, isSpaced ? 860 : 700, 960);
  }
  if (isCompact() && isPesel()) offer(PL_PESEL, p, stop, 500, 950);
  const isWritten = shape == 0x03030302 && (between & ~(HYPHEN | SPACE)) == 0;
  if ((isCompact() || isWritten) && isSnils()) offer(RU_SNILS, p, stop, isWritten ? 880 : 400, 950);
}

/** Proposes the Finnish identity code whose six digits of birth are the first of the form. */
export function hetuAt(p: u32): void {
  if (!is(p + 5, DIGIT) || is(p + 6, DIGIT)) return;
  const century = letter(p + 6);
  if (!isOneOf(century, '+-ABCDEFYXWVU') || run(p + 7, DIGIT, 4) - p < 10) return;
  const check = letter(p + 10);
  if (!isOneOf(check, '0123456789ABCDEFHJKLMNPRSTUVWXY') || is(p + 11, ALNUM)) return;
  let year = digitAt(p + 4) * 10 + digitAt(p + 5);
  year += century == 0x2b ? 1800 : century <= 0x46 && century != 0x2d ? 2000 : 1900;
  if (!isDay(year, value(2, 4), value(0, 2))) return;
  const individual = digitAt(p + 7) * 100 + digitAt(p + 8) * 10 + digitAt(p + 9);
  if (individual < 2 || individual > 899) return;
  const number = value(0, 6) * 1000 + individual;
  if (pick('0123456789ABCDEFHJKLMNPRSTUVWXY', number % 31) == check)
    offer(FI_HETU, p, p + 11, 900, 970);
}
