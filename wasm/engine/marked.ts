// Reads marked JSON (`markedText`) back into the values that it stands for.

import { add, insert, newObject, newSet } from './object';
import { equalBytes } from './text';
import {
  elementAt,
  Kind,
  keyAt,
  kindOf,
  lengthOf,
  newArray,
  push,
  stringOf,
  textOf,
  valueAt,
} from './value';

/** "$set" and "$object" */
const SET: u32 = <u32>memory.data<u8>([0x24, 0x73, 0x65, 0x74]);
const OBJECT: u32 = <u32>memory.data<u8>([0x24, 0x6f, 0x62, 0x6a, 0x65, 0x63, 0x74]);

function isMark(object: u32, text: u32, length: u32): bool {
  if (lengthOf(object) != 1) return false;
  const key = keyAt(object, 0);
  return lengthOf(key) == length && equalBytes(textOf(key), text, length);
}

/** The value that parsed marked JSON stands for; nesting is bounded by the parser. */
export function unmarked(value: u32): u32 {
  const kind = kindOf(value);
  if (kind == Kind.Array) {
    const array = newArray(lengthOf(value));
    for (let i: u32 = 0; i < lengthOf(value); i++) push(array, unmarked(elementAt(value, i)));
    return array;
  }
  if (kind != Kind.Object) return value;
  if (isMark(value, SET, 4)) return setOf(valueAt(value, 0));
  if (isMark(value, OBJECT, 7)) return objectOfPairs(valueAt(value, 0));
  const object = newObject(lengthOf(value));
  for (let i: u32 = 0; i < lengthOf(value); i++) {
    const key = keyAt(value, i);
    const text = textOf(key);
    const doubled = lengthOf(key) > 1 && load<u16>(text) == 0x2424;
    insert(
      object,
      doubled ? stringOf(text + 1, lengthOf(key) - 1) : key,
      unmarked(valueAt(value, i)),
    );
  }
  return object;
}

function setOf(elements: u32): u32 {
  const set = newSet(lengthOf(elements));
  for (let i: u32 = 0; i < lengthOf(elements); i++) add(set, unmarked(elementAt(elements, i)));
  return set;
}

function objectOfPairs(pairs: u32): u32 {
  const object = newObject(lengthOf(pairs));
  for (let i: u32 = 0; i < lengthOf(pairs); i++) {
    const pair = elementAt(pairs, i);
    insert(object, unmarked(elementAt(pair, 0)), unmarked(elementAt(pair, 1)));
  }
  return object;
}
