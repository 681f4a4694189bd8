// The natural order of go-yaml's keys: numbers in them by their size, letters behind other characters (sorter.go).

import { lengthOf, textOf } from '../value';
import { caseOf } from './unicode-case';
import { runeAt, runeBytes } from './utf8';

function isDigit(rune: u32): bool {
  return rune - 0x30 < 10;
}

/** Letters of scripts without case are those beyond ASCII that are no punctuation of Latin-1 or General Punctuation. */
function isLetter(rune: u32): bool {
  if (rune < 0x80) return (rune | 0x20) - 0x61 < 26;
  if (caseOf(rune, 0) != rune || caseOf(rune, 1) != rune || rune == 0xaa || rune == 0xba)
    return true;
  return rune >= 0x370 && (rune < 0x2000 || rune >= 0x2c00) && (rune < 0x3000 || rune > 0x3004);
}

/** Whether one key stands before another. */
export function keyBefore(a: u32, b: u32): bool {
  const aEnd = textOf(a) + lengthOf(a);
  const bEnd = textOf(b) + lengthOf(b);
  let p = textOf(a);
  let q = textOf(b);
  let digits = false;
  while (p < aEnd && q < bEnd) {
    const x = runeAt(p, aEnd);
    const size = runeBytes;
    const y = runeAt(q, bEnd);
    if (x == y) {
      digits = isDigit(x);
      p += size;
      q += runeBytes;
      continue;
    }
    const aLetter = isLetter(x);
    const bLetter = isLetter(y);
    if (aLetter && bLetter) return x < y;
    if (aLetter || bLetter) return digits ? aLetter : bLetter;
    return numberBefore(textOf(a), p, aEnd, q, bEnd, x, y);
  }
  return lengthOf(a) < lengthOf(b);
}

/** The keys differ here in digits or in other characters. */
function numberBefore(start: u32, a: u32, aEnd: u32, b: u32, bEnd: u32, x: u32, y: u32): bool {
  let aNumber: i64 = 0;
  let bNumber: i64 = 0;
  if (x == 0x30 || y == 0x30) {
    // A zero inside of a number counts as one of its digits.
    for (let p = a - 1; p >= start && isDigit(load<u8>(p)); p--) {
      if (load<u8>(p) == 0x30) continue;
      aNumber = 1;
      bNumber = 1;
      break;
    }
  }
  let p = a;
  for (; p < aEnd && isDigit(load<u8>(p)); p++) aNumber = aNumber * 10 + (<i64>load<u8>(p) - 0x30);
  let q = b;
  for (; q < bEnd && isDigit(load<u8>(q)); q++) bNumber = bNumber * 10 + (<i64>load<u8>(q) - 0x30);
  if (aNumber != bNumber) return aNumber < bNumber;
  if (p - a != q - b) return p - a < q - b;
  return x < y;
}
