// Compiles the tree of a pattern to a nondeterministic automaton over bytes (Thompson), preferred ways first.

import { type Edge, utf8Edges } from './program-utf8.ts';
import type { Assertion, Tree } from './re2.ts';
import type { Ranges } from './re2-class.ts';
import { PatternError } from './rules-error.ts';

/** The instructions, as wasm/guard/engine/program.ts runs them. */
export const Op = { set: 1, split: 2, assert: 3, save: 4, match: 5, fail: 6 } as const;

export type Instruction =
  /** Reads a byte of the set. */
  | { op: typeof Op.set; bytes: ByteSet; x: number }
  /** Goes on at both, `x` is preferred. */
  | { op: typeof Op.split; x: number; y: number }
  | { op: typeof Op.assert; what: number; x: number }
  /** Keeps the place: slot 0 is where the finding begins, slot 1 where it ends. */
  | { op: typeof Op.save; slot: number; x: number }
  | { op: typeof Op.match }
  | { op: typeof Op.fail };

/** A bit for each byte, as a string of 64 hexadecimal digits, so that equal sets are equal strings. */
export type ByteSet = string;

export interface Program {
  instructions: Instruction[];
  start: number;
}

/** The numbers of assertions that the engine knows. */
const ASSERTIONS: Record<Assertion, number> = {
  begin: 0,
  end: 1,
  lineBegin: 2,
  lineEnd: 3,
  word: 4,
  notWord: 5,
};

/** An automaton has at most so many instructions. */
export const INSTRUCTIONS_MAX = 12_000;
/** In a loosened automaton repetitions count no further. */
const LOOSE_LEAST = 64;
const LOOSE_MOST = 8;

export interface ProgramOptions {
  /** The group whose place is kept; none without it. */
  group?: number;
  /**
   * Lets long repetitions repeat without an end: matches all that the pattern does and more, with fewer states for
   * the deterministic automaton that only says whether to look closer.
   */
  loose?: boolean;
}

/** @throws PatternError when the repetitions unfold to too much */
export function compileTree(tree: Tree, options: ProgramOptions = {}): Program {
  const builder = new Builder(options);
  const start = builder.tree(tree, builder.put({ op: Op.match }));
  return { instructions: builder.instructions, start };
}

/** An automaton that finds any of the words of ASCII, whatever their case: what words share is read once. */
export function compileWords(words: readonly string[]): Program {
  const builder = new Builder({});
  const match = builder.put({ op: Op.match });
  const start = builder.words(new Set(words.map((word) => word.toLowerCase())), match);
  return { instructions: builder.instructions, start };
}

/** The set of the bytes for which the test holds. */
export function byteSet(test: (byte: number) => boolean): ByteSet {
  const bytes = new Uint8Array(32);
  for (let byte = 0; byte < 256; byte++) {
    if (test(byte)) bytes[byte >> 3]! |= 1 << (byte & 7);
  }
  return Buffer.from(bytes).toString('hex');
}

class Builder {
  readonly instructions: Instruction[] = [];
  readonly #options: ProgramOptions;
  /** What reads one set of bytes and goes on at one place is kept once: alternatives that end alike share their ends. */
  readonly #reading = new Map<string, number>();

  constructor(options: ProgramOptions) {
    this.#options = options;
  }

  put(instruction: Instruction): number {
    if (instruction.op !== Op.set) return this.#append(instruction);
    const key = `${instruction.bytes} ${instruction.x}`;
    const known = this.#reading.get(key) ?? this.#append(instruction);
    this.#reading.set(key, known);
    return known;
  }

  #append(instruction: Instruction): number {
    if (this.instructions.length >= INSTRUCTIONS_MAX) {
      throw new PatternError(
        `its repetitions unfold to more than ${INSTRUCTIONS_MAX} states: make them shorter`,
        0,
      );
    }
    return this.instructions.push(instruction) - 1;
  }

  /** Compiles what matches the tree and then goes on at `next`; returns where it begins. */
  tree(tree: Tree, next: number): number {
    switch (tree.kind) {
      case 'empty':
        return next;
      case 'set':
        return this.#set(tree.ranges, next);
      case 'assert':
        return this.put({ op: Op.assert, what: ASSERTIONS[tree.what], x: next });
      case 'concat':
        return tree.items.reduceRight((after, item) => this.tree(item, after), next);
      case 'either': {
        const starts = tree.items.map((item) => this.tree(item, next));
        return starts.reduceRight((y, x) => this.put({ op: Op.split, x, y }));
      }
      case 'group':
        return this.#group(tree.item, tree.index, next);
      case 'repeat':
        return this.#repeat(tree, next);
    }
  }

  #set(ranges: Ranges, next: number): number {
    // Repetitions compile the same tree again and again.
    const edges = edgesOf.get(ranges) ?? utf8Edges(ranges);
    edgesOf.set(ranges, edges);
    return this.#edges(edges, next, new Map());
  }

  #group(item: Tree, index: number, next: number): number {
    if (index !== this.#options.group) return this.tree(item, next);
    const end = this.put({ op: Op.save, slot: 1, x: next });
    return this.put({ op: Op.save, slot: 0, x: this.tree(item, end) });
  }

  #split(preferred: number, other: number, lazy: boolean): number {
    const [x, y] = lazy ? [other, preferred] : [preferred, other];
    return this.put({ op: Op.split, x, y });
  }

  #repeat(tree: Tree & { kind: 'repeat' }, next: number): number {
    const { item, lazy } = tree;
    let { least, most } = tree;
    if (this.#options.loose && most > LOOSE_MOST) {
      least = Math.min(least, LOOSE_LEAST);
      most = Infinity;
    }
    let after = next;
    if (most === Infinity) {
      after = this.#loop(item, lazy, next, least === 0);
      least = Math.max(0, least - 1);
    } else {
      for (let times = least; times < most; times++) {
        after = this.#split(this.tree(item, after), next, lazy);
      }
    }
    for (let times = 0; times < least; times++) after = this.tree(item, after);
    return after;
  }

  /** x+, or x* as (x+)?: where x may match nothing, that decides what is preferred, as in Go (golang.org/issue/46123). */
  #loop(item: Tree, lazy: boolean, next: number, optional: boolean): number {
    const back = this.put({ op: Op.split, x: next, y: next });
    const body = this.tree(item, back);
    this.instructions[back] = {
      op: Op.split,
      ...(lazy ? { x: next, y: body } : { x: body, y: next }),
    };
    if (!optional) return body;
    return isNullable(item) ? this.#split(body, next, lazy) : back;
  }

  #edges(edges: readonly Edge[], next: number, known: Map<readonly Edge[], number>): number {
    const before = known.get(edges);
    if (before !== undefined) return before;
    if (edges.length > 0 && edges.every((edge) => edge.next === undefined)) {
      const start = this.put({ op: Op.set, bytes: bytesOf(edges), x: next });
      known.set(edges, start);
      return start;
    }
    const byTarget = new Map<number, Edge[]>();
    for (const edge of edges) {
      const target = edge.next === undefined ? next : this.#edges(edge.next, next, known);
      byTarget.set(target, [...(byTarget.get(target) ?? []), edge]);
    }
    const starts = [...byTarget].map(([x, group]) => {
      return this.put({ op: Op.set, bytes: bytesOf(group), x });
    });
    if (starts.length === 0) starts.push(this.put({ op: Op.fail }));
    const start = starts.reduceRight((y, x) => this.put({ op: Op.split, x, y }));
    known.set(edges, start);
    return start;
  }

  words(words: ReadonlySet<string>, match: number): number {
    if (words.has('')) return match;
    const tails = new Map<string, Set<string>>();
    for (const word of words) {
      const known = tails.get(word[0]!) ?? new Set();
      tails.set(word[0]!, known.add(word.slice(1)));
    }
    const starts = [...tails].map(([letter, rest]) => {
      const wanted = [letter.charCodeAt(0), letter.toUpperCase().charCodeAt(0)];
      const bytes = byteSet((byte) => wanted.includes(byte));
      return this.put({ op: Op.set, bytes, x: this.words(rest, match) });
    });
    return starts.reduceRight((y, x) => this.put({ op: Op.split, x, y }));
  }
}

const edgesOf = new WeakMap<Ranges, Edge[]>();
const known = new Map<string, ByteSet>();

/** The first bytes of edges. */
function bytesOf(edges: readonly Edge[]): ByteSet {
  const key = edges.map(({ low, high }) => (low << 8) | high).join();
  const before = known.get(key);
  if (before !== undefined) return before;
  const bytes = byteSet((byte) => edges.some(({ low, high }) => low <= byte && byte <= high));
  known.set(key, bytes);
  return bytes;
}

/** Whether the tree can match nothing. */
export function isNullable(tree: Tree): boolean {
  return lengths(tree).least === 0;
}

/** The fewest and the most bytes that the tree matches. */
export function lengths(tree: Tree): { least: number; most: number } {
  switch (tree.kind) {
    case 'empty':
    case 'assert':
      return { least: 0, most: 0 };
    case 'set': {
      const { ranges } = tree;
      if (ranges.length === 0) return { least: 1, most: 1 };
      return { least: utf8Length(ranges[0]![0]), most: utf8Length(ranges.at(-1)![1]) };
    }
    case 'group':
      return lengths(tree.item);
    case 'repeat': {
      const { least, most } = lengths(tree.item);
      return {
        least: least * tree.least,
        most: most === 0 ? 0 : tree.most === 0 ? 0 : most * tree.most,
      };
    }
    case 'concat': {
      const all = tree.items.map(lengths);
      return {
        least: all.reduce((sum, { least }) => sum + least, 0),
        most: all.reduce((sum, { most }) => sum + most, 0),
      };
    }
    case 'either': {
      const all = tree.items.map(lengths);
      return {
        least: Math.min(...all.map(({ least }) => least)),
        most: Math.max(...all.map(({ most }) => most)),
      };
    }
  }
}

function utf8Length(point: number): number {
  return point <= 0x7f ? 1 : point <= 0x7ff ? 2 : point <= 0xffff ? 3 : 4;
}
