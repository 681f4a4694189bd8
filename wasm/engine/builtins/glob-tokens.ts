// Reads the globs that regex.globs_match compares: characters, dots and sets, each once, `+` or `*` (the Go package
// github.com/yashtewari/glob-intersection, tokenize.go and simplify.go).

import { alloc } from '../../common/arena';
import { normalizeRanges } from '../../regex/classes';
import { runeAt, runeBytes } from './utf8';

/** How often a token stands. */
export namespace Times {
  export const Once: u32 = 0;
  export const Plus: u32 = 1;
  export const Star: u32 = 2;
}

// A token: its kind is that of its ranges (a character is a set of one), with how often it stands.
// Offsets: kind, times, number of ranges, where the ranges are (8 bytes each: first and last code point).
const TIMES: u32 = 4;
const RANGES: u32 = 8;
const RANGES_AT: u32 = 12;
const TOKEN_BYTES: u32 = 16;

/** Kinds in the order in which OPA's package compares them. */
const CHARACTER: u32 = 0;
const DOT: u32 = 1;
const SET: u32 = 2;

let at: u32 = 0;
let end: u32 = 0;
let escaped: bool = false;

/** Tokens of the glob read last. */
export let tokenCount: u32 = 0;

/** How often a token stands, one of `Times`. */
export function timesOf(tokens: u32, index: u32): u32 {
  return load<u32>(tokens + index * TOKEN_BYTES, TIMES);
}

/** The next character, or its escaped successor (`escaped`); -1 at the end and -2 for a backslash at the end. */
function readRune(): i32 {
  if (at >= end) return -1;
  let rune = runeAt(at, end);
  at += runeBytes;
  escaped = rune == 0x5c;
  if (!escaped) return <i32>rune;
  if (at >= end) return -2;
  rune = runeAt(at, end);
  at += runeBytes;
  return <i32>rune;
}

/** Reads a glob of UTF-8 to an array of tokens; 0 when it is none. The number of tokens is `tokenCount`. */
export function readGlob(pointer: u32, length: u32): u32 {
  at = pointer;
  end = pointer + length;
  tokenCount = 0;
  const tokens = alloc(length * TOKEN_BYTES + TOKEN_BYTES);
  while (true) {
    const rune = readRune();
    if (rune == -1) return tokens;
    if (rune == -2) return 0;
    const token = tokens + tokenCount * TOKEN_BYTES;
    if (escaped) makeToken(token, CHARACTER, <u32>rune);
    else if (rune == 0x2e) makeToken(token, DOT, 0);
    else if (rune == 0x5b) {
      if (!readSet(token)) return 0;
    } else if (rune == 0x5d || rune == 0x2b || rune == 0x2a) return 0;
    else makeToken(token, CHARACTER, <u32>rune);
    readTimes(token);
    if (!joinsLast(tokens)) tokenCount++;
  }
}

function makeToken(token: u32, kind: u32, rune: u32): void {
  const ranges = alloc(8);
  store<u32>(ranges, rune);
  store<u32>(ranges, rune, 4);
  store<u32>(token, kind);
  store<u32>(token, 1, RANGES);
  store<u32>(token, ranges, RANGES_AT);
}

function readTimes(token: u32): void {
  let times = Times.Once;
  if (at < end && load<u8>(at) == 0x2b) times = Times.Plus;
  else if (at < end && load<u8>(at) == 0x2a) times = Times.Star;
  if (times != Times.Once) at++;
  store<u32>(token, times, TIMES);
}

/** Reads a set behind its bracket; false when it is none. */
function readSet(token: u32): bool {
  // Each range takes a byte of the text at least.
  const ranges = alloc((end - at) * 8 + 8);
  let count: u32 = 0;
  let before: i32 = -1;
  while (true) {
    const rune = readRune();
    if (rune < 0) return false;
    if (!escaped && rune == 0x5d) break;
    if (escaped || rune != 0x2d) {
      store<u32>(ranges + count * 8, rune);
      store<u32>(ranges + count * 8, rune, 4);
      count++;
      before = rune;
      continue;
    }
    // A range needs a character before it, and behind its last one something more.
    if (before < 0 || runesLeft() < 2) return false;
    const last = readRune();
    if (last < before || (!escaped && (last == 0x5d || last == 0x2d))) return false;
    store<u32>(ranges + count * 8, before);
    store<u32>(ranges + count * 8, last, 4);
    count++;
    before = -1;
  }
  store<u32>(token, SET);
  store<u32>(token, normalizeRanges(ranges, count), RANGES);
  store<u32>(token, ranges, RANGES_AT);
  return true;
}

/** Characters left, 2 for more. */
function runesLeft(): u32 {
  if (at >= end) return 0;
  runeAt(at, end);
  return at + runeBytes >= end ? 1 : 2;
}

/** Joins the token just read with the one before it when both repeat the same: t+t* is t+. */
function joinsLast(tokens: u32): bool {
  if (tokenCount == 0) return false;
  const token = tokens + tokenCount * TOKEN_BYTES;
  const before = token - TOKEN_BYTES;
  const times = load<u32>(token, TIMES);
  const timesBefore = load<u32>(before, TIMES);
  if (times == Times.Once || timesBefore == Times.Once || !sameToken(token, before)) return false;
  if (times == Times.Plus) store<u32>(before, Times.Plus, TIMES);
  return true;
}

function sameToken(a: u32, b: u32): bool {
  if (load<u32>(a) != load<u32>(b)) return false;
  if (load<u32>(a) == DOT) return true;
  const count = load<u32>(a, RANGES);
  if (count != load<u32>(b, RANGES)) return false;
  return memory.compare(load<u32>(a, RANGES_AT), load<u32>(b, RANGES_AT), count * 8) == 0;
}

/** Whether a character exists that both tokens stand for; a dot and a set always share one. */
export function shareRune(aTokens: u32, a: u32, bTokens: u32, b: u32): bool {
  const x = aTokens + a * TOKEN_BYTES;
  const y = bTokens + b * TOKEN_BYTES;
  if (load<u32>(x) == DOT || load<u32>(y) == DOT) return true;
  const xRanges = load<u32>(x, RANGES_AT);
  const yRanges = load<u32>(y, RANGES_AT);
  let i: u32 = 0;
  let j: u32 = 0;
  while (i < load<u32>(x, RANGES) && j < load<u32>(y, RANGES)) {
    const xLast = load<u32>(xRanges + i * 8, 4);
    const yLast = load<u32>(yRanges + j * 8, 4);
    if (xLast < load<u32>(yRanges + j * 8)) i++;
    else if (yLast < load<u32>(xRanges + i * 8)) j++;
    else return true;
  }
  return false;
}
