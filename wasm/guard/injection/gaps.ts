// Keeps what stands before a gap, so that the words of an attack are not torn apart by more spaces than a window has bytes.

import { FOLD_MAX, fold, foldedBegin, foldedEnd } from '../normalise/fold';
import { count } from '../text';
import { SENTENCE_MAX } from './sentences';

/** A sentence with fewer bytes once it is folded is a gap. */
const GAP_BELOW: usize = 24;
const CARRIED_MAX: usize = FOLD_MAX - SENTENCE_MAX - 1;

/** Where the window begins that `joinCarried` makes. */
export const joinedBegin: usize = memory.data(512);
/** Where it ends. */
export let joinedEnd: usize = joinedBegin;
/** How many bytes are kept of what stands before the gap and within it. */
let carried: usize = 0;

/** Forgets what was kept. */
export function dropCarried(): void {
  carried = 0;
}

/** Whether the sentence before was a gap. */
export function hasCarried(): bool {
  return carried > 0;
}

/** Makes one window of what was kept and the sentence `[begin, end)`. */
export function joinCarried(begin: usize, end: usize): void {
  const to = joinedBegin + carried;
  store<u8>(to, 0x20);
  memory.copy(to + 1, begin, end - begin);
  joinedEnd = to + 1 + (end - begin);
}

/** Takes note of the sentence `[from, end)`, before which `[begin, from)` was judged with it: keeps both if it is a gap. */
export function noteGap(begin: usize, from: usize, end: usize): void {
  if (!isGap(from, end)) {
    carried = 0;
    return;
  }
  if (carried == 0) keep(begin, from);
  keep(from, end);
}

function isGap(begin: usize, end: usize): bool {
  let visible: usize = 0;
  for (let p = begin; p < end; p++) {
    const byte: u32 = load<u8>(p);
    if (byte > 0x20 && byte < 0x7f && ++visible == GAP_BELOW) {
      count(<u32>(p - begin));
      return false;
    }
  }
  fold(begin, end);
  count(<u32>(end - begin));
  return foldedEnd - foldedBegin < GAP_BELOW;
}

/** Appends the folded text, and lets go of the oldest bytes for which there is no room. */
function keep(begin: usize, end: usize): void {
  fold(begin, end);
  const length = min(foldedEnd - foldedBegin, CARRIED_MAX - 1);
  if (length == 0) return;
  const room = CARRIED_MAX - 1 - length;
  if (carried > room) {
    memory.copy(joinedBegin, joinedBegin + carried - room, room);
    carried = room;
  }
  if (carried > 0) store<u8>(joinedBegin + carried++, 0x20);
  memory.copy(joinedBegin + carried, foldedEnd - length, length);
  carried += length;
  let broken: usize = 0;
  while (broken < carried && (load<u8>(joinedBegin + broken) & 0xc0) == 0x80) broken++;
  carried -= broken;
  memory.copy(joinedBegin, joinedBegin + broken, carried);
}
