// The texts that a model is trained on: the training sets without what is nearly held out, and what we write ourselves.

import { textsOf } from './extract.ts';
import { generate, pick, random } from './generate.ts';
import { HeldOut } from './near-duplicates.ts';
import type { TextSet } from './sets.ts';

/** One text to train on. */
export interface Example {
  text: string;
  /** 1 for what is to be found. */
  label: 0 | 1;
  /** The name of its set. */
  set: string;
  /** Set aside to calibrate on. */
  aside: boolean;
}

/** What became of one set, for the report. */
export interface SetCount {
  name: string;
  package: string;
  texts: number;
  /** How many were left out as nearly the same as a held-out text. */
  near: number;
}

/** Texts that we write ourselves. */
export interface OwnTexts {
  attack: string[];
  benign: string[];
}

export interface Corpus {
  examples: Example[];
  counts: SetCount[];
}

/** One text in ten is set aside, by its content, so that the choice does not move with the order. */
function isAside(text: string): boolean {
  let value = 0;
  for (const character of text) value = (Math.imul(value, 31) + character.codePointAt(0)!) >>> 0;
  return value % 10 === 0;
}

const positive = new Set(['attack', 'toxic']);

/** The examples of a scanner's sets and of our own texts `own`. */
export function corpusOf(sets: readonly TextSet[], own: OwnTexts): Corpus {
  const held = new HeldOut(sets.filter(({ use }) => use === 'test').flatMap(textsOf));
  const examples: Example[] = [];
  const counts: SetCount[] = [];
  const add = (name: string, from: string, texts: string[], label: 0 | 1, aside = false) => {
    const kept = texts.filter((text) => !held.has(text));
    counts.push({ name, package: from, texts: kept.length, near: texts.length - kept.length });
    for (const text of kept)
      examples.push({ text, label, set: name, aside: aside || isAside(text) });
  };
  for (const set of sets.filter(({ use }) => use !== 'test')) {
    const label = positive.has(set.label) ? 1 : 0;
    add(set.name, set.package, textsOf(set), label, set.use === 'calibrate');
  }
  add('attacks of our own', 'scripts/guard/phrases.yaml', own.attack, 1);
  add('harmless look-alikes of our own', 'scripts/guard/phrases*.yaml', own.benign, 0);
  return { examples, counts };
}

/** A slip of a typist: a letter dropped, doubled or exchanged with the next. */
function slip(text: string, next: () => number): string {
  const at = 1 + Math.floor(next() * Math.max(1, text.length - 2));
  const [a = '', b = ''] = [text[at], text[at + 1]];
  const changed = pick([b, a + a + b, b + a], next);
  return text.slice(0, at) + changed + text.slice(at + 2);
}

/** Texts of our own: as generated, some with slips, some beside a harmless sentence. */
function own(phrases: string, seed: number, english: number, others: number): OwnTexts {
  const { attack, benign } = generate(phrases, seed, english, others);
  const next = random(seed + 1);
  const more = attack.flatMap((text) => {
    const roll = next();
    if (roll < 0.1) return [slip(text, next)];
    if (roll < 0.2) return [slip(slip(text, next), next)];
    if (roll < 0.3) return [`${pick(benign, next)} ${text}`];
    if (roll < 0.35) return [`${text} ${pick(benign, next)}`];
    return [];
  });
  const slips = benign.flatMap((text) => (next() < 0.15 ? [slip(text, next)] : []));
  return { attack: [...attack, ...more], benign: [...benign, ...slips] };
}

/** Our own texts for PromptInjection. */
export function ownInjection(seed: number): OwnTexts {
  const { attack, benign } = own('phrases.yaml', seed, 14000, 500);
  // What else looks like an attack must outweigh the attacks, or threshold and recall cannot both be had.
  const harmless = generate('phrases-harmless.yaml', seed, 16000, 500).benign;
  return { attack, benign: [...benign, ...harmless] };
}

/** Our own texts for Toxicity. */
export function ownToxicity(seed: number): OwnTexts {
  return own('phrases-toxicity.yaml', seed, 8000, 300);
}
