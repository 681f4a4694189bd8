// Proves from a rule's automaton that every match holds one of its keywords, and how far from its beginning.
import { type Automaton, buildAutomaton } from './automaton.ts';
import { type ByteSet, Op, type Program } from './program.ts';

/** Bytes from the beginning of a match to the end of the first keyword in it. */
export interface KeywordReach {
  least: number;
  /** Infinity where there is no bound. */
  most: number;
}

/** More pairs of states than this are not looked at: the rule then counts as one that cannot be shown. */
const PAIRS_MAX = 2_000_000;

/**
 * How far the first keyword ends from a match's beginning; undefined when a match without a keyword cannot be ruled
 * out. All that the pattern and the keywords can read together is followed; assertions count as if they held.
 */
export function keywordReach(
  program: Program,
  keywords: readonly Uint8Array[],
): KeywordReach | undefined {
  return new Product(program, buildAutomaton(keywords)).reach();
}

/** Pairs of an instruction that reads and a state of the keywords' automaton, none of them found yet. */
class Product {
  readonly #program: Program;
  readonly #automaton: Automaton;
  readonly #closures = new Map<number, readonly number[]>();
  readonly #letters = new Map<ByteSet, readonly number[]>();

  constructor(program: Program, automaton: Automaton) {
    this.#program = program;
    this.#automaton = automaton;
  }

  reach(): KeywordReach | undefined {
    const states = this.#automaton.next.length;
    if (this.#program.instructions.length * states > PAIRS_MAX) return undefined;
    const starts = this.#closure(this.#program.start);
    if (starts === undefined) return undefined;
    const least = this.#shortest(starts.map((instruction) => instruction * states));
    if (least === undefined) return undefined;
    return { least, most: this.#longest(starts.map((instruction) => instruction * states)) };
  }

  /** The instructions that read and follow without reading; undefined when a match can end. */
  #closure(from: number): readonly number[] | undefined {
    const known = this.#closures.get(from);
    if (known !== undefined) return known[0] === -1 ? undefined : known;
    const seen = new Set([from]);
    const reading: number[] = [];
    for (const at of seen) {
      const instruction = this.#program.instructions[at]!;
      if (instruction.op === Op.match) {
        this.#closures.set(from, [-1]);
        return undefined;
      }
      if (instruction.op === Op.set) reading.push(at);
      else if (instruction.op !== Op.fail) {
        seen.add(instruction.x);
        if (instruction.op === Op.split) seen.add(instruction.y);
      }
    }
    this.#closures.set(from, reading);
    return reading;
  }

  /** The classes of the keywords' automaton that a set of bytes has. */
  #lettersOf(bytes: ByteSet): readonly number[] {
    const known = this.#letters.get(bytes);
    if (known !== undefined) return known;
    const bits = Buffer.from(bytes, 'hex');
    const letters = new Set<number>();
    for (let byte = 0; byte < 256; byte++) {
      if ((bits[byte >> 3]! >> (byte & 7)) & 1) letters.add(this.#automaton.classes[byte]!);
    }
    this.#letters.set(bytes, [...letters]);
    return this.#letters.get(bytes)!;
  }

  /** The pairs behind one, -1 for one with a keyword found; undefined when a match without one can end. */
  #behind(pair: number): number[] | undefined {
    const states = this.#automaton.next.length;
    const instruction = this.#program.instructions[Math.floor(pair / states)]!;
    if (instruction.op !== Op.set) throw new Error('this instruction reads nothing');
    const targets = new Set<number>();
    for (const letter of this.#lettersOf(instruction.bytes)) {
      targets.add(this.#automaton.next[pair % states]![letter]!);
    }
    const pairs: number[] = [];
    for (const target of targets) {
      if (this.#automaton.found[target]!.length > 0) {
        pairs.push(-1);
        continue;
      }
      const reading = this.#closure(instruction.x);
      if (reading === undefined) return undefined;
      for (const next of reading) pairs.push(next * states + target);
    }
    return pairs;
  }

  /** The fewest bytes to a keyword, after all pairs were seen; undefined when there is a match without one. */
  #shortest(starts: readonly number[]): number | undefined {
    const seen = new Set(starts);
    let least: number | undefined;
    let level = [...seen];
    for (let length = 1; level.length > 0; length++) {
      const following: number[] = [];
      for (const pair of level) {
        const pairs = this.#behind(pair);
        if (pairs === undefined) return undefined;
        for (const next of pairs) {
          if (next === -1) least ??= length;
          else if (!seen.has(next)) {
            seen.add(next);
            following.push(next);
          }
        }
      }
      level = following;
    }
    return least ?? 1;
  }

  /** The most bytes to a keyword, by depth first search; Infinity when pairs lead back to themselves. */
  #longest(starts: readonly number[]): number {
    const open = new Set<number>();
    const lengths = new Map<number, number>();
    for (const start of starts) {
      const path = [{ pair: start, next: this.#behind(start)!, index: 0, most: 0 }];
      if (lengths.has(start)) continue;
      open.add(start);
      while (path.length > 0) {
        const top = path.at(-1)!;
        const next = top.next[top.index++];
        if (next === undefined) {
          path.pop();
          open.delete(top.pair);
          lengths.set(top.pair, top.most);
          const above = path.at(-1);
          if (above !== undefined) above.most = Math.max(above.most, top.most + 1);
        } else if (next === -1) top.most = Math.max(top.most, 1);
        else if (open.has(next)) return Infinity;
        else if (lengths.has(next)) top.most = Math.max(top.most, lengths.get(next)! + 1);
        else {
          open.add(next);
          path.push({ pair: next, next: this.#behind(next)!, index: 0, most: 0 });
        }
      }
    }
    return Math.max(1, ...starts.map((start) => lengths.get(start)!));
  }
}
