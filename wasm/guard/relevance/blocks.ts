// Cuts a text into blocks of about 40 words, by what has been read alone, and keeps the words of the last four: the
// window that is judged. A text in pieces is cut as the whole is.

import { addWord, closeSubject, openSubject } from './subject';
import { nextWord, wordHash } from './words';

/** Blocks of a window. */
export const BLOCKS: u32 = 4;
/** From so many bytes on a blank ends a block. */
const BLANK_FROM: usize = 208;
/** From so many bytes on any code point does: no block has more than 251 bytes. */
const CUT_FROM: usize = 248;
/** A word takes two bytes at least. */
const BLOCK_WORDS: u32 = 128;
const BLOCK: usize = 4 + 4 * BLOCK_WORDS;
/** Most distinct words of a window. */
export const WINDOW_WORDS: u32 = BLOCKS * BLOCK_WORDS;

const BEGIN: usize = 0;
const CLOSED: usize = 4;
const RING: usize = 8;

/** Begins at `begin`; `cutter` is where the state is kept, 2072 bytes. */
export function openBlocks(cutter: usize, begin: usize): void {
  store<usize>(cutter + BEGIN, begin);
  store<u32>(cutter + CLOSED, 0);
}

/** The text was moved down by `delta`. */
export function shiftBlocks(cutter: usize, delta: usize): void {
  store<usize>(cutter + BEGIN, load<usize>(cutter + BEGIN) - delta);
}

/** Where the open block begins. */
export function blockBegin(cutter: usize): usize {
  return load<usize>(cutter + BEGIN);
}

/** How many blocks were closed. */
export function blocksClosed(cutter: usize): u32 {
  return load<u32>(cutter + CLOSED);
}

/** Closes the open block, when the bytes up to `end` tell where it ends, and returns that place; or 0. */
export function closeBlock(cutter: usize, end: usize, last: bool): usize {
  const begin = blockBegin(cutter);
  let stop = begin + BLANK_FROM;
  while (stop < end && !endsBefore(load<u8>(stop), stop - begin)) stop++;
  if (stop >= end) {
    if (!last || begin == end) return 0;
    stop = end;
  }
  const closed = blocksClosed(cutter);
  const block = cutter + RING + <usize>(closed % BLOCKS) * BLOCK;
  let words: u32 = 0;
  for (let p = nextWord(begin, stop); p != 0; p = nextWord(p, stop)) {
    if (words == BLOCK_WORDS) break;
    store<u32>(block + 4 + ((<usize>words) << 2), wordHash);
    words++;
  }
  store<u32>(block, words);
  store<u32>(cutter + CLOSED, closed + 1);
  store<usize>(cutter + BEGIN, stop);
  return stop;
}

function endsBefore(byte: u32, length: usize): bool {
  if (length >= CUT_FROM) return (byte & 0xc0) != 0x80;
  return byte <= 0x20;
}

/** Makes the subject of the window: the last four blocks, or as many as there are. */
export function windowSubject(cutter: usize, subject: usize): void {
  openSubject(subject);
  const filled = min(blocksClosed(cutter), BLOCKS);
  for (let i: u32 = 0; i < filled; i++) {
    const block = cutter + RING + <usize>i * BLOCK;
    const words = load<u32>(block);
    for (let word: u32 = 0; word < words; word++) {
      addWord(subject, load<u32>(block + 4 + ((<usize>word) << 2)), WINDOW_WORDS);
    }
  }
  closeSubject(subject);
}
