// Compiles the words that say what a number is (context.ts of wasm/guard/pii) into the section PII_WORDS.

import { readFileSync } from 'node:fs';
import { phoneWords } from './pii-phone-words.ts';
import { words } from './pii-vocabulary.ts';

const HEADER = 16;
const ENTRY = 16;
/** Calling codes that languages with a word in common have at most, and the 0 at the end. */
const REGIONS = 48;

const kinds = kindNumbers();
const first = kinds.get('FIRST_KIND')!;

/** The numbers of the kinds, from the one place where they stand. */
function kindNumbers(): Map<string, number> {
  const source = readFileSync(new URL('../pii/kinds.ts', import.meta.url), 'utf8');
  return new Map(
    [...source.matchAll(/export const ([A-Z_]+): u32 = (\d+);/g)].map(([, name, number]) => [
      name!,
      Number(number),
    ]),
  );
}

function kindBit(name: string): bigint {
  const kind = kinds.get(name.toUpperCase());
  if (kind === undefined || kind - first > 63) throw new Error(`${name} is no kind`);
  return 1n << BigInt(kind - first);
}

/** FNV-1a of the bytes of one word, ASCII letters as small ones. */
function hashWord(word: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(word)) {
    const folded = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
    hash = Math.imul(hash ^ folded, 0x01000193) >>> 0;
  }
  return hash;
}

/** The hash of a phrase of at most three words, joined from the left. */
function hashPhrase(parts: readonly string[]): number {
  if (parts.length > 3) throw new Error(`${parts.join(' ')} is more than three words`);
  return parts
    .map(hashWord)
    .reduce(
      (before, word) => Math.imul(((before << 5) | (before >>> 27)) ^ word, 0x01000193) >>> 0,
    );
}

/** The words as the scanner cuts them: a character of Chinese, Japanese or Korean is one, and the first three do. */
function cut(phrase: string): string[] {
  const characters = phrase.match(/[\u3000-\ud7ff]/g);
  return characters?.slice(0, 3) ?? phrase.match(/[A-Za-z\u00c0-\u1fff]+/g) ?? [];
}

/** A phrase in capitals too, and without its accents: people write both. */
function spellings(phrase: string): Set<string> {
  const plain = phrase
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC');
  const both = [phrase, plain];
  return new Set([...both, ...both.map((spelling) => spelling.toUpperCase())]);
}

interface Entry {
  kinds: bigint;
  /** The groups of telephone words that have the phrase. */
  languages: Set<number>;
}

function entries(): Map<number, Entry> {
  const found = new Map<number, Entry>();
  function add(phrase: string, bits: bigint, language?: number): void {
    for (const spelling of spellings(phrase)) {
      const hash = hashPhrase(cut(spelling));
      const entry = found.get(hash) ?? { kinds: 0n, languages: new Set() };
      entry.kinds |= bits;
      if (language !== undefined) entry.languages.add(language);
      found.set(hash, entry);
    }
  }
  for (const [kind, phrases] of Object.entries(words)) {
    for (const phrase of phrases) add(phrase, kindBit(kind));
  }
  phoneWords.forEach((group, index) => {
    for (const phrase of group.words) add(phrase, kindBit('phone'), index);
  });
  return found;
}

/** The calling codes of each set of languages that share a word; number 1 is the one that hints at no country. */
class Regions {
  readonly lists: (readonly number[])[] = [[], []];
  readonly #numbers = new Map<string, number>();

  /** 0 for no telephone word. */
  number(languages: ReadonlySet<number>): number {
    if (languages.size === 0) return 0;
    if (languages.has(0)) return 1;
    const codes = [...new Set([...languages].flatMap((index) => phoneWords[index]!.codes))];
    const key = codes.join();
    const number = this.#numbers.get(key) ?? this.lists.push(codes) - 1;
    this.#numbers.set(key, number);
    return number;
  }
}

/**
 * The section: how many slots there are (u32, a power of two), where the calling codes of the languages begin and
 * how many bytes each language has (u32 each); from byte 16 on the slots: hash (u32, 0 for free), language (u32),
 * kinds (u64, a bit each). A hash is looked for from its own slot on until a free one.
 */
export function build(): Uint8Array {
  const found = entries();
  let slots = 16;
  while (slots < found.size * 1.5) slots *= 2;
  const regionsAt = HEADER + slots * ENTRY;
  const regions = new Regions();
  const numbered = [...found].map(
    ([hash, { kinds, languages }]) => [hash, kinds, regions.number(languages)] as const,
  );
  const bytes = new Uint8Array(regionsAt + regions.lists.length * REGIONS * 2);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, slots, true);
  view.setUint32(4, regionsAt, true);
  view.setUint32(8, REGIONS * 2, true);
  for (const [hash, kinds, language] of numbered) {
    let slot = hash & (slots - 1);
    while (view.getUint32(HEADER + slot * ENTRY, true) !== 0) slot = (slot + 1) & (slots - 1);
    view.setUint32(HEADER + slot * ENTRY, hash, true);
    view.setUint32(HEADER + slot * ENTRY + 4, language, true);
    view.setBigUint64(HEADER + slot * ENTRY + 8, kinds, true);
  }
  regions.lists.forEach((codes, number) => {
    if (codes.length >= REGIONS) throw new Error('languages with more calling codes than fit');
    codes.forEach((code, place) => {
      view.setUint16(regionsAt + (number * REGIONS + place) * 2, code, true);
    });
  });
  return bytes;
}
