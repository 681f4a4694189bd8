// Tells the values of secrets from what stands in their place in code and documents: variables, calls, stars, words.

import { textEnd, textStart } from '../text';
import { DIGIT, kindOf, LOWER, OTHER, UPPER } from './letters';

const COLON: u32 = 0x3a;
const DOLLAR: u32 = 0x24;
const SLASH: u32 = 0x2f;

/** Whether the value is one byte repeated, or has the syntax of a variable, a call, an index, a template or a URL. */
function isStandIn(start: usize, end: usize): bool {
  const first: u32 = load<u8>(start);
  if (first == DOLLAR || first == 0x7b || first == 0x3c || first == 0x5b || first == 0x25) {
    return true;
  }
  // A literal of a type, whose members follow.
  if (load<u8>(end - 1) == 0x7b) return true;
  const quoted = isInQuotes(start, end);
  if (quoted && isCall(start, end)) return true;
  let same = true;
  for (let p = start; p < end; p++) {
    const byte: u32 = load<u8>(p);
    if (byte != first) same = false;
    // Without quotes the value may end within a call; in quotes passwords have brackets too.
    if (!quoted && (byte == 0x28 || byte == 0x5b)) return true;
    if (p + 2 >= end) continue;
    const following: u32 = load<u8>(p + 1);
    if ((byte == DOLLAR || byte == 0x7b || byte == 0x23) && following == 0x7b) return true;
    if (byte == COLON && following == SLASH && load<u8>(p + 2) == SLASH) return true;
  }
  return same;
}

function isQuote(byte: u32): bool {
  return byte == 0x22 || byte == 0x27 || byte == 0x60;
}

/** Whether quotation marks stand right around the value; the one behind it may be escaped. */
function isInQuotes(start: usize, end: usize): bool {
  if (start <= textStart || end >= textEnd || !isQuote(load<u8>(start - 1))) return false;
  const behind: u32 = load<u8>(end);
  return isQuote(behind) || behind == 0x5c;
}

/** Whether the value is a name and then a bracket that closes at its end: `env(NAME_1)`, `keys[0]`. */
function isCall(start: usize, end: usize): bool {
  const last: u32 = load<u8>(end - 1);
  if (last != 0x29 && last != 0x5d) return false;
  let p = start;
  while (p < end && (kindOf(load<u8>(p)) != OTHER || isJoint(load<u8>(p)) || load<u8>(p) == 0x5f)) {
    p++;
  }
  return p > start && <u32>load<u8>(p) == (last == 0x29 ? 0x28 : 0x5b);
}

/** Whether the byte joins names to one expression: `a.b`, `a?.b`, `a=b`. */
function isJoint(byte: u32): bool {
  return byte == 0x2e || byte == 0x3f || byte == 0x3d;
}

/**
 * Whether the value is names joined by dots, such as `config.db.password1`, or one name that speaks of a secret,
 * such as `dbPassword2` or `x-token-1`: what refers to a value is none. Small letters behind a digit are not what
 * members are called.
 */
function isReference(start: usize, end: usize): bool {
  let joints = 0;
  let digits = 0;
  let scrambled = false;
  let before: u32 = 0x2e;
  const first: u32 = load<u8>(start);
  // The value that a pointer points to, or its address.
  const from = first == 0x2a || first == 0x26 ? start + 1 : start;
  for (let p = from; p < end; p++) {
    const byte: u32 = load<u8>(p);
    const kind = kindOf(byte);
    if (isJoint(byte)) {
      if (before == 0x2e || before == 0x3d) return false;
      joints++;
    } else if (kind == DIGIT) {
      if (isJoint(before)) return false;
      digits++;
    } else {
      if (kind == OTHER && byte != 0x5f && byte != 0x2d && byte != DOLLAR) return false;
      if (kind == LOWER && kindOf(before) == DIGIT) scrambled = true;
    }
    before = byte;
  }
  if (isJoint(before)) return false;
  return (joints > 0 && !scrambled) || (digits <= 2 && speaksOfSecret(start, end));
}

function speaksOfSecret(start: usize, end: usize): bool {
  for (let p = start; p < end; p++) {
    const letter: u32 = <u32>load<u8>(p) | 0x20;
    if (letter == 0x70) {
      if (p + 8 <= end && isWord(p, p + 8, 'password')) return true;
    } else if (letter == 0x73) {
      if (p + 6 <= end && isWord(p, p + 6, 'secret')) return true;
    } else if (letter == 0x74) {
      if (p + 5 <= end && isWord(p, p + 5, 'token')) return true;
    }
  }
  return false;
}

/** Whether the value after a name such as `password` is a secret: letters, and a digit or a sign that words have not. */
export function isAssignedSecret(start: usize, end: usize): bool {
  let letters = false;
  let others = false;
  for (let p = start; p < end; p++) {
    const byte: u32 = load<u8>(p);
    const kind = kindOf(byte);
    if (kind == UPPER || kind == LOWER) letters = true;
    else if (kind == DIGIT) others = true;
    // `%3D` and the like stand for one sign, which may be none that tells.
    else if (byte == 0x25 && p + 2 < end) p += 2;
    // Words such as `required`, `integer-format` or `type:string` are no secrets.
    else if (byte != 0x2d && byte != 0x5f && byte != 0x2e && byte != COLON && byte != SLASH) {
      others = true;
    }
  }
  return letters && others && !isStandIn(start, end) && !isReference(start, end);
}

/** Whether the ASCII word, in small letters, is all of `[start, end)`, whatever the case. */
function isWord(start: usize, end: usize, word: string): bool {
  if (end - start != <usize>word.length) return false;
  for (let p = start; p < end; p++) {
    const letter = <u32>load<u16>(changetype<usize>(word) + ((p - start) << 1));
    if ((<u32>load<u8>(p) | 0x20) != letter) return false;
  }
  return true;
}

/** Whether `scheme://user:password` has a password, not a word that stands for one. */
export function isUrlPassword(start: usize, end: usize): bool {
  let p = start;
  while (p < end && load<u8>(p) != SLASH) p++;
  p += 2;
  while (p < end && load<u8>(p) != COLON) p++;
  p++;
  if (p >= end || isStandIn(p, end) || isReference(p, end)) return false;
  return !(
    isWord(p, end, 'password') ||
    isWord(p, end, 'passwd') ||
    isWord(p, end, 'pass') ||
    isWord(p, end, 'pwd') ||
    isWord(p, end, 'secret') ||
    isWord(p, end, 'token') ||
    isWord(p, end, 'changeme') ||
    isWord(p, end, 'xxx')
  );
}
