// Makes the tables of the token counters from js-tiktoken's ranks: a module for each encoding.
import type { TiktokenBPE } from 'js-tiktoken/lite';
import cl100k from 'js-tiktoken/ranks/cl100k_base';
import o200k from 'js-tiktoken/ranks/o200k_base';
import { classTable } from './classes.ts';
import { tokensOf } from './ranks.ts';

/** Which pattern splits the text; wasm/tokens/index.ts knows both. */
const Pattern = { Cl100k: 0, O200k: 1 } as const;

const ENCODINGS: readonly { name: string; ranks: TiktokenBPE; pattern: number }[] = [
  { name: 'tokens-cl100k', ranks: cl100k, pattern: Pattern.Cl100k },
  { name: 'tokens-o200k', ranks: o200k, pattern: Pattern.O200k },
];

/** The patterns that wasm/tokens was written after; another release of js-tiktoken must not slip by. */
const CONTRACTIONS = "('s|'S|'t|'T|'re|'rE|'Re|'RE|'ve|'vE|'Ve|'VE|'m|'M|'ll|'lL|'Ll|'LL|'d|'D)";
const UPPER = '[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]';
const LOWER = '[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]';
const LEADING = '[^\\r\\n\\p{L}\\p{N}]?';
const BLANKS = '\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';
const PATTERNS = [
  `${CONTRACTIONS}|${LEADING}\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|${BLANKS}`,
  `${LEADING}${UPPER}*${LOWER}+${CONTRACTIONS}?|${LEADING}${UPPER}+${LOWER}*${CONTRACTIONS}?` +
    `|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|${BLANKS}`,
];

/** The modules that are built from wasm/tokens, each with its tables. */
export function tokenModules(): { name: string; tables: Uint8Array }[] {
  return ENCODINGS.map(({ name, ranks, pattern }) => {
    if (ranks.pat_str !== PATTERNS[pattern]) throw new Error(`${name} has another pattern`);
    return { name, tables: tables(pattern, tokensOf(ranks.bpe_ranks)) };
  });
}

/**
 * Six u32: pattern, number of tokens, then where each part begins, from the start of the tables: class index, class
 * blocks, lengths of the tokens (u8), bytes of the tokens; both in the order of rank. Little endian.
 */
function tables(pattern: number, tokens: readonly Uint8Array[]): Uint8Array {
  const { index, blocks } = classTable();
  const parts = [
    new Uint8Array(index.buffer),
    blocks,
    Uint8Array.from(tokens, ({ length }) => length),
    Buffer.concat(tokens),
  ];
  const header = new Uint32Array(6);
  header.set([pattern, tokens.length]);
  let at = header.byteLength;
  parts.forEach((part, i) => {
    header[2 + i] = at;
    at += part.length;
  });
  return Buffer.concat([new Uint8Array(header.buffer), ...parts]);
}
