// What is assumed of the input while one combination is looked at, and what was asked of it.
import type { Abstract, Verdict } from './abstract.ts';
import { textOf, type Value } from './values.ts';

/** What is assumed of one part of the input, or of one condition of the policy (`#<rule>`). */
export type Assumed =
  | { kind: 'is'; value: Value }
  | { kind: 'missing' }
  | { kind: 'not'; values: ReadonlySet<string>; present: boolean };

/** One combination: a set of inputs, described by what holds for some of their parts. */
export class Combination {
  readonly assumed: ReadonlyMap<string, Assumed>;
  /** Parts that are there because a part below them is. */
  readonly #present = new Set<string>();

  constructor(assumed: ReadonlyMap<string, Assumed> = new Map()) {
    this.assumed = assumed;
    for (const [pointer, what] of assumed) {
      if (pointer.startsWith('#') || what.kind === 'missing') continue;
      if (what.kind === 'not' && !what.present) continue;
      for (
        let end = pointer.length;
        end >= 0;
        end = end === 0 ? -1 : pointer.lastIndexOf('/', end - 1)
      ) {
        this.#present.add(pointer.slice(0, end));
      }
    }
  }

  isPresent(pointer: string): boolean {
    return this.#present.has(pointer);
  }

  with(pointer: string, assumed: Assumed): Combination {
    return new Combination(new Map(this.assumed).set(pointer, assumed));
  }

  /** Splits by `pointer`: one combination for each value, one for the rest. Nothing is left out. */
  *split(pointer: string, wanted: Wanted): Generator<Combination> {
    const before = this.assumed.get(pointer);
    const out = new Set(before?.kind === 'not' ? before.values : []);
    for (const [text, value] of wanted.values) {
      if (out.has(text)) continue;
      out.add(text);
      yield this.with(pointer, { kind: 'is', value });
    }
    const present = before?.kind === 'not' && before.present;
    if (wanted.missing && !present) {
      yield this.with(pointer, { kind: 'missing' });
      yield this.with(pointer, { kind: 'not', values: out, present: true });
    } else {
      yield this.with(pointer, { kind: 'not', values: out, present });
    }
  }

  /** True when nothing is assumed of conditions of the policy, which may exclude each other. */
  isOfInputs(): boolean {
    return ![...this.assumed.keys()].some((pointer) => pointer.startsWith('#'));
  }

  /** The combination in words, for people. */
  describe(): string {
    const parts: string[] = [];
    for (const [pointer, what] of this.assumed) {
      if (pointer.startsWith('#')) continue;
      if (what.kind === 'is') parts.push(`${pointer} = ${textOf(what.value).slice(0, 200)}`);
      else if (what.kind === 'missing') parts.push(`${pointer} is missing`);
      else parts.push(`${pointer} is any other value`);
    }
    return parts.length === 0 ? 'any input' : parts.join(', ');
  }
}

/** What it would help to know of one part of the input. */
export interface Wanted {
  values: Map<string, Value>;
  missing: boolean;
}

/** What an evaluation depended on, would have liked to know, and could not decide. */
export class Trace {
  readonly read = new Map<string, { assumed: Assumed | undefined; present: boolean }>();
  readonly wanted = new Map<string, Wanted>();
  /** Expressions that may be true, and why nothing better is known of them. */
  readonly doubts = new Map<object, string>();

  want(pointer: string, value?: Value): void {
    let wanted = this.wanted.get(pointer);
    if (wanted === undefined) {
      wanted = { values: new Map(), missing: false };
      this.wanted.set(pointer, wanted);
    }
    if (value === undefined) wanted.missing = true;
    else wanted.values.set(textOf(value), value);
  }

  /** Takes over what another evaluation saw. */
  add(other: Trace): void {
    for (const [pointer, read] of other.read) this.read.set(pointer, read);
    for (const [pointer, { values, missing }] of other.wanted) {
      if (missing) this.want(pointer);
      for (const value of values.values()) this.want(pointer, value);
    }
    for (const [expression, why] of other.doubts) this.doubts.set(expression, why);
  }

  /** True while everything that was read is assumed as it was. */
  holdsIn(combination: Combination): boolean {
    for (const [pointer, { assumed, present }] of this.read) {
      if (combination.assumed.get(pointer) !== assumed) return false;
      if (combination.isPresent(pointer) !== present) return false;
    }
    return true;
  }
}

/** Reads the input of one combination. */
export class Input {
  readonly combination: Combination;
  trace = new Trace();

  constructor(combination: Combination) {
    this.combination = combination;
  }

  assumed(pointer: string): Assumed | undefined {
    const assumed = this.combination.assumed.get(pointer);
    this.trace.read.set(pointer, { assumed, present: this.combination.isPresent(pointer) });
    return assumed;
  }

  /** The value at a pointer: whether it is there at all, and surely. */
  at(pointer: string): { value: Abstract; sure: boolean } | undefined {
    const assumed = this.assumed(pointer);
    if (assumed?.kind === 'missing') return undefined;
    if (assumed?.kind === 'is')
      return { value: { kind: 'known', value: assumed.value }, sure: true };
    const sure = this.combination.isPresent(pointer);
    if (!sure) this.trace.want(pointer);
    return { value: { kind: 'input', pointer }, sure };
  }

  /** Whether the part at a pointer, which is there, equals a value. */
  equals(pointer: string, value: Value): Verdict {
    const assumed = this.assumed(pointer);
    if (assumed?.kind === 'not' && assumed.values.has(textOf(value))) return 'no';
    this.trace.want(pointer, value);
    return 'maybe';
  }
}
