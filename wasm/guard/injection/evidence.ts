// Weighs what the rules find in one reading of a window: how strong each family is, and whether it is only talked about.

import {
  INJECTION_RULES,
  INJECTION_WIDE_RULES,
  matchAll,
  matchEnd,
  matchRule,
  matchStart,
  ruleKind,
  ruleScore,
} from '../engine/index';
import { ruleKindName, ruleKindNameLength } from '../engine/kinds';
import { KIND_COUNT } from '../engine/tables';
import { classesOf, DIGIT, LETTER } from '../normalise/characters';
import { count } from '../text';
import { EXTRACTION, JAILBREAK, OVERRIDE, TOOL_HIJACK } from './kinds';
import { TALK_ABOUT, TALK_NONE, TALK_OF } from './score';

const FAMILIES: u32 = 4;
/** What the rules of signals.yaml say. */
const DISCUSSION: u32 = 4;
const MENTION: u32 = 5;
const ROTATED: u32 = 6;
const REVERSED: u32 = 7;
const NONE: u32 = 255;

/** What a match weighs less, in thousandths. */
const QUOTED_AND_TALKED_OF: i32 = 550;
const TALKED_OF: i32 = 400;
const QUOTED: i32 = 150;
/** How far before a match a quotation mark may open, and behind it close. */
const QUOTE_BEFORE: usize = 48;
const QUOTE_AFTER: usize = 160;

const KINDS_MAX: u32 = 2048;
/** For each kind of the rules what it is here. */
const meanings: usize = memory.data(2048);
const weights: usize = memory.data(16);

/** The weight of all families together, at most 1000. */
export let weight: i32 = 0;
/** The kind of the strongest. */
export let strongest: u32 = OVERRIDE;
/** How the text talks of attacks: see score.ts. */
export let talk: u32 = TALK_NONE;
/** Whether words of an attack stand there moved by 13 letters, or backwards. */
export let isRotated: bool = false;
export let isReversed: bool = false;

let isInQuotes: bool = false;
/** Which of the signals stand in the reading, a bit each. */
let signals: u32 = 0;

function isNamed(kind: u32, name: string): bool {
  const length = <u32>name.length;
  if (ruleKindNameLength(kind) != length) return false;
  for (let i: u32 = 0; i < length; i++) {
    if (load<u8>(ruleKindName(kind) + i) != load<u8>(changetype<usize>(name) + (i << 1))) {
      return false;
    }
  }
  return true;
}

function meaningOf(kind: u32): u32 {
  if (isNamed(kind, 'override')) return 0;
  if (isNamed(kind, 'extraction')) return 1;
  if (isNamed(kind, 'jailbreak')) return 2;
  if (isNamed(kind, 'tool_hijack')) return 3;
  if (isNamed(kind, 'discussion')) return DISCUSSION;
  if (isNamed(kind, 'mention')) return MENTION;
  if (isNamed(kind, 'rotated')) return ROTATED;
  return isNamed(kind, 'reversed') ? REVERSED : NONE;
}

for (let kind: u32 = 0; kind < min(KIND_COUNT, KINDS_MAX); kind++) {
  store<u8>(meanings + kind, meaningOf(kind));
}

function kindOfFamily(family: u32): u32 {
  if (family == 0) return OVERRIDE;
  if (family == 1) return EXTRACTION;
  return family == 2 ? JAILBREAK : TOOL_HIJACK;
}

/**
 * Weighs the folded text `[begin, end)`; `isStrict` for what came from a tool or a document. A reading without
 * punctuation has no quotation marks: `quotesStand` says that there were some.
 */
export function weigh(
  begin: usize,
  end: usize,
  isWide: bool,
  isStrict: bool,
  quotesStand: bool,
): void {
  memory.fill(weights, 0, 16);
  talk = TALK_NONE;
  signals = 0;
  isInQuotes = quotesStand;
  collect(INJECTION_RULES, begin, end, isStrict);
  if (isWide) collect(INJECTION_WIDE_RULES, begin, end, isStrict);
  if (talk == TALK_NONE && (signals & (1 << DISCUSSION)) != 0) talk = TALK_ABOUT;
  isRotated = (signals & (1 << ROTATED)) != 0;
  isReversed = (signals & (1 << REVERSED)) != 0;
  combine();
}

function collect(set: u32, begin: usize, end: usize, isStrict: bool): void {
  const found = matchAll(set, begin, end);
  count(<u32>(end - begin));
  if (found == 0) return;
  for (let i: u32 = 0; i < found; i++) {
    const meaning: u32 = load<u8>(meanings + ruleKind(matchRule(i)));
    if (meaning >= FAMILIES && meaning != NONE) signals |= (<u32>1) << meaning;
  }
  for (let i: u32 = 0; i < found; i++) {
    const rule = matchRule(i);
    const family: u32 = load<u8>(meanings + ruleKind(rule));
    if (family >= FAMILIES) continue;
    const full = <i32>ruleScore(rule);
    if (full <= load<i32>(weights + (family << 2))) continue;
    const quoted = isInQuotes || isQuoted(begin, matchStart(i), matchEnd(i), end);
    let less = lessFor(quoted);
    if (less >= TALKED_OF) talk = isStrict ? TALK_ABOUT : TALK_OF;
    // An article may quote an attack; one that was sent to be read by a model may also be one.
    if (isStrict) less >>= 1;
    const value = full - less;
    if (value > load<i32>(weights + (family << 2))) store<i32>(weights + (family << 2), value);
  }
}

function lessFor(quoted: bool): i32 {
  const discusses = (signals & (1 << DISCUSSION)) != 0;
  if (!quoted) return discusses ? TALKED_OF : 0;
  return discusses || (signals & (1 << MENTION)) != 0 ? QUOTED_AND_TALKED_OF : QUOTED;
}

/** Whether two quotation marks stand in the text. */
export function hasQuotes(begin: usize, end: usize): bool {
  let marks: u32 = 0;
  count(<u32>(end - begin));
  for (let p = begin; p < end; p++) {
    const byte: u32 = load<u8>(p);
    if ((byte == 0x22 || byte == 0x60) && ++marks == 2) return true;
  }
  return false;
}

/** Whether quotation marks stand around the match. */
function isQuoted(begin: usize, start: usize, stop: usize, end: usize): bool {
  const first = start - begin > QUOTE_BEFORE ? start - QUOTE_BEFORE : begin;
  // Marks of which none closes behind the match, the low five bits of each as a bit.
  let open: u32 = 0;
  count(<u32>(stop - first));
  // From the last byte of the match: a mark may open within it.
  for (let p = stop; p > first; p--) {
    const byte: u32 = load<u8>(p - 1);
    if (byte != 0x22 && byte != 0x27 && byte != 0x60) continue;
    // A mark behind a letter closes, or is an apostrophe.
    if (p - 1 > begin && isWord(load<u8>(p - 2))) {
      if (byte == 0x27) continue;
      return false;
    }
    const bit = (<u32>1) << (byte & 31);
    if ((open & bit) != 0) continue;
    if (closes(byte, stop, end)) return true;
    open |= bit;
  }
  return false;
}

function isWord(byte: u32): bool {
  return byte >= 0x80 || (classesOf(byte) & (LETTER | DIGIT)) != 0;
}

function closes(mark: u32, stop: usize, end: usize): bool {
  const last = end - stop > QUOTE_AFTER ? stop + QUOTE_AFTER : end;
  count(<u32>(last - stop));
  for (let p = stop; p < last; p++) {
    if (<u32>load<u8>(p) != mark) continue;
    if (mark == 0x27 && p + 1 < end && isWord(load<u8>(p + 1))) continue;
    return true;
  }
  return false;
}

/** The strongest family counts in full, the second by half, the third by a quarter. */
function combine(): void {
  let share: i32 = 0;
  weight = 0;
  while (share < 3) {
    let family: u32 = 0;
    for (let other: u32 = 1; other < FAMILIES; other++) {
      if (load<i32>(weights + (other << 2)) > load<i32>(weights + (family << 2))) family = other;
    }
    const value = load<i32>(weights + (family << 2));
    if (value <= 0) return;
    if (share == 0) strongest = kindOfFamily(family);
    weight = min(1000, weight + (value >> share));
    store<i32>(weights + (family << 2), 0);
    share++;
  }
}
