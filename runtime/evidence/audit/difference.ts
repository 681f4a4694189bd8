// Finds where two JSON values first differ, for people who must explain a diverged decision.
import { isJsonObject, type JsonValue } from '../../json.ts';

export interface Difference {
  /** JSON Pointer (RFC 6901). */
  pointer: string;
  /** What the audit computed, and what the evidence holds; undefined where one has no value. */
  expected: JsonValue | undefined;
  found: JsonValue | undefined;
}

/** The first difference in document order; the whole values where they differ in kind. */
export function firstDifference(
  expected: JsonValue | undefined,
  found: JsonValue | undefined,
  pointer = '',
): Difference | undefined {
  const children = pairs(expected, found);
  if (children === undefined) {
    return Object.is(expected, found) ? undefined : { pointer, expected, found };
  }
  for (const [key, left, right] of children) {
    const step = key.replaceAll('~', '~0').replaceAll('/', '~1');
    const difference = firstDifference(left, right, `${pointer}/${step}`);
    if (difference) return difference;
  }
  return undefined;
}

type Pair = [key: string, expected: JsonValue | undefined, found: JsonValue | undefined];

function pairs(expected: JsonValue | undefined, found: JsonValue | undefined): Pair[] | undefined {
  if (Array.isArray(expected) && Array.isArray(found)) {
    const length = Math.max(expected.length, found.length);
    return Array.from({ length }, (_, at) => [String(at), expected[at], found[at]]);
  }
  if (!isJsonObject(expected) || !isJsonObject(found)) return undefined;
  const keys = [...new Set([...Object.keys(expected), ...Object.keys(found)])].sort();
  return keys.map((key) => [key, expected[key], found[key]]);
}
