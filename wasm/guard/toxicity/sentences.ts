// Cuts text into sentences of bounded length for the toxicity model, by what has been read so far alone.

/** Fewest bytes of a sentence, so that a word alone joins what follows. */
const SENTENCE_MIN: usize = 24;
/** From so many bytes on a space ends a sentence. */
const SPACE_FROM: usize = 320;
/** From so many bytes on anything does, but for the inner bytes of a character. */
export const SENTENCE_MAX: usize = 400;

/** Where the open sentence begins. */
export let sentenceBegin: usize = 0;
let cursor: usize = 0;
/** Whether the byte before the cursor ends a sentence when a space follows. */
let afterStop: bool = false;
/** Whether the sentence may end where the next word begins. */
let isStop: bool = false;
/** The last three bytes from 0x80 on. */
let wide: u32 = 0;

/** Begins to cut the text at `begin`. */
export function openSentences(begin: usize): void {
  cursor = begin;
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
  afterStop = false;
  isStop = false;
}

/** Where the open sentence ends; 0 when the bytes up to `end` do not tell. */
export function nextSentence(end: usize): usize {
  for (; cursor < end; cursor++) {
    const byte: u32 = load<u8>(cursor);
    const isInner = (byte & 0xc0) == 0x80;
    const isSpace = byte == 0x20 || (byte >= 9 && byte <= 13);
    const length = cursor - sentenceBegin;
    if (!isInner && length >= SENTENCE_MIN) {
      if (length >= SENTENCE_MAX || (isSpace && length >= SPACE_FROM)) return cursor;
      if (isStop && !isSpace) return cursor;
    }
    read(byte, isSpace);
  }
  return 0;
}

function read(byte: u32, isSpace: bool): void {
  if (byte >= 0x80) {
    wide = ((wide << 8) | byte) & 0xffffff;
    // The full stop, exclamation and question mark of Chinese and Japanese, the danda.
    isStop = wide == 0xe38082 || wide == 0xefbc81 || wide == 0xefbc9f || wide == 0xe0a5a4;
    afterStop = false;
    return;
  }
  if (isSpace) {
    if (afterStop || byte == 10) isStop = true;
    return;
  }
  isStop = false;
  afterStop = byte == 0x2e || byte == 0x21 || byte == 0x3f;
}
