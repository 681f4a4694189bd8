// Asks both sides and keeps what differs.
import type { JsonValue } from '../../../runtime/json.ts';
import { type AnswerShown, type FlipExample, Flips, flipName } from './flips.ts';
import { type Deciding, flipOf, Judge, type Verdict } from './judge.ts';
import { replaced, type Slot } from './slots.ts';

export interface Answers {
  old: Verdict;
  now: Verdict;
}

/** What stands in evidence in place of the input that was asked. */
export interface Recorded {
  sequence: number;
  /** Canonical JSON with committed fields. */
  committed: Uint8Array;
  /** Whether the input that was asked holds fields that were opened. */
  isOpened: boolean;
}

/** Both policies and the flips found so far. */
export class Comparison {
  readonly flips = new Flips();
  readonly #old: Judge;
  readonly #now: Judge;

  constructor(old: Deciding, now: Deciding) {
    this.#old = new Judge(old);
    this.#now = new Judge(now);
  }

  /** Asks a generated input: canonical JSON. */
  generated(boundary: string, canonical: Uint8Array): Answers {
    return this.#compare(boundary, canonical, undefined);
  }

  /** Asks the input of a recorded decision. */
  recorded(boundary: string, canonical: Uint8Array, recorded: Recorded): Answers {
    return this.#compare(boundary, canonical, recorded);
  }

  /**
   * Takes members away from the made-up examples of a boundary, the outer ones first, for as long as the
   * flip stays the same one, until the deadline (milliseconds since 1970).
   */
  shrink(
    boundary: string,
    slots: readonly Slot[],
    canonicalOf: (input: JsonValue) => Uint8Array,
    deadline = Infinity,
  ): void {
    const outerFirst = [...slots].sort((a, b) => a.path.length - b.path.length);
    for (const group of this.flips.groups.values()) {
      if (group.boundary !== boundary || group.example.sequence !== undefined) continue;
      let input = JSON.parse(group.example.input) as JsonValue;
      for (const { path } of outerFirst) {
        if (Date.now() > deadline) return;
        const canonical = canonicalOf(replaced(input, path, undefined));
        const old = this.#old.ask(boundary, canonical);
        const now = this.#now.ask(boundary, canonical);
        const kind = flipOf(old, now);
        if (kind === undefined || flipName(boundary, kind, old.rule, now.rule) !== group.name)
          continue;
        group.example = exampleOf(canonical, undefined, old, now);
        input = JSON.parse(group.example.input) as JsonValue;
      }
    }
  }

  #compare(boundary: string, canonical: Uint8Array, recorded: Recorded | undefined): Answers {
    const old = this.#old.ask(boundary, canonical);
    const now = this.#now.ask(boundary, canonical);
    const kind = flipOf(old, now);
    if (kind !== undefined) {
      const name = flipName(boundary, kind, old.rule, now.rule);
      this.flips.add({
        ...{ name, boundary, kind, from: old.rule, to: now.rule },
        ...{ generated: recorded ? 0 : 1, recorded: recorded ? 1 : 0 },
        example: exampleOf(canonical, recorded, old, now),
      });
    }
    return { old, now };
  }
}

function exampleOf(
  canonical: Uint8Array,
  recorded: Recorded | undefined,
  old: Verdict,
  now: Verdict,
): FlipExample {
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8');
  const answers = { old: shown(old), now: shown(now) };
  if (recorded === undefined) return { input: text(canonical), ...answers };
  return {
    input: text(recorded.committed),
    ...(recorded.isOpened ? { opened: text(canonical) } : {}),
    sequence: recorded.sequence,
    ...answers,
  };
}

function shown({ allow, rule, obligations }: Verdict): AnswerShown {
  return { allow, rule, obligations };
}
