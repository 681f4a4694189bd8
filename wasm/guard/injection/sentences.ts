// Cuts text into sentences by what has been read so far alone, so that a text in pieces is cut as the whole is.

import { BASE64, classesOf } from '../normalise/characters';

/** Fewest bytes of a sentence, so that lines of a word or a letter each stand together. */
const SENTENCE_MIN: usize = 48;
/** Most bytes of a sentence: a window is two of them, and what stands before the open one is kept by the frame. */
export const SENTENCE_MAX: usize = 252;
/** From so many bytes on a space ends a sentence. */
const SPACE_FROM: usize = 208;
/** From so many bytes on anything does, but for the last characters of a group of four or of a wide character. */
const CUT_FROM: usize = 248;
/** From so many digits on a run of base64 is cut between groups of four only. */
const RUN_FROM: usize = 16;

/** Where the open sentence begins. */
export let sentenceBegin: usize = 0;
/** The next byte to look at. */
let cursor: usize = 0;
/** How many digits of base64 stand right before the cursor. */
let run: usize = 0;
/** Whether the sentence may end where the next word begins. */
let isStop: bool = false;
/** Whether the last byte was a full stop, question mark or exclamation mark, which count with a space after them. */
let afterStop: bool = false;
/** The last three bytes from 0x80 on. */
let wide: u32 = 0;

/** Begins to cut the text at `begin`. */
export function openSentences(begin: usize): void {
  cursor = begin;
  run = 0;
  afterStop = false;
  wide = 0;
  closeSentence(begin);
}

/** The text was moved down by `delta`. */
export function shiftSentences(delta: usize): void {
  sentenceBegin -= delta;
  cursor -= delta;
}

/** Begins the next sentence at `end`, which `nextSentence` returned. */
export function closeSentence(end: usize): void {
  sentenceBegin = end;
  isStop = false;
}

/** Where the open sentence ends; 0 when the bytes up to `end` do not tell. */
export function nextSentence(end: usize): usize {
  for (; cursor < end; cursor++) {
    const byte: u32 = load<u8>(cursor);
    if (endsBefore(byte, cursor - sentenceBegin)) return cursor;
    read(byte);
  }
  return 0;
}

function isSpace(byte: u32): bool {
  return byte == 0x20 || (byte >= 9 && byte <= 13);
}

/** Whether the sentence of `length` bytes ends before `byte`. */
function endsBefore(byte: u32, length: usize): bool {
  if (length < SENTENCE_MIN || (byte & 0xc0) == 0x80) return false;
  if (length >= CUT_FROM) {
    return run < RUN_FROM || (run & 3) == 0 || (classesOf(byte) & BASE64) == 0;
  }
  if (isSpace(byte)) return length >= SPACE_FROM;
  return isStop;
}

function read(byte: u32): void {
  run = (classesOf(byte) & BASE64) != 0 ? run + 1 : 0;
  if (byte >= 0x80) {
    afterStop = false;
    wide = ((wide << 8) | byte) & 0xffffff;
    // The full stop, exclamation and question mark of Chinese and Japanese, the danda, the Arabic question mark.
    isStop = wide == 0xe38082 || wide == 0xefbc81 || wide == 0xefbc9f || wide == 0xe0a5a4;
    if ((wide & 0xffff) == 0xd89f) isStop = true;
    return;
  }
  if (isSpace(byte)) {
    if (afterStop || byte == 10) isStop = true;
    return;
  }
  isStop = false;
  afterStop = byte == 0x2e || byte == 0x21 || byte == 0x3f;
}
