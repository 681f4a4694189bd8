// Writes training texts of our own from phrases*.yaml: what is to be found, and harmless look-alikes.

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

interface Language {
  attack?: string[];
  benign: string[];
  slots?: Record<string, string[]>;
}

/** A generator of numbers in [0,1) that gives the same ones for the same seed (mulberry32). */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** One of a list. */
export function pick<T>(list: readonly T[], next: () => number): T {
  return list[Math.floor(next() * list.length)]!;
}

/** The parts of `a|b[c|d]|e`, split at the outer bars. */
function alternatives(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '[') depth++;
    else if (text[i] === ']') depth--;
    else if (text[i] === '|' && depth === 0) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  return [...parts, text.slice(start)];
}

function closing(text: string, open: number): number {
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    if (text[i] === '[') depth++;
    else if (text[i] === ']' && --depth === 0) return i;
  }
  return -1;
}

/** One text of a template: choices taken, slots filled. A bracket without a bar stands for itself. */
export function expand(
  template: string,
  slots: Record<string, string[]>,
  next: () => number,
  depth = 0,
): string {
  if (depth > 24) throw new Error(`a slot names itself: ${template}`);
  let out = '';
  for (let i = 0; i < template.length; i++) {
    const character = template[i]!;
    if (character === '[') {
      const stop = closing(template, i);
      const inner = alternatives(template.slice(i + 1, stop));
      if (stop < 0) out += character;
      else {
        const chosen = expand(pick(inner, next), slots, next, depth + 1);
        out += inner.length > 1 ? chosen : `[${chosen}]`;
        i = stop;
      }
      continue;
    }
    const slot = character === '{' ? /^\{(\w+)\}/.exec(template.slice(i)) : null;
    const name = slot?.[1] ?? '';
    const lower = name.slice(0, 1).toLowerCase() + name.slice(1);
    if (slot === null || slots[lower] === undefined) {
      out += character;
      continue;
    }
    const filled = expand(pick(slots[lower], next), slots, next, depth + 1);
    out += lower === name ? filled : filled.slice(0, 1).toUpperCase() + filled.slice(1);
    i += slot[0].length - 1;
  }
  return out;
}

/** Texts of a file of phrases: `attack` and `benign`, each `english` texts in English and `others` in each other language; a file may have no `attack`. */
export function generate(
  phrases: string,
  seed: number,
  english: number,
  others: number,
): { attack: string[]; benign: string[] } {
  const file = readFileSync(new URL(phrases, import.meta.url), 'utf8');
  const languages = parse(file) as Record<string, Language>;
  const next = random(seed);
  const attack = new Set<string>();
  const benign = new Set<string>();
  for (const [name, language] of Object.entries(languages)) {
    const count = name === 'en' ? english : others;
    const slots = language.slots ?? {};
    for (let i = 0; i < count; i++) {
      if (language.attack !== undefined)
        attack.add(expand(pick(language.attack, next), slots, next));
      benign.add(expand(pick(language.benign, next), slots, next));
    }
  }
  return { attack: [...attack], benign: [...benign] };
}
