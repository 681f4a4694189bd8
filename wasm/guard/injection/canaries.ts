// Looks for the canaries of a request in what a model wrote: letters and digits alone, folded, so that spelling does not hide them.

import { firstChild, nextSibling, stringLength, stringPointer } from '../../common/json';
import { classesOf, DIGIT, LETTER } from '../normalise/characters';
import { FOLD_MAX, FOLDED_MAX, fold, foldedBegin, foldedEnd } from '../normalise/fold';
import { canaries } from '../request';
import { count } from '../text';

/** A request has no more. */
const CANARIES_MAX: u32 = 64;
/** Of each so many letters and digits are compared. */
const CANARY_BYTES: u32 = 64;
const kept: usize = memory.data(4096);
const lengths: usize = memory.data(256);
/** The last letters and digits of the sentences before, then those of the one that is compared. */
const compact: usize = memory.data(3136);
let wanted: u32 = 0;
/** How many of the sentences before there are: one less than a canary may have. */
let before: u32 = 0;

/** Whether there are any to look for. */
export function hasCanaries(): bool {
  return wanted > 0;
}

/** Reads the canaries of the request. */
export function prepareCanaries(): void {
  wanted = 0;
  before = 0;
  if (canaries == 0) return;
  for (let node = firstChild(canaries); node != 0; node = nextSibling(node)) {
    if (wanted == CANARIES_MAX) return;
    const begin: usize = stringPointer(node);
    fold(begin, begin + min<usize>(stringLength(node), FOLD_MAX));
    const length = squeeze(foldedBegin, foldedEnd, kept + wanted * CANARY_BYTES, CANARY_BYTES);
    if (length == 0) continue;
    store<u32>(lengths + (wanted << 2), length);
    wanted++;
  }
}

/** Writes the letters and digits of `[begin, end)`, at most `most` bytes; returns how many. */
function squeeze(begin: usize, end: usize, out: usize, most: u32): u32 {
  let length: u32 = 0;
  for (let p = begin; p < end && length < most; p++) {
    const byte: u32 = load<u8>(p);
    if (byte < 0x80 && (classesOf(byte) & (LETTER | DIGIT)) == 0) continue;
    store<u8>(out + length, byte);
    length++;
  }
  return length;
}

/** Whether a canary stands in the folded text. */
export function holdsCanary(begin: usize, end: usize): bool {
  if (wanted == 0) return false;
  const text = compact + CANARY_BYTES;
  return holdsAny(text, 0, squeeze(begin, end, text, FOLDED_MAX));
}

/**
 * Whether a canary ends in the sentence `[begin, end)`, at most FOLD_MAX bytes, wherever it began: what stands between
 * its letters may be longer than a window. Asked of each sentence, in order.
 */
export function endsCanary(begin: usize, end: usize): bool {
  if (wanted == 0) return false;
  fold(begin, end);
  const length = before + squeeze(foldedBegin, foldedEnd, compact + before, FOLDED_MAX);
  const isFound = holdsAny(compact, before, length);
  before = min(length, CANARY_BYTES - 1);
  memory.copy(compact, compact + length - before, before);
  return isFound;
}

/** Whether a canary ends behind the first `known` of the bytes. */
function holdsAny(text: usize, known: u32, length: u32): bool {
  count(length * (1 + wanted));
  for (let index: u32 = 0; index < wanted; index++) {
    const bytes = load<u32>(lengths + (index << 2));
    const from = known >= bytes ? known - bytes + 1 : 0;
    if (stands(kept + index * CANARY_BYTES, bytes, text + from, length - from)) return true;
  }
  return false;
}

function stands(canary: usize, bytes: u32, text: usize, length: u32): bool {
  const first: u32 = load<u8>(canary);
  for (let at: u32 = 0; at + bytes <= length; at++) {
    if (<u32>load<u8>(text + at) != first) continue;
    if (memory.compare(text + at, canary, bytes) == 0) return true;
  }
  return false;
}
