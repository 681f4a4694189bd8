// Asks both sides and keeps what differs.

import { type AnswerShown, type FlipExample, Flips, flipName } from './flips.ts';
import { type Deciding, flipOf, Judge, type Verdict } from './judge.ts';

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
