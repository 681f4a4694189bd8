// Tells the values of secrets from what stands in their place in code and documents: variables, calls, stars, words.

import { DIGIT, kindOf, LOWER, OTHER, UPPER } from './letters';

const COLON: u32 = 0x3a;
const DOLLAR: u32 = 0x24;
const SLASH: u32 = 0x2f;

/** Whether the value is one byte repeated, or has the syntax of a variable, a call, an index or a template. */
function isStandIn(start: usize, end: usize): bool {
  const first: u32 = load<u8>(start);
  if (first == DOLLAR || first == 0x7b || first == 0x3c || first == 0x5b || first == 0x25) {
    return true;
  }
  let same = true;
  for (let p = start; p < end; p++) {
    const byte: u32 = load<u8>(p);
    if (byte != first) same = false;
    if (byte == 0x28 || byte == 0x5b) return true;
    if (p + 1 >= end) continue;
    const following: u32 = load<u8>(p + 1);
    if ((byte == DOLLAR || byte == 0x7b || byte == 0x23) && following == 0x7b) return true;
  }
  return same;
}

/** Whether the value is names joined by dots, such as `config.db.password1`: a member, not a value. */
function isMember(start: usize, end: usize): bool {
  let dots = 0;
  let before: u32 = 0x2e;
  for (let p = start; p < end; p++) {
    const byte: u32 = load<u8>(p);
    const kind = kindOf(byte);
    if (byte == 0x2e) {
      if (before == 0x2e) return false;
      dots++;
    } else if (before == 0x2e) {
      if (kind != LOWER && kind != UPPER && byte != 0x5f && byte != DOLLAR) return false;
    } else if (kind == OTHER && byte != 0x5f && byte != DOLLAR) return false;
    before = byte;
  }
  return dots > 0 && before != 0x2e;
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
    // Words such as `required`, `integer-format` or `type:string` are no secrets.
    else if (byte != 0x2d && byte != 0x5f && byte != 0x2e && byte != COLON && byte != SLASH) {
      others = true;
    }
  }
  return letters && others && !isStandIn(start, end) && !isMember(start, end);
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
  if (p >= end || isStandIn(p, end)) return false;
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
