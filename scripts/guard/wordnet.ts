// Reads WordNet's database into texts of words that belong together: each meaning with its definition and relatives.
// https://wordnet.princeton.edu/documentation/wndb5wn

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FILES = [
  ['n', 'data.noun'],
  ['v', 'data.verb'],
  ['a', 'data.adj'],
  ['r', 'data.adv'],
] as const;
/** Narrower meanings of one meaning that are taken along. */
const NARROWER_MAX = 30;

/** One meaning: the words that have it, its definition with examples, and how others relate to it. */
export interface Meaning {
  words: string;
  definition: string;
  relatives: { relation: string; meaning: string }[];
}

/** All meanings by part of speech and offset. */
export function readWordNet(folder: string): Map<string, Meaning> {
  const meanings = new Map<string, Meaning>();
  for (const [part, file] of FILES) {
    for (const line of readFileSync(join(folder, 'dict', file), 'utf8').split('\n')) {
      // The licence stands before the data, each line after two blanks.
      if (line === '' || line.startsWith('  ')) continue;
      const [data = '', definition = ''] = line.split(' | ');
      const fields = data.split(' ');
      const count = Number.parseInt(fields[3]!, 16);
      const words = Array.from({ length: count }, (_, i) => fields[4 + 2 * i]!);
      const first = 4 + 2 * count;
      const relatives = Array.from({ length: Number(fields[first]) }, (_, i) => {
        const [relation, offset, of] = fields.slice(first + 1 + 4 * i);
        return { relation: relation!, meaning: `${of}${offset}` };
      });
      const text = words.join(' ').replaceAll(/_|\([a-z]+\)/g, ' ');
      meanings.set(`${part}${fields[0]}`, { words: text, definition, relatives });
    }
  }
  return meanings;
}

/** A text and how much it counts. */
export type Weighted = [text: string, weight: number];

/** For each meaning what belongs to it, and for each field of knowledge each of its meanings once more. */
export function* gatherings(meanings: ReadonlyMap<string, Meaning>): Generator<Weighted[]> {
  for (const { words, definition, relatives } of meanings.values()) {
    const texts: Weighted[] = [
      [words, 1],
      [definition, 1],
    ];
    let narrower = 0;
    for (const { relation, meaning } of relatives) {
      const other = meanings.get(meaning);
      if (other === undefined) continue;
      if (relation.startsWith('@')) texts.push([other.words, 0.7], [other.definition, 0.3]);
      else if (relation.startsWith(';')) texts.push([other.words, 1]);
      else if (relation === '~') {
        if (narrower++ < NARROWER_MAX) texts.push([other.words, 0.4]);
      } else if (!relation.startsWith('-') && !relation.startsWith('!') && relation !== '~i')
        texts.push([other.words, 0.7]);
    }
    yield texts;
    const members = relatives.filter(({ relation }) => relation === '-c');
    if (members.length < 3) continue;
    for (const { meaning } of members) {
      const member = meanings.get(meaning);
      if (member !== undefined)
        yield [
          [words, 1],
          [member.words, 1],
          [member.definition, 0.7],
        ];
    }
  }
}
