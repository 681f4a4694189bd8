// Splits text as the patterns of the encodings do: where the piece that begins at a place ends. Every branch of
// a pattern is tried in the pattern's order; the comments name the branch. No character is looked at more than
// a few times.

import {
  classAt,
  LETTER,
  LINE,
  LOWER,
  lengthAt,
  MARK,
  NUMBER,
  OTHER_LETTER,
  patternNumber,
  SPACE,
  UPPER,
} from './classes';

const EITHER_CASE: u32 = OTHER_LETTER | MARK;
const UPPERS: u32 = UPPER | EITHER_CASE;
const LOWERS: u32 = LOWER | EITHER_CASE;

const isO200k: bool = patternNumber() == 1;
let end: u32 = 0;

/** Sets where the text ends. */
export function openPieces(textEnd: u32): void {
  end = textEnd;
}

/** The end of the piece that begins at `p`, which is before the text's end. */
export function pieceEnd(p: u32): u32 {
  const first = classAt(p);
  if ((first & NUMBER) != 0) return numberEnd(p);
  const word = isO200k ? casedWordEnd(p, first) : wordEnd(p, first);
  if (word != 0) return word;
  const signs = signsEnd(p, first);
  return signs != 0 ? signs : blanksEnd(p);
}

/** The end of the code points of a class of `mask` from `p` on. */
function runEnd(p: u32, mask: u32): u32 {
  let q = p;
  while (q < end && (classAt(q) & mask) != 0) q += lengthAt(q);
  return q;
}

/** `\p{N}{1,3}` */
function numberEnd(p: u32): u32 {
  let q = p + lengthAt(p);
  for (let i = 0; i < 2 && q < end && (classAt(q) & NUMBER) != 0; i++) q += lengthAt(q);
  return q;
}

/** `'s|'t|'re|'ve|'m|'ll|'d` in either case of ASCII; 0 when none stands there. */
function contractionEnd(p: u32): u32 {
  if (p + 1 >= end || load<u8>(p) != 0x27) return 0;
  const first = <u32>load<u8>(p, 1) | 0x20;
  if (first == 0x73 || first == 0x74 || first == 0x6d || first == 0x64) return p + 2;
  if (p + 2 >= end) return 0;
  const second = <u32>load<u8>(p, 2) | 0x20;
  const isPair =
    ((first == 0x72 || first == 0x76) && second == 0x65) || (first == 0x6c && second == 0x6c);
  return isPair ? p + 3 : 0;
}

/** Whether `[^\r\n\p{L}\p{N}]?` takes a code point of this class. */
function leads(first: u32): bool {
  return (first & (LINE | LETTER | NUMBER)) == 0;
}

/** cl100k: a contraction, or `[^\r\n\p{L}\p{N}]?\p{L}+`; 0 when neither. */
function wordEnd(p: u32, first: u32): u32 {
  if ((first & LETTER) != 0) return runEnd(p, LETTER);
  const contraction = contractionEnd(p);
  if (contraction != 0) return contraction;
  if (!leads(first)) return 0;
  const from = p + lengthAt(p);
  const to = runEnd(from, LETTER);
  return to > from ? to : 0;
}

/** o200k: the first two branches, each with the leading character and then without it; 0 when none. */
function casedWordEnd(p: u32, first: u32): u32 {
  const behind = leads(first) ? p + lengthAt(p) : 0;
  let stop = behind != 0 ? lowerEnd(behind) : 0;
  if (stop == 0) stop = lowerEnd(p);
  if (stop == 0 && behind != 0) stop = upperEnd(behind);
  if (stop == 0) stop = upperEnd(p);
  if (stop == 0) return 0;
  const contraction = contractionEnd(stop);
  return contraction != 0 ? contraction : stop;
}

/**
 * `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+` from `p`; 0 when it does not match. The first
 * part gives back what the second needs: all behind the last character that may be of either case.
 */
function lowerEnd(p: u32): u32 {
  let q = p;
  let either: u32 = 0;
  while (q < end) {
    const kind = classAt(q);
    if ((kind & UPPERS) == 0) break;
    q += lengthAt(q);
    if ((kind & EITHER_CASE) != 0) either = q;
  }
  const to = runEnd(q, LOWERS);
  return to > q ? to : either;
}

/** `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+`: what would follow in lower case is a match of `lowerEnd`. */
function upperEnd(p: u32): u32 {
  const to = runEnd(p, UPPERS);
  return to > p ? to : 0;
}

/** ` ?[^\s\p{L}\p{N}]+[\r\n]*`, with `/` among the line breaks for o200k; 0 when it does not match. */
function signsEnd(p: u32, first: u32): u32 {
  const from = load<u8>(p) == 0x20 ? p + 1 : p;
  if (from == p && (first & SPACE) != 0) return 0;
  let q = from;
  while (q < end && (classAt(q) & (SPACE | LETTER | NUMBER)) == 0) q += lengthAt(q);
  if (q == from) return 0;
  while (q < end && isBreak(load<u8>(q))) q++;
  return q;
}

function isBreak(byte: u32): bool {
  return byte == 0x0a || byte == 0x0d || (isO200k && byte == 0x2f);
}

/** `\s*[\r\n]+|\s+(?!\S)|\s+` */
function blanksEnd(p: u32): u32 {
  let lastLine: u32 = 0;
  let last = p;
  let q = p;
  while (q < end) {
    const kind = classAt(q);
    if ((kind & SPACE) == 0) break;
    last = q;
    q += lengthAt(q);
    if ((kind & LINE) != 0) lastLine = q;
  }
  if (lastLine != 0) return lastLine;
  // A blank before something else belongs to what follows, unless it is the only one.
  return q < end && last > p ? last : q;
}
