// The class that each code point has in the patterns of the encodings, as a table of blocks.

/** A bit a class, as wasm/tokens/classes.ts reads them. Lm and Lo count as upper and as lower case. */
const CLASSES: readonly (readonly [RegExp, number])[] = [
  [/^[\p{Lu}\p{Lt}]$/u, 1],
  [/^\p{Ll}$/u, 2],
  [/^[\p{Lm}\p{Lo}]$/u, 4],
  [/^\p{M}$/u, 8],
  [/^\p{N}$/u, 16],
  [/^[\r\n]$/u, 32 | 64],
  [/^\s$/u, 32],
];
const CODE_POINTS = 0x110000;
/** Code points a block; equal blocks are kept once. */
const BLOCK = 64;

/** For each block of 64 code points a byte or two: which of the distinct blocks it is; then those blocks. */
export interface ClassTable {
  /** u16, one for each 64 code points. */
  index: Uint16Array;
  /** A byte for each code point of each distinct block. */
  blocks: Uint8Array;
}

/** The classes by the Unicode of this JavaScript engine, which is the one that js-tiktoken counts with. */
export function classTable(): ClassTable {
  const numbers = new Map<string, number>();
  const index = new Uint16Array(CODE_POINTS / BLOCK);
  const blocks: number[] = [];
  for (let start = 0; start < CODE_POINTS; start += BLOCK) {
    const block = Array.from({ length: BLOCK }, (_, i) => classOf(start + i));
    const key = block.join(',');
    let number = numbers.get(key);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(key, number);
      blocks.push(...block);
    }
    index[start / BLOCK] = number;
  }
  return { index, blocks: Uint8Array.from(blocks) };
}

function classOf(codePoint: number): number {
  // A surrogate is in none of the classes, and in no valid UTF-8.
  const character = String.fromCodePoint(codePoint);
  return CLASSES.find(([pattern]) => pattern.test(character))?.[1] ?? 0;
}
