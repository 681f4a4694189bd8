// Numbers of India, China, Japan, Korea, Singapore, Israel, Turkey, South Africa and Australia.

import { offer } from '../candidate';
import { isBirthday, isDay, isRepeated, luhn, verhoeff, weigh } from '../checks';
import { isCompact, isShaped, length, scoreOf, stop } from '../form';
import {
  AU_ABN,
  AU_MEDICARE,
  AU_TFN,
  CN_RESIDENT_ID,
  IL_ID,
  IN_AADHAAR,
  IN_PAN,
  JP_MY_NUMBER,
  KR_RRN,
  SG_NRIC,
  TR_TCKN,
  ZA_ID,
} from '../kinds';
import { digit, HYPHEN, SPACE, value } from '../numbers';
import { ALNUM, at, DIGIT, is, LETTER, run, UPPER } from '../text';
import { digitAt, isOneOf, letter, pick } from './letters';

function isPalindrome(digits: u32): bool {
  for (let i: u32 = 0; i < digits / 2; i++) if (digit(i) != digit(digits - 1 - i)) return false;
  return true;
}

/** The check digit of the first eleven digits (ordinance of the Ministry of Internal Affairs no. 85 of 2014). */
function isMyNumber(): bool {
  const rest = weigh(0, '65432765432') % 11;
  return (rest <= 1 ? 0 : 11 - rest) == digit(11);
}

/** Whether the first nine digits are birthday, century with sex, and place; `year` is the least year of birth. */
function isBornInKorea(year: u32): bool {
  const born = digit(6);
  const century: u32 =
    born == 9 || born == 0 ? 1800 : born == 1 || born == 2 || born == 5 || born == 6 ? 1900 : 2000;
  const birth = century + value(0, 2);
  return birth >= year && isDay(birth, value(2, 4), value(4, 6)) && value(7, 9) <= 96;
}

function hasKoreanCheck(): bool {
  return (11 - (weigh(0, '234567892345') % 11)) % 10 == digit(12);
}

/** Numbers given out since October 2020 have no check digit: those of children are found by a word alone. */
function koreanAt(p: u32): void {
  const isGrouped = isShaped(0x0607, HYPHEN);
  if (!isCompact() && !isGrouped) return;
  if (hasKoreanCheck() && isBornInKorea(1800)) offer(KR_RRN, p, stop, isGrouped ? 900 : 500, 970);
  else if (isBornInKorea(2020)) offer(KR_RRN, p, stop, isGrouped ? 400 : 100, 900);
}

function isTurkish(): bool {
  if (digit(0) == 0) return false;
  const tenth = (10 - (weigh(0, '313131313') % 10)) % 10;
  return tenth == digit(9) && (tenth + weigh(0, '111111111')) % 10 == digit(10);
}

/** Australian business number: the first digit less one, then a sum that 89 divides; the check digits are 11 to 99. */
function isBusiness(): bool {
  if (value(0, 2) < 11) return false;
  return (weigh(0, ':13579;=?AC') - 10) % 89 == 0;
}

/** Proposes what the digits of the form can be here. */
export function asianAt(p: u32): void {
  if (length == 8 || length == 9) nineAt(p);
  else if (length == 10 || length == 11) elevenAt(p);
  else if (length == 12) {
    const grouped = scoreOf(300, 0x040404, 700);
    if (grouped > 0 && digit(0) >= 2 && !isPalindrome(12) && verhoeff(12))
      offer(IN_AADHAAR, p, stop, grouped, 950);
    if (grouped > 0 && isMyNumber()) offer(JP_MY_NUMBER, p, stop, grouped / 2, 950);
  } else if (length == 13) {
    koreanAt(p);
    const grouped = scoreOf(600, 0x06040201, 700);
    if (grouped > 0 && isBirthday(0) && digit(10) <= 1 && luhn(0, 13))
      offer(ZA_ID, p, stop, grouped, 950);
  }
}

function nineAt(p: u32): void {
  if (length == 9 && (isCompact() || isShaped(0x0801, HYPHEN)) && !isRepeated(9) && luhn(0, 9)) {
    offer(IL_ID, p, stop, 200, 900);
  }
  const isGrouped = isShaped(0x030303, SPACE) || isShaped(0x030203, SPACE);
  if ((!isCompact() && !isGrouped) || isRepeated(length)) return;
  const sum = length == 9 ? weigh(0, '14375869:') : weigh(0, '14375869');
  if (sum % 11 == 0) offer(AU_TFN, p, stop, 200, 950);
}

function elevenAt(p: u32): void {
  const isCard = isShaped(0x040501, SPACE) || isShaped(0x04050101, SPACE) || isCompact();
  if (isCard && digit(0) >= 2 && digit(0) <= 6 && weigh(0, '13791379') % 10 == digit(8)) {
    offer(AU_MEDICARE, p, stop, 200, 950);
  }
  if (length != 11) return;
  if (isCompact() && isTurkish()) offer(TR_TCKN, p, stop, 500, 950);
  if ((isCompact() || isShaped(0x02030303, SPACE)) && isBusiness()) {
    offer(AU_ABN, p, stop, isCompact() ? 400 : 700, 950);
  }
}

/** The first two digits of China's provinces. */
function isProvince(code: u32): bool {
  const tens = code / 10;
  const ones = code % 10;
  if (ones == 0) return false;
  if (tens == 1 || tens == 6) return ones <= 5;
  if (tens == 2) return ones <= 3;
  if (tens == 3) return ones <= 7;
  if (tens == 4) return ones <= 6;
  if (tens == 5) return ones <= 4;
  return code == 71 || code == 81 || code == 82 || code == 83;
}

/** Proposes the Chinese identity number (GB 11643-1999) of the form: 18 digits, or 17 and an X. */
export function chineseAt(p: u32): void {
  const isX = length == 17 && letter(stop) == 0x58;
  if (!isCompact() || (length != 18 && !isX)) return;
  const end = isX ? stop + 1 : stop;
  if (is(end, ALNUM) || !isProvince(value(0, 2))) return;
  const year = value(6, 10);
  if (year < 1850 || year > 2099 || !isDay(year, value(10, 12), value(12, 14))) return;
  const check: u32 = isX ? 10 : digit(17);
  if ((weigh(0, '79:584216379:5842') + check) % 11 == 1) offer(CN_RESIDENT_ID, p, end, 900, 980);
}

/** Proposes the Indian permanent account number whose five letters end before its first digit `p`. */
export function panAt(p: u32): void {
  const from = p - 5;
  if (run(p, DIGIT, 5) != p + 4 || !is(p + 4, UPPER) || is(p + 5, ALNUM)) return;
  if (run(from, UPPER, 5) != p || !isOneOf(at(from + 3), 'ABCFGHLJPTK')) return;
  if (digitAt(p) + digitAt(p + 1) + digitAt(p + 2) + digitAt(p + 3) == 0) return;
  offer(IN_PAN, from, p + 5, at(from + 3) == 0x50 ? 860 : 700, 950);
}

/** Proposes the Singaporean number (NRIC, FIN) whose letter stands before its first digit `p`. */
export function nricAt(p: u32): void {
  if (run(p, DIGIT, 8) != p + 7 || !is(p + 7, LETTER) || is(p + 8, ALNUM)) return;
  const series = letter(p - 1);
  let sum: u32 = 0;
  for (let i: u32 = 0; i < 7; i++) sum += digitAt(p + i) * (pick('2765432', i) - 48);
  if (series == 0x54 || series == 0x47) sum += 4;
  if (series == 0x4d) sum += 3;
  let letters = '';
  if (series == 0x53 || series == 0x54) letters = 'JZIHGFEDCBA';
  else if (series == 0x46 || series == 0x47) letters = 'XWUTRQPNMLK';
  else if (series == 0x4d) letters = 'XWUTRQPNJLK';
  else return;
  if (pick(letters, sum % 11) != letter(p + 7)) return;
  offer(SG_NRIC, p - 1, p + 8, is(p - 1, UPPER) && is(p + 7, UPPER) ? 870 : 500, 950);
}
