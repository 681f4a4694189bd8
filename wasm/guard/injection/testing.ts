// What the tests of PromptInjection and InvisibleText share: the guard, text in pieces, and ways to hide a sentence.

import fc from 'fast-check';
import * as assert from 'uvu/assert';
import {
  Guard,
  type GuardFinding,
  type GuardOptions,
  type ScannerName,
} from '../../../runtime/modules/guard.ts';
import { moduleBytes } from '../../../runtime/modules/source.ts';

export const guardBytes = moduleBytes('guard');
export const guard = Guard.create(guardBytes);

/** The findings and the score when the text comes in pieces; none may begin before what was released. */
export function inPieces(
  pieces: readonly string[],
  options: GuardOptions,
): { findings: GuardFinding[]; scores: Partial<Record<ScannerName, number>> } {
  const stream = guard.stream(options);
  const findings: GuardFinding[] = [];
  let released = 0;
  let scores = {};
  for (const [index, piece] of pieces.entries()) {
    const answer = stream.push(piece, index === pieces.length - 1);
    for (const { start } of answer.findings) assert.ok(start >= released, `${start} < ${released}`);
    assert.ok(answer.released >= released);
    released = answer.released;
    scores = answer.scores;
    findings.push(...answer.findings);
  }
  const order = (a: GuardFinding, b: GuardFinding) =>
    a.start - b.start || a.end - b.end || (a.scanner + a.kind < b.scanner + b.kind ? -1 : 1);
  return { findings: findings.sort(order), scores };
}

/** Cuts a text between characters at the places given as fractions of 1000. */
export function cut(text: string, places: readonly number[]): string[] {
  const characters = [...text];
  const at = places.map((place) => Math.floor((place * characters.length) / 1000));
  at.sort((a, b) => a - b);
  return [0, ...at].map((from, index) => characters.slice(from, at[index]).join(''));
}

/** Places to cut at. */
export const places = fc.array(fc.nat(1000), { minLength: 1, maxLength: 12 });

/** A text spelled in tag characters, which there are for ASCII alone. */
export function tags(text: string): string {
  return [...text].map((c) => String.fromCodePoint(0xe0000 + (c.codePointAt(0)! & 0x7f))).join('');
}

/** A text spelled in variation selectors, a byte each. */
export function selectors(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => String.fromCodePoint(byte < 16 ? 0xfe00 + byte : 0xe0100 + byte - 16))
    .join('');
}

/** A text spelled in zero-width spaces and non-joiners, a bit each. */
export function zeroWidth(text: string): string {
  return [...Buffer.from(text)]
    .flatMap((byte) => [...byte.toString(2).padStart(8, '0')])
    .map((bit) => (bit === '0' ? '\u200b' : '\u200c'))
    .join('');
}

const base64 = (text: string) => Buffer.from(text).toString('base64');
const lookalikes: Record<string, string> = {
  a: 'а',
  e: 'е',
  o: 'о',
  p: 'р',
  c: 'с',
  i: 'і',
  s: 'ѕ',
};
const leet: Record<string, string> = { a: '4', e: '3', o: '0', i: '1', s: '5', t: '7' };

function replaced(text: string, table: Record<string, string>): string {
  return [...text].map((letter) => table[letter] ?? letter).join('');
}

function rotated(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const base = letter <= 'Z' ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
  });
}

/** Ways to encode a text so that a model still reads it; each may be done once more on what another made. */
export const encodings: Record<string, (text: string) => string> = {
  base64,
  hexadecimal: (text) => Buffer.from(text).toString('hex'),
  'percent signs': (text) =>
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  entities: (text) => [...text].map((c) => `&#${c.codePointAt(0)};`).join(''),
};

/** Ways to disguise the letters of a text. */
export const disguises: Record<string, (text: string) => string> = {
  'capital letters': (text) => text.toUpperCase(),
  accents: (text) => text.replace(/[aeiou]/g, (letter) => `${letter}\u0301`),
  'full width': (text) =>
    text.replace(/[a-z]/g, (c) => String.fromCodePoint(c.charCodeAt(0) + 0xfee0)),
  'look-alikes': (text) => replaced(text, lookalikes),
  leetspeak: (text) => replaced(text, leet),
  'zero-width spaces': (text) => text.replace(/(?<=[a-z])(?=[a-z])/g, '\u200b'),
  'soft hyphens': (text) => text.replace(/(?<=[a-z])(?=[a-z])/g, '\u00ad'),
  'letters apart': (text) =>
    text
      .split(' ')
      .map((word) => [...word].join('-'))
      .join(' '),
  'words tied': (text) => text.replaceAll(' ', '_'),
  'rotated by 13': rotated,
  backwards: (text) => [...text].reverse().join(''),
};
