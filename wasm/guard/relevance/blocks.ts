// Cuts a text into blocks of about 40 words, by what has been read alone, and keeps the words of the last four: the
// window that is judged. A text in pieces is cut as the whole is.

import { addWord, closeSubject, openSubject, sumsOf } from './subject';
import { addSums, addVector, entryOf, NUMBERS, weightOf } from './vectors';
import { nextWord, wordHash } from './words';

/** Blocks of a window. */
export const BLOCKS: u32 = 4;
/** From so many bytes on a blank ends a block. */
const BLANK_FROM: usize = 208;
/** From so many bytes on any code point does: no block has more than 251 bytes. */
const CUT_FROM: usize = 248;
/** A word takes two bytes at least. */
const BLOCK_WORDS: u32 = 128;
/** How many words there are, the sum of their vectors, and of each word its hash, weight and whether it is known. */
const SUMS: usize = 16;
const LIST: usize = SUMS + 4 * NUMBERS;
const LISTED: usize = 8;
const BLOCK: usize = LIST + LISTED * BLOCK_WORDS;
const KNOWN: u32 = 0x100;

const BEGIN: usize = 0;
const CLOSED: usize = 4;
const RING: usize = 16;

/** Begins at `begin`; `cutter` is where the state is kept, 4688 bytes. */
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
  readBlock(block, begin, stop);
  store<u32>(cutter + CLOSED, closed + 1);
  store<usize>(cutter + BEGIN, stop);
  return stop;
}

function readBlock(block: usize, begin: usize, end: usize): void {
  memory.fill(block, 0, LIST);
  let words: u32 = 0;
  for (let p = nextWord(begin, end); p != 0 && words < BLOCK_WORDS; p = nextWord(p, end)) {
    const entry = entryOf(wordHash);
    if (entry != 0) addVector(entry, block + SUMS);
    const place = block + LIST + <usize>words * LISTED;
    store<u32>(place, wordHash);
    store<u32>(place, entry == 0 ? weightOf(entry) : KNOWN | weightOf(entry), 4);
    words++;
  }
  store<u32>(block, words);
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
    addSums(sumsOf(subject), block + SUMS);
    const words = load<u32>(block);
    for (let word: u32 = 0; word < words; word++) {
      const place = block + LIST + <usize>word * LISTED;
      const known = load<u32>(place, 4);
      addWord(subject, load<u32>(place), known & 0xff, known >= KNOWN);
    }
  }
  closeSubject(subject);
}
