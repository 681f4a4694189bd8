// Finds the numbers that binary64 may not hold: two that differ can look equal to the prover.
import { isObject, type Value } from './values.ts';

/** Where a number is: the file and row of a source; nothing for one of the data. */
export type Inexact = ReadonlyMap<number, { file: string; row: number } | undefined>;

/** The numbers of a source, those in its comments and texts too: what is too many only hinders a proof. */
export function inexactIn(text: string, file: string | undefined, into: Map<number, Place>): void {
  for (const [index, line] of text.split('\n').entries()) {
    for (const [digits] of line.matchAll(/\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g)) {
      if (isExact(digits)) continue;
      into.set(Number(digits), file === undefined ? undefined : { file, row: index + 1 });
    }
  }
}

type Place = { file: string; row: number } | undefined;

/** A safe integer, or a decimal short enough that its double is no other decimal's. */
function isExact(digits: string): boolean {
  if (/^\d+$/.test(digits)) return Number.isSafeInteger(Number(digits));
  return /^\d+\.\d+$/.test(digits) && digits.length <= 16;
}

/** The first number in a value that may stand for another. */
export function firstInexact(value: Value, inexact: Inexact): number | undefined {
  if (typeof value === 'number') {
    const unsafe = Number.isInteger(value) && !Number.isSafeInteger(value);
    return unsafe || inexact.has(Math.abs(value)) ? value : undefined;
  }
  if (inexact.size === 0) return undefined;
  const parts = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  for (const part of parts) {
    const found = firstInexact(part, inexact);
    if (found !== undefined) return found;
  }
  return undefined;
}
