// Compiles libphonenumber's metadata into the section PHONES: which national numbers exist, for each calling code.

import { createRequire } from 'node:module';
import { closure, type DigitAutomaton, digitAutomaton, step } from './digits.ts';

/** A country's entry as libphonenumber-js keeps it: calling code, general pattern at 2, its lengths at 3, the national prefix at 5, the patterns of each type at 11. */
type Entry = readonly [string, unknown, string, number[], unknown, string | 0, ...unknown[]];

interface Metadata {
  country_calling_codes: Record<string, string[]>;
  countries: Record<string, Entry>;
  nonGeographic: Record<string, Entry>;
}

const metadata: Metadata = createRequire(import.meta.url)('libphonenumber-js/metadata.max.json');

/** A number is valid when its country's general pattern and one of its types' match (libphonenumber's isValidNumber). */
class Plan {
  readonly #general: DigitAutomaton;
  readonly #types: DigitAutomaton[];

  readonly #lengths: number[][];

  constructor(entry: Entry) {
    this.#general = digitAutomaton(entry[2]);
    const types = ((entry[11] ?? []) as (readonly [string, number[]?] | 0)[]).filter(
      (type) => type !== 0 && type[0] !== '',
    ) as (readonly [string, number[]?])[];
    this.#types = types.map(([pattern]) => digitAutomaton(pattern));
    this.#lengths = types.map(([, lengths]) => lengths ?? []);
  }

  get start(): number[][] {
    return [this.#general, ...this.#types].map((automaton) => closure(automaton, [0]));
  }

  next(state: number[][], digit: number): number[][] | undefined {
    const [general, ...types] = state;
    const after = step(this.#general, general!, digit);
    if (after.length === 0) return undefined;
    const rest = types.map((type, index) => step(this.#types[index]!, type, digit));
    if (this.#types.length > 0 && rest.every((type) => type.length === 0)) return undefined;
    return [after, ...rest];
  }

  accepts([general, ...types]: number[][], length: number): boolean {
    if (!general!.includes(this.#general.end)) return false;
    return (
      types.length === 0 ||
      types.some(
        (type, index) =>
          type.includes(this.#types[index]!.end) &&
          (this.#lengths[index]!.length === 0 || this.#lengths[index]!.includes(length)),
      )
    );
  }
}

/** The states of all countries, equal ones kept once: `accept` and where ten digits lead, 0 = nowhere. */
class States {
  readonly rows: number[][] = [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]];
  readonly #numbers = new Map<string, number>([[this.rows[0]!.join(), 0]]);

  /** The number of the state with this row; row 0 leads nowhere. */
  number(row: number[]): number {
    const key = row.join();
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.rows.length;
      this.rows.push(row);
      this.#numbers.set(key, number);
    }
    return number;
  }
}

/** The state from which a number of any of the countries is read. */
function rootOf(entries: readonly Entry[], states: States): number {
  const plans = entries.map((entry) => new Plan(entry));
  const known = new Map<string, number>();
  function visit(at: readonly (number[][] | undefined)[], length: number): number {
    const key = `${length}:${JSON.stringify(at)}`;
    const seen = known.get(key);
    if (seen !== undefined) return seen;
    const accept = at.some((state, index) => state && plans[index]!.accepts(state, length));
    const row = [accept ? 1 : 0];
    for (let digit = 0; digit < 10; digit++) {
      const next = at.map((state, index) => state && plans[index]!.next(state, digit));
      row.push(next.every((state) => state === undefined) ? 0 : visit(next, length + 1));
    }
    const number = states.number(row);
    known.set(key, number);
    return number;
  }
  return visit(
    plans.map((plan) => plan.start),
    0,
  );
}

/** Bytes before the roots, of the roots and of the prefixes, and of a state: see wasm/guard/pii/phone.ts. */
const HEADER = 16;
const CODES = 1000;
const ROW = 20;
const ACCEPT = 0x8000;

/** The national prefix of a calling code as one byte: 0 none, 1 to 10 a digit, 11 to 110 two digits. */
function prefixByte(entry: Entry): number {
  const prefix = entry[5];
  if (!prefix || prefix.length > 2) return 0;
  return Number(prefix) + (prefix.length === 1 ? 1 : 11);
}

/**
 * The section: where the states begin (u32), from byte 16 on the state from which each calling code's numbers are
 * read (u16, 0 for no code), then its national prefix (u8), then the states: for each digit the next one (u16, 0 for
 * none), with the high bit where a number may end.
 */
export function build(): Uint8Array {
  const states = new States();
  const plans = [
    ...Object.entries(metadata.country_calling_codes).map(
      ([code, names]) => [code, names.map((name) => metadata.countries[name]!)] as const,
    ),
    ...Object.entries(metadata.nonGeographic).map(([code, entry]) => [code, [entry]] as const),
  ];
  const roots = plans.map(
    ([code, entries]) => [Number(code), rootOf(entries, states), entries[0]!] as const,
  );
  const begin = HEADER + CODES * 3 + 8;
  const bytes = new Uint8Array(begin + states.rows.length * ROW);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, begin, true);
  for (const [code, root, entry] of roots) {
    view.setUint16(HEADER + code * 2, root, true);
    bytes[HEADER + CODES * 2 + code] = prefixByte(entry);
  }
  states.rows.forEach(([, ...next], index) => {
    next.forEach((state, digit) => {
      const accept = states.rows[state]![0] === 1 ? ACCEPT : 0;
      view.setUint16(begin + index * ROW + digit * 2, state | accept, true);
    });
  });
  return bytes;
}
