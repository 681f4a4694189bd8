// What runtime/ uses of node:util, in a browser.
import type { JsonValue } from '../../json.ts';

/** Whether two JSON values are equal, whatever the order of their members. */
export function isDeepStrictEqual(left: JsonValue, right: JsonValue): boolean {
  if (Object.is(left, right)) return true;
  if (typeof left !== 'object' || typeof right !== 'object') return false;
  if (left === null || right === null || Array.isArray(left) !== Array.isArray(right)) return false;
  const [one, other] = [left, right] as { [key: string]: JsonValue }[];
  const names = Object.keys(one!);
  return (
    names.length === Object.keys(other!).length &&
    names.every(
      (name) => Object.hasOwn(other!, name) && isDeepStrictEqual(one![name]!, other![name]!),
    )
  );
}

/** What could be promisified is not there, which shows where it is called. */
export function promisify<Work>(work: Work): Work {
  return work;
}
