// Reads keywords whose value holds several schemas or lists of names, each kept as a list.

import {
  childCount,
  firstChild,
  Kind,
  keyLength,
  keyPointer,
  kindOf,
  nextSibling,
} from '../common/json';
import { subSchema } from './compile';
import { hasFailed, refuseValue } from './failure';
import { readNames, readPattern } from './operands';
import { enterIndex, enterKey, leave } from './path';
import { isFull, keepText, newList } from './schema';

/** A list of schemas, at least one. */
export function listedSchemas(item: u32): u32 {
  if (kindOf(item) != Kind.Array || childCount(item) == 0) {
    refuseValue('must be a list with at least one schema', item);
    return 0;
  }
  const list = newList(childCount(item), 1);
  if (list == 0) return 0;
  let index: u32 = 0;
  for (let child = firstChild(item); child != 0; child = nextSibling(child)) {
    enterIndex(index);
    store<u32>(list + 4 + index * 4, subSchema(child, item));
    leave();
    if (hasFailed() || isFull()) return 0;
    index++;
  }
  return list;
}

function isObject(item: u32): bool {
  if (kindOf(item) == Kind.Object) return true;
  refuseValue('must be an object', item);
  return false;
}

/** Schemas by name, in the canonical order of their names: a list of `[key, keyLength, schema]`. */
export function keyedSchemas(item: u32): u32 {
  return keyed(item, false);
}

/** Lists of names by name: a list of `[key, keyLength, names]`. */
export function keyedNames(item: u32): u32 {
  return keyed(item, true);
}

function keyed(item: u32, areNames: bool): u32 {
  if (!isObject(item)) return 0;
  const list = newList(childCount(item), 3);
  if (list == 0) return 0;
  let entry = list + 4;
  for (let child = firstChild(item); child != 0; child = nextSibling(child)) {
    enterKey(keyPointer(child), keyLength(child));
    store<u32>(entry, keepText(keyPointer(child), keyLength(child)));
    store<u32>(entry, keyLength(child), 4);
    store<u32>(entry, areNames ? readNames(child, item) : subSchema(child, item), 8);
    leave();
    if (hasFailed() || isFull()) return 0;
    entry += 12;
  }
  return list;
}

/** Schemas by pattern: a list of `[program, schema]`. */
export function patternSchemas(item: u32): u32 {
  if (!isObject(item)) return 0;
  const list = newList(childCount(item), 2);
  if (list == 0) return 0;
  let entry = list + 4;
  for (let child = firstChild(item); child != 0; child = nextSibling(child)) {
    enterKey(keyPointer(child), keyLength(child));
    store<u32>(entry, readPattern(keyPointer(child), keyLength(child), item));
    if (!hasFailed()) store<u32>(entry, subSchema(child, item), 4);
    leave();
    if (hasFailed() || isFull()) return 0;
    entry += 8;
  }
  return list;
}
