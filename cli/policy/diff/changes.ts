// What differs between the data of two policies: the words and numbers on the way to every difference.
import { createHash } from 'node:crypto';
import { canonical } from '../../../runtime/bundle/revision.ts';
import {
  isJsonObject,
  type JsonObject,
  type JsonPrimitive,
  type JsonValue,
} from '../../../runtime/json.ts';
import type { RuleFacts } from './syntax.ts';

const DIGEST_CHARACTERS = 16;
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

/** One side of a change at one boundary. */
export interface ChangedSide {
  /** The rules that the other side has not, or has otherwise. */
  rules: readonly RuleFacts[];
  data: JsonObject;
  wasm: Uint8Array;
}

/**
 * Names a change: hexadecimal digits of SHA-256 over the text of the rules that were edited, before and
 * after, and over the members of the data that differ. Where neither differs, over the compiled modules.
 */
export function changeDigest(old: ChangedSide, now: ChangedSide): string {
  const rules = [old, now].map((side) =>
    side.rules.map((rule) => `${rule.package} ${rule.name} ${rule.digest}`).sort(),
  );
  const data = differences(old.data, now.data);
  const isElse = data.length + rules.flat().length === 0;
  const modules = isElse ? [sha256(old.wasm), sha256(now.wasm)] : [];
  return sha256(JSON.stringify([rules, data.sort(), modules])).slice(0, DIGEST_CHARACTERS);
}

/** Each place where the data differ, with what is there on both sides, as text. */
function differences(
  old: JsonValue | undefined,
  now: JsonValue | undefined,
  above: readonly string[] = [],
): string[] {
  const [before, after] = [old, now].map((side) => (side === undefined ? '' : canonical(side)));
  if (before === after) return [];
  if (!isJsonObject(old) || !isJsonObject(now)) return [JSON.stringify([above, before, after])];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((key) =>
    differences(old[key], now[key], [...above, key]),
  );
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
