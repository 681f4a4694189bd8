// Walks all matches of a program in a text that do not overlap, as Go's FindAll does.

import { alloc } from '../../common/arena';
import { canCapture, find } from '../../regex/regex';
import { Failure, stop } from '../failure';
import { lengthOf, textOf } from '../value';
import { runeAt, runeBytes } from './utf8';

let program: u32 = 0;
let text: u32 = 0;
let length: u32 = 0;
let slots: u32 = 0;
let slotCount: u32 = 0;
let left: u32 = 0;
let position: u32 = 0;
/** Where the match before ended, or more than any end. */
let lastEnd: u32 = 0;

/**
 * Begins to walk at most `most` matches (below 0: all) of a program in a string value, with the first `count`
 * slots of each (see `find`). One walk at a time.
 */
export function beginMatches(compiled: u32, string: u32, most: i64, count: u32): void {
  // Only a pattern of very many groups needs more memory than there is.
  if (!canCapture(compiled, count)) stop(Failure.Memory);
  program = compiled;
  text = textOf(string);
  length = lengthOf(string);
  slotCount = count;
  slots = alloc(count * 4);
  left = most < 0 || most > <i64>length ? length + 1 : <u32>most;
  position = 0;
  lastEnd = u32.MAX_VALUE;
}

/** Steps to the next match; false when there is none. */
export function nextMatch(): bool {
  while (left > 0 && position <= length) {
    if (!find(program, text, length, position, slotCount, slots)) return false;
    let accepted = true;
    if (matchEnd() == position) {
      // No empty match right behind another one.
      accepted = matchStart() != lastEnd;
      position += widthAt(position);
    } else {
      position = matchEnd();
    }
    lastEnd = matchEnd();
    if (!accepted) continue;
    left--;
    return true;
  }
  return false;
}

/** Bytes of the character at an offset, 1 at the end. */
function widthAt(offset: u32): u32 {
  if (offset >= length) return 1;
  runeAt(text + offset, text + length);
  return runeBytes;
}

/** The offset in the text at which the present match begins. */
export function matchStart(): u32 {
  return load<u32>(slots);
}

/** The offset in the text at which the present match ends. */
export function matchEnd(): u32 {
  return load<u32>(slots, 4);
}

/** A slot of the present match. */
export function matchSlot(slot: u32): u32 {
  return load<u32>(slots + slot * 4);
}
