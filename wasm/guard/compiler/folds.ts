// Compiles the folding tables of the normaliser: what each code point is when case, accents and look-alikes do not count.

import confusables from 'unhomoglyph/data.json' with { type: 'json' };

/** Code points per page of a table. */
const PAGE = 32;
/** Tables cover the planes 0 and 1. */
const LIMIT = 0x20000;
/** Entries below this are one ASCII character, 0 means that a code point stays as it is. */
const DROP = 1;
const SEQUENCES_FROM = 128;
/** No folded sequence is longer, in bytes: it bounds how much a text can grow. */
const SEQUENCE_MAX = 12;

/** Marks that writing can do without: accents, Arabic and Hebrew points, Indic nuktas; no vowel signs of Indic scripts. */
const MARKS =
  /[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u093c\u09bc\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/gu;

/** Code points that show nothing (the tatweel only lengthens a line). */
const INVISIBLE =
  /^[\p{Default_Ignorable_Code_Point}\u0640\u202a-\u202e\u2066-\u2069\ufff0-\ufffb]$/u;

const SPACE = /^[\s\u0085\u1680\u180e\u2800\u3000]$/u;

/** What compatibility decomposition leaves alone although it is a Latin letter or a mark of ASCII to the eye. */
const SPECIAL: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ł: 'l',
  ŧ: 't',
  þ: 'th',
  ς: 'σ',
  ƒ: 'f',
  ɑ: 'a',
  ɡ: 'g',
  '\u2019': "'",
  '\u02bc': "'",
  '\u2044': '/',
  '\u2215': '/',
  '\u3002': '.',
  '\uff61': '.',
  '\u0964': '.',
  '\u06d4': '.',
  '\u3001': ',',
  '\u060c': ',',
  '\u061f': '?',
  '\u061b': ';',
  '\u30fb': ' ',
};

function range(letters: string, first: number): [string, string][] {
  return [...letters].map((letter, index) => [String.fromCodePoint(first + index), letter]);
}

function each(characters: string, letter: string): [string, string][] {
  return [...characters].map((character) => [character, letter]);
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz';

const special = new Map<string, string>([
  ...Object.entries(SPECIAL),
  ...each('“”„‟«»″「」『』《》〈〉', '"'),
  ...each('‘‚‛‹›′´', "'"),
  ...each('‐‑‒–—―−⁃', '-'),
  ...each('•·∙⋅●▪', ' '),
  // Small capitals, letters in black circles and squares, and the letters that flags are spelled with.
  ...[...'ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡxʏᴢ'].map((c, i): [string, string] => [c, alphabet[i]!]),
  ...range(alphabet, 0x1f150),
  ...range(alphabet, 0x1f170),
  ...range(alphabet, 0x1f1e6),
]);

/** A character with case, accents and presentation folded away, `''` for one that shows nothing. */
export function fold(character: string): string {
  if (special.has(character)) return special.get(character)!;
  if (SPACE.test(character)) return ' ';
  if (INVISIBLE.test(character)) return '';
  // Single letters of Korean decompose to parts that no syllable is composed from again.
  if (/^[\u3131-\u318e\uffa0-\uffdc]$/u.test(character)) return character;
  const bare = character.normalize('NFKD').toLowerCase().normalize('NFKD').replace(MARKS, '');
  const plain = [...bare].map((part) => special.get(part) ?? part).join('');
  return plain.normalize('NFKC').replace(/\s+/gu, ' ');
}

/** The ASCII letter or digit that a character is easily taken for; undefined for none. */
export function lookalike(character: string): string | undefined {
  const table = confusables as Record<string, string>;
  for (const form of [fold(character), character]) {
    const target = table[form];
    if (target === undefined) continue;
    const letter = fold(target);
    if (/^[a-z0-9]$/.test(letter)) return letter;
  }
  return undefined;
}

/** Pages with equal contents are kept once; the first page is the empty one. */
class Pages {
  readonly index: number[] = [];
  readonly pages: number[][] = [];
  readonly #seen = new Map<string, number>();

  add(page: number[]): void {
    const key = page.join();
    let number = this.#seen.get(key);
    if (number === undefined) {
      number = this.pages.length;
      this.pages.push(page);
      this.#seen.set(key, number);
    }
    this.index.push(number);
  }
}

/** Folded sequences: a length byte and UTF-8, each kept once. */
class Sequences {
  readonly bytes: number[] = [];
  readonly #seen = new Map<string, number>();

  /** The entry for a folded text. */
  entry(folded: string): number {
    if (folded === '') return DROP;
    if (folded.length === 1 && folded < '\u0080') return folded.charCodeAt(0);
    const known = this.#seen.get(folded);
    if (known !== undefined) return known;
    const utf8 = Buffer.from(folded);
    const entry = SEQUENCES_FROM + this.bytes.length;
    if (entry > 0xffff) throw new Error('the folded sequences take more than 64 KiB');
    this.bytes.push(utf8.length, ...utf8);
    this.#seen.set(folded, entry);
    return entry;
  }
}

function isCharacter(code: number): boolean {
  return code >= 0x80 && (code < 0xd800 || code > 0xdfff);
}

function foldEntry(code: number, sequences: Sequences): number {
  if (!isCharacter(code)) return 0;
  const character = String.fromCodePoint(code);
  const folded = fold(character);
  if (folded === character || Buffer.byteLength(folded) > SEQUENCE_MAX) return 0;
  return sequences.entry(folded);
}

function lookalikeEntry(code: number): number {
  if (!isCharacter(code)) return 0;
  return lookalike(String.fromCodePoint(code))?.charCodeAt(0) ?? 0;
}

/**
 * The section FOLDS: four 32-bit offsets (folds' pages, look-alikes' index, look-alikes' pages, sequences),
 * the index of the folds (a 16-bit page number for each 64 code points), pages of 16-bit entries, the
 * second index, pages of 8-bit ASCII letters, sequences. An entry is 0 (stays), 1 (is dropped), an ASCII
 * character, or 128 and the offset of a sequence.
 */
export function build(): Uint8Array {
  const sequences = new Sequences();
  const folds = new Pages();
  const letters = new Pages();
  for (let first = 0; first < LIMIT; first += PAGE) {
    const codes = Array.from({ length: PAGE }, (_, index) => first + index);
    folds.add(codes.map((code) => foldEntry(code, sequences)));
    letters.add(codes.map(lookalikeEntry));
  }
  const parts = [
    new Uint8Array(new Uint16Array(folds.index).buffer),
    new Uint8Array(new Uint16Array(folds.pages.flat()).buffer),
    new Uint8Array(new Uint16Array(letters.index).buffer),
    Uint8Array.from(letters.pages.flat()),
    Uint8Array.from(sequences.bytes),
  ];
  const offsets = [16];
  for (const part of parts) offsets.push(offsets.at(-1)! + part.length);
  return Buffer.concat([new Uint8Array(new Uint32Array(offsets.slice(1, 5)).buffer), ...parts]);
}
