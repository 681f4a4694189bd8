// The token module: how many tokens a text is in cl100k_base or o200k_base, whichever tables are linked in.

import { alloc, mark, release } from '../common/arena';
import { INPUT_TOO_LARGE, OK } from '../common/errors';
import { textError, validUtf8 } from '../common/text';
import { beginOutput, writeU32 } from '../common/writer';
import { mergedCount } from './merge';
import { openPieces, pieceEnd } from './pieces';
import { NONE, rankOf } from './vocabulary';

export { output, outputLength, reserve } from '../common/abi';

/** The longest text that is counted, in bytes; a longer one is refused. */
const TEXT_MAX: u32 = 4 * 1024 * 1024;
/** Rows of eight bytes are read up to this far behind the text. */
const READ_BEHIND: u32 = 8;

/**
 * Counts the tokens of UTF-8 text and writes the number in decimal. Names of special tokens in the text count
 * as the text that they are. Returns an error number for text that is no UTF-8 or longer than 4 MiB.
 */
export function count(pointer: u32, length: u32): i32 {
  if (length > TEXT_MAX) return INPUT_TOO_LARGE;
  if (!validUtf8(pointer, length)) return textError;
  const before = mark();
  alloc(READ_BEHIND);
  const end = pointer + length;
  openPieces(end);
  let tokens: u32 = 0;
  for (let p = pointer; p < end; ) {
    const next = pieceEnd(p);
    tokens += rankOf(p, next - p) != NONE ? 1 : mergedCount(p, next - p);
    p = next;
  }
  release(before);
  beginOutput();
  writeU32(tokens);
  return OK;
}
