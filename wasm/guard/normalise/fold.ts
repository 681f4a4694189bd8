// Folds text: one case, no accents, no invisible characters, single spaces, and Latin letters for their look-alikes.

import { FOLDS, section } from '../tables';
import { count } from '../text';
import { classesOf, DIGIT, LETTER, lowered } from './characters';
import { decodePoint, pointBytes } from './utf8';

/** Longest text that is folded at once, in bytes. */
export const FOLD_MAX: u32 = 512;
/** Two bytes become at most twelve. */
export const FOLDED_MAX: u32 = 3072;

const PAGE_BITS: u32 = 5;
const PAGE_MASK: u32 = 31;
const DROP: u32 = 1;
const SEQUENCES_FROM: u32 = 128;
/** Fewest letters of a word that is taken for a Latin one although all of its letters are of another script. */
const DISGUISED_MIN: u32 = 3;

const out: usize = memory.data(3088);
const table = section(FOLDS);
const pages: usize = table + load<u32>(table);
const letterIndex: usize = table + load<u32>(table, 4);
const letterPages: usize = table + load<u32>(table, 8);
const sequences: usize = table + load<u32>(table, 12);

/** Where the folded text begins. */
export const foldedBegin: usize = out;
/** Where it ends. */
export let foldedEnd: usize = out;
/** Whether it holds anything but ASCII. */
export let foldedWide: bool = false;

/** What a code point from 0x80 on folds to: see compiler/folds.ts. */
function entryOf(point: u32): u32 {
  if (point >= 0x20000) return point >= 0xe0000 ? DROP : 0;
  if (point >= 0xe000 && point <= 0xf8ff) return DROP;
  if (table == 0) return 0;
  const page: u32 = load<u16>(table + 16 + ((point >> PAGE_BITS) << 1));
  return load<u16>(pages + (((page << PAGE_BITS) + (point & PAGE_MASK)) << 1));
}

/** The Latin letter or digit that a code point looks like, 0 for none. */
function lookalikeOf(point: u32): u32 {
  if (point >= 0x20000 || table == 0) return 0;
  const page: u32 = load<u16>(letterIndex + ((point >> PAGE_BITS) << 1));
  return load<u8>(letterPages + (page << PAGE_BITS) + (point & PAGE_MASK));
}

function isWordByte(byte: u32): bool {
  return (classesOf(byte) & (LETTER | DIGIT)) != 0;
}

/** Folds `[begin, end)`, at most FOLD_MAX bytes, to `[foldedBegin, foldedEnd)`. */
export function fold(begin: usize, end: usize): void {
  let p = begin;
  let q = out;
  let wide = false;
  let space: u32 = 0x20;
  /** Where the last folded word ended: what stands before is not folded again. */
  let done = begin;
  count(<u32>(end - begin));
  while (p < end) {
    const plain = plainBlocks(p, end, q, space);
    if (plain > 0) {
      p += plain;
      q += plain;
      space = load<u8>(q - 1);
      if (p == end) break;
    }
    const byte: u32 = load<u8>(p);
    if (byte < 0x80) {
      const low = lowered(byte);
      // A space after a space is written over by what comes next.
      store<u8>(q, low);
      q += low != 0x20 || space != 0x20 ? 1 : 0;
      space = low;
      p++;
      continue;
    }
    let from = p;
    while (from > done && isWordByte(load<u8>(from - 1))) from--;
    q -= p - from;
    p = wordEnd(from, end);
    q = foldWord(from, p, end, q);
    done = p;
    space = q == out ? 0x20 : <u32>load<u8>(q - 1);
    wide = true;
  }
  if (q > out && load<u8>(q - 1) == 0x20) q--;
  foldedEnd = q;
  foldedWide = wide;
}

/** Folds whole blocks of 16 ASCII characters, none of them a control character or a space after a space; returns how many bytes. */
function plainBlocks(from: usize, end: usize, out: usize, space: u32): usize {
  let p = from;
  let q = out;
  let last: u32 = space == 0x20 ? 1 : 0;
  while (p + 16 <= end) {
    const block = v128.load(p);
    // Signed, so that bytes from 0x80 on count as below the space; the highest of ASCII is a control character too.
    const odd = v128.or(i8x16.lt_s(block, i8x16.splat(0x20)), i8x16.eq(block, i8x16.splat(0x7f)));
    const spaces = <u32>i8x16.bitmask(i8x16.eq(block, i8x16.splat(0x20)));
    if (v128.any_true(odd) || (spaces & ((spaces << 1) | last)) != 0) break;
    const upper = v128.and(
      i8x16.ge_s(block, i8x16.splat(0x41)),
      i8x16.le_s(block, i8x16.splat(0x5a)),
    );
    v128.store(q, v128.or(block, v128.and(upper, i8x16.splat(0x20))));
    last = spaces >>> 15;
    p += 16;
    q += 16;
  }
  return p - from;
}

let latin: u32 = 0;
let similar: u32 = 0;
let others: u32 = 0;

/** Where the word at `p` ends, or the character that is part of none; counts what its letters are. */
function wordEnd(from: usize, end: usize): usize {
  let p = from;
  latin = 0;
  similar = 0;
  others = 0;
  while (p < end) {
    const byte: u32 = load<u8>(p);
    if (byte < 0x80) {
      if (!isWordByte(byte)) return p;
      if ((classesOf(byte) & LETTER) != 0) latin++;
      p++;
      continue;
    }
    const point = decodePoint(p, end);
    const next = p + pointBytes;
    const entry = entryOf(point);
    if (entry > DROP && entry < SEQUENCES_FROM) {
      // Punctuation and spaces of other scripts end a word.
      if (!isWordByte(entry)) return p == from ? next : p;
      if ((classesOf(entry) & LETTER) != 0) latin++;
    } else if (lookalikeOf(point) != 0) similar++;
    else if (entry != DROP) others++;
    p = next;
  }
  return p;
}

/** Whether the letters of the word are to be read as the Latin ones that they look like. */
function isDisguised(to: usize, end: usize, q: usize): bool {
  if (similar == 0) return false;
  if (latin > 0) return true;
  if (others > 0 || similar < DISGUISED_MIN) return false;
  // A word of look-alikes alone is a word of its own script among others of that script.
  if (q > out + 1) return (classesOf(load<u8>(q - 2)) & LETTER) != 0;
  return to + 1 < end && (classesOf(load<u8>(to + 1)) & LETTER) != 0;
}

function foldWord(from: usize, to: usize, end: usize, at: usize): usize {
  const disguised = isDisguised(to, end, at);
  let p = from;
  let q = at;
  count(<u32>(to - from));
  while (p < to) {
    const byte: u32 = load<u8>(p);
    if (byte < 0x80) {
      store<u8>(q++, lowered(byte));
      p++;
      continue;
    }
    const point = decodePoint(p, to);
    q = foldPoint(point, p, q, disguised);
    p += pointBytes;
  }
  return q;
}

function foldPoint(point: u32, p: usize, at: usize, disguised: bool): usize {
  let entry = entryOf(point);
  if (disguised && (entry == 0 || entry >= SEQUENCES_FROM)) {
    const letter = lookalikeOf(point);
    if (letter != 0) entry = letter;
  }
  if (entry == DROP) return at;
  if (entry >= SEQUENCES_FROM) {
    const sequence = sequences + (entry - SEQUENCES_FROM);
    const length: u32 = load<u8>(sequence);
    memory.copy(at, sequence + 1, length);
    return at + length;
  }
  if (entry == 0) {
    // A byte that belongs to no character says nothing.
    if (pointBytes == 1) return at;
    memory.copy(at, p, pointBytes);
    return at + pointBytes;
  }
  if (entry == 0x20 && (at == out || load<u8>(at - 1) == 0x20)) return at;
  store<u8>(at, entry);
  return at + 1;
}
