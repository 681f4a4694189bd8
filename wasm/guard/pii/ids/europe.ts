// Numbers of western and southern Europe: Belgium, France, Germany, Ireland, Italy, the Netherlands, Portugal, Spain, Switzerland, the United Kingdom.

import { offer } from '../candidate';
import { eleven, isDay, isRepeated, modulo, weigh } from '../checks';
import { between, isCompact, isShaped, length, scoreOf, shape, stop } from '../form';
import {
  BE_NATIONAL_NUMBER,
  CH_AHV,
  DE_STEUER_ID,
  ES_DNI,
  ES_NIE,
  FR_NIR,
  IE_PPS,
  IT_CODICE_FISCALE,
  NL_BSN,
  PT_NIF,
  UK_NHS,
  UK_NINO,
} from '../kinds';
import { digit, HYPHEN, PERIOD, SPACE, value } from '../numbers';
import { ALNUM, at, DIGIT, is, LETTER, run, UPPER } from '../text';
import { digitAt, isOneOf, letter, pick } from './letters';

/** 2,000,000,000 modulo 97. */
const BORN_2000: u32 = 68;

/** Modulus 97 with the birth date in front; a 2 before it for those born from 2000 on. */
function isBelgian(): bool {
  const check = value(9, 11);
  if (value(2, 4) > 12 || check == 0) return false;
  const rest = modulo(0, 9, 97);
  return 97 - rest == check || 97 - ((rest + BORN_2000) % 97) == check;
}

/** Ten digits of which one stands twice or three times and no other more than once, then ISO 7064 mod 11,10. */
function isSteuerId(): bool {
  if (digit(0) == 0) return false;
  let repeated: u32 = 0;
  for (let wanted: u32 = 0; wanted < 10; wanted++) {
    let times: u32 = 0;
    for (let i: u32 = 0; i < 10; i++) if (digit(i) == wanted) times++;
    if (times > 3) return false;
    if (times > 1) repeated++;
  }
  if (repeated != 1) return false;
  let product: u32 = 10;
  for (let i: u32 = 0; i < 10; i++) {
    const sum = (digit(i) + product) % 10;
    product = ((sum == 0 ? 10 : sum) * 2) % 11;
  }
  return (11 - product) % 10 == digit(10);
}

/** Sex, year, month (also the fictitious ones), then a key of modulus 97 (INSEE). */
function isNir(): bool {
  const sex = digit(0);
  const month = value(3, 5);
  if (sex == 0 || sex == 5 || sex == 6 || sex == 9 || month == 0 || (month > 12 && month < 20))
    return false;
  return 97 - modulo(0, 13, 97) == value(13, 15);
}

/** Proposes the compact French number of someone born in Corsica, whose department is 2A or 2B. */
export function corsicanAt(p: u32): void {
  const department = letter(p + 6);
  if (digit(5) != 2 || department < 0x41 || department > 0x42) return;
  if (run(p + 7, DIGIT, 9) != p + 15 || is(p + 15, ALNUM) || digit(0) < 1 || digit(0) > 2) return;
  const month = value(3, 5);
  if (month == 0 || (month > 12 && month < 20)) return;
  let rest = (value(0, 5) * 100 + (department == 0x41 ? 19 : 18)) % 97;
  for (let q = p + 7; q < p + 13; q++) rest = (rest * 10 + digitAt(q)) % 97;
  const key = digitAt(p + 13) * 10 + digitAt(p + 14);
  if (97 - rest == key) offer(FR_NIR, p, p + 15, 900, 980);
}

function isBsn(): bool {
  // The last weight is -1: 10 times the digit has the same remainder modulo 11.
  return (weigh(0, '98765432') + 10 * digit(8)) % 11 == 0;
}

function isNhs(): bool {
  return weigh(0, ':987654321') % 11 == 0;
}

/** EAN-13 that begins with the country code 756. */
function isAhv(): bool {
  return value(0, 3) == 756 && weigh(0, '1313131313131') % 10 == 0;
}

/** Proposes what the digits of the form can be here. */
export function europeanAt(p: u32): void {
  if (length == 9) {
    if (isRepeated(9)) return;
    if ((isCompact() || isShaped(0x040203, PERIOD)) && isBsn()) offer(NL_BSN, p, stop, 200, 950);
    const grouped = scoreOf(200, 0x030303, 300);
    if (grouped > 0 && digit(0) != 0 && eleven(weigh(0, '98765432')) == digit(8)) {
      offer(PT_NIF, p, stop, grouped, 950);
    }
  } else if (length == 10) {
    const grouped = scoreOf(300, 0x030304, 500);
    if (grouped > 0 && !isRepeated(10) && isNhs()) offer(UK_NHS, p, stop, grouped, 950);
  } else if (length == 11) {
    const isWritten = shape == 0x0202020302 && between == (PERIOD | HYPHEN);
    if ((isCompact() || isWritten) && isBelgian())
      offer(BE_NATIONAL_NUMBER, p, stop, isWritten ? 950 : 600, 970);
    const grouped = scoreOf(500, 0x02030303, 700);
    if (grouped > 0 && isSteuerId()) offer(DE_STEUER_ID, p, stop, grouped, 950);
  } else if (length == 13) {
    const isWritten = isShaped(0x03040402, PERIOD);
    if ((isCompact() || isWritten) && isAhv()) offer(CH_AHV, p, stop, isWritten ? 950 : 700, 970);
  } else if (length == 15) {
    const grouped = scoreOf(880, 0x01020202030302, 950);
    if (grouped > 0 && isNir()) offer(FR_NIR, p, stop, grouped, 980);
  }
}

/** Proposes what a letter or two after the digits of the form make of them: Spain's DNI, Ireland's PPS. */
export function europeanLettersAt(p: u32): void {
  if (length == 8) {
    if (!isCompact() && !isShaped(0x020303, PERIOD)) return;
    const last = at(stop) == 0x2d || at(stop) == 0x20 ? stop + 1 : stop;
    if (!is(last, LETTER) || is(last + 1, ALNUM)) return;
    if (pick('TRWAGMYFPDXBNJZSQVHLCKE', value(0, 8) % 23) != letter(last)) return;
    const isCertain = is(last, UPPER) && at(stop) != 0x20;
    offer(ES_DNI, p, last + 1, isCertain ? 860 : 400, 950);
  } else if (length == 7 && isCompact() && is(stop, LETTER)) {
    let sum = weigh(0, '8765432');
    const second = letter(stop + 1);
    const end = is(stop + 1, LETTER) ? stop + 2 : stop + 1;
    if (is(end, ALNUM) || (end == stop + 2 && !isOneOf(second, 'ABHWTX'))) return;
    if (end == stop + 2 && second <= 0x48) sum += 9 * (second - 0x40);
    if (pick('WABCDEFGHIJKLMNOPQRSTUV', sum % 23) == letter(stop)) offer(IE_PPS, p, end, 400, 950);
  }
}

/** Proposes the Spanish number of a foreigner whose letter X, Y or Z stands before its first digit `p`. */
export function nieAt(p: u32): void {
  const first = letter(p - 1) - 0x58;
  const from = at(p) == 0x2d ? p + 1 : p;
  if (first > 2 || run(from, DIGIT, 8) != from + 7) return;
  const last = at(from + 7) == 0x2d ? from + 8 : from + 7;
  if (!is(last, LETTER) || is(last + 1, ALNUM)) return;
  let number = first;
  for (let i: u32 = 0; i < 7; i++) number = number * 10 + digitAt(from + i);
  if (pick('TRWAGMYFPDXBNJZSQVHLCKE', number % 23) != letter(last)) return;
  offer(ES_NIE, p - 1, last + 1, is(p - 1, UPPER) && is(last, UPPER) ? 900 : 500, 960);
}

function isNinoPrefix(first: u32, second: u32): bool {
  if (isOneOf(first, 'DFIQUV') || isOneOf(second, 'DFIOQUV')) return false;
  if (first == second) return first != 0x5a;
  const two = (first << 8) | second;
  return (
    two != 0x4247 &&
    two != 0x4742 &&
    two != 0x4b4e &&
    two != 0x4e4b &&
    two != 0x4e54 &&
    two != 0x544e
  );
}

/**
 * Proposes the British national insurance number whose two letters begin at `from`, its first digit at
 * `p`, compact or in pairs with spaces (HMRC NIM39110).
 */
export function ninoAt(from: u32, p: u32): void {
  if (!is(from, LETTER) || !is(from + 1, LETTER)) return;
  const gap: u32 = p - from == 3 ? 1 : 0;
  let q = p;
  for (let pair: u32 = 0; pair < 3; pair++) {
    if (run(q, DIGIT, 3) != q + 2 && (gap != 0 || !is(q, DIGIT) || !is(q + 1, DIGIT))) return;
    q += 2;
    if (gap != 0 && at(q++) != 0x20) return;
  }
  if (gap == 0 && at(q) == 0x20 && is(q + 1, UPPER)) return;
  if (letter(q) < 0x41 || letter(q) > 0x44 || is(q + 1, ALNUM)) return;
  if (!isNinoPrefix(letter(from), letter(from + 1))) return;
  const isUpper = is(from, UPPER) && is(from + 1, UPPER) && is(q, UPPER);
  offer(UK_NINO, from, q + 1, isUpper ? 870 : 500, 960);
}

/** What a letter, or the digit with its number, is worth at an odd place; `0` is 0 (decree of 23 December 1976). */
const ODD = '10579=?ACE24BD;368<>@:FIHG';
const MONTHS = 'ABCDEHLMPRST';

function codeValue(byte: u32): u32 {
  return byte <= 0x39 ? byte - 0x30 : byte - 0x41;
}

/** Proposes the Italian fiscal code whose six letters end before its first digit `p`; digits replaced by letters are not seen. */
export function fiscalCodeAt(p: u32): void {
  const from = p - 6;
  if (run(from, ALNUM, 17) != from + 16 || run(p, DIGIT, 3) != p + 2) return;
  if (!isOneOf(letter(p + 2), MONTHS) || run(p + 3, DIGIT, 3) != p + 5) return;
  if (!is(p + 5, LETTER) || run(p + 6, DIGIT, 4) != p + 9 || !is(p + 9, LETTER)) return;
  let month: u32 = 0;
  while (pick(MONTHS, month) != letter(p + 2)) month++;
  const day = (digitAt(p + 3) * 10 + digitAt(p + 4)) % 40;
  const year = 1900 + digitAt(p) * 10 + digitAt(p + 1);
  if (!isDay(year, month + 1, day) && !isDay(year + 100, month + 1, day)) return;
  let sum: u32 = 0;
  for (let i: u32 = 0; i < 15; i++) {
    const worth = codeValue(letter(from + i));
    sum += (i & 1) == 0 ? pick(ODD, worth) - 48 : worth;
  }
  if (sum % 26 == letter(p + 9) - 0x41) offer(IT_CODICE_FISCALE, from, p + 10, 950, 990);
}
