// What differs between the data of two policies: the words and numbers on the way to every difference.
import { isJsonObject, type JsonPrimitive, type JsonValue } from '../../../runtime/json.ts';

const FOUND_MAX = 400;

/** Keys above and values at each difference, of both sides; bounded. */
export function changedIn(
  old: JsonValue | undefined,
  now: JsonValue | undefined,
  above: readonly string[] = [],
  found: Set<JsonPrimitive> = new Set(),
): Set<JsonPrimitive> {
  if (found.size >= FOUND_MAX || JSON.stringify(old) === JSON.stringify(now)) return found;
  if (!isJsonObject(old) || !isJsonObject(now)) {
    for (const key of above) found.add(key);
    for (const value of [old, now]) scalarsOf(value, found);
    return found;
  }
  for (const key of new Set([...Object.keys(old), ...Object.keys(now)])) {
    changedIn(old[key], now[key], [...above, key], found);
  }
  return found;
}

/** Every key and every scalar below the value, up to the bound. */
export function scalarsOf(value: JsonValue | undefined, found: Set<JsonPrimitive>): void {
  if (found.size >= FOUND_MAX || value === undefined) return;
  if (Array.isArray(value)) for (const each of value) scalarsOf(each, found);
  else if (isJsonObject(value)) {
    for (const [key, each] of Object.entries(value)) {
      found.add(key);
      scalarsOf(each, found);
    }
  } else found.add(value);
}
