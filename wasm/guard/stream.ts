// A text that comes in pieces: a buffer of what is not judged yet, with what matchers look back at.

import { clearFindings, earliest, setBase } from './findings';
import { TEXT_MAX } from './request';
import { advanceAll, shiftAll } from './scan';

/** How far a scanner may look back behind what it holds. */
const LOOK_BACK: u32 = 256;
/** Most bytes that are judged at once. */
const PIECE_MAX: u32 = 16 * 1024;
/** Most bytes that the scanners may hold: a contract with them, not with the text. */
const HELD_MAX: u32 = 64 * 1024;
/** What the buffer holds at most: held bytes, a piece, and what is looked back at before it is moved down. */
export const BUFFER_BYTES: u32 = 2 * HELD_MAX + PIECE_MAX;

let buffer: u32 = 0;
let end: u32 = 0;
/** How many bytes of the text were moved out of the buffer. */
let gone: u32 = 0;
let released: u32 = 0;

/** How many bytes of the text may be shown. */
export function streamReleased(): u32 {
  return released;
}

/** Begins a new text in `BUFFER_BYTES` at `memory`. */
export function openStream(memory: u32): void {
  buffer = memory;
  end = memory;
  gone = 0;
  released = 0;
  setBase(buffer);
}

/** Judges the next bytes; false when the text becomes too long. Forgets the findings of the push before. */
export function pushStream(pointer: u32, length: u32, last: bool): bool {
  if (<u64>gone + (end - buffer) + length > TEXT_MAX) return false;
  clearFindings();
  let from = pointer;
  const to = pointer + length;
  do {
    let piece = min(to, from + PIECE_MAX);
    // A code point stays whole.
    while (piece < to && piece > from && (load<u8>(piece) & 0xc0) == 0x80) piece--;
    memory.copy(end, from, piece - from);
    end += piece - from;
    from = piece;
    const held = <u32>advanceAll(buffer, end, last && from == to);
    if (held < buffer || held > end || end - held > HELD_MAX) unreachable();
    released = max(released, min(held - buffer + gone, earliest));
    makeRoom(held);
  } while (from < to);
  return true;
}

/** Moves down what is still needed, once the buffer is half full. */
function makeRoom(held: u32): void {
  if (held < buffer + LOOK_BACK || end - buffer < HELD_MAX) return;
  let from = held - LOOK_BACK;
  while ((load<u8>(from) & 0xc0) == 0x80) from--;
  const delta = from - buffer;
  memory.copy(buffer, from, end - from);
  end -= delta;
  gone += delta;
  setBase(buffer - gone);
  shiftAll(delta);
}
