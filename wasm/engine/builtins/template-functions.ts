// The functions of Go templates that need no text of the template: comparisons, print, len, index.

import { compare, equal } from '../compare';
import { get } from '../object';
import {
  asciiString,
  boolean,
  elementAt,
  integer,
  integerOf,
  isInteger,
  Kind,
  kindOf,
  lengthOf,
  NULL,
  newArray,
  newString,
  push,
  textOf,
} from '../value';
import { find, NOT_FOUND } from './search';
import { b_sprintf } from './sprintf';
import { addPrinted, isOwnNumber, isText } from './template-values';
import { addByte, beginText, finishText, resumeText, suspendText } from './text-builder';

/** Whether the last call was one that Go refuses. */
export let refused: bool = false;

function refuse(): u32 {
  refused = true;
  return 0;
}

function isNamed(name: u32, text: string): bool {
  return equal(name, asciiString(text));
}

/** Whether Go's templates have a function of this name; not all of them are taken. */
export function isFunction(name: u32): bool {
  const known =
    ' and call eq ge gt html index js le len lt ne not or print printf println slice urlquery ';
  const spaced = newString(lengthOf(name) + 2);
  store<u8>(textOf(spaced), 0x20);
  memory.copy(textOf(spaced) + 1, textOf(name), lengthOf(name));
  store<u8>(textOf(spaced) + lengthOf(name) + 1, 0x20);
  const names = asciiString(known);
  const at = find(textOf(names), lengthOf(names), textOf(spaced), lengthOf(spaced));
  return at != NOT_FOUND;
}

/** Calls a function by its name; `refused` tells whether it could. */
export function callFunction(name: u32, list: u32): u32 {
  refused = false;
  const count = lengthOf(list);
  const first = count > 0 ? elementAt(list, 0) : 0;
  if (isNamed(name, 'print')) return printed(list, false);
  if (isNamed(name, 'println')) return printed(list, true);
  if (isNamed(name, 'printf')) return count > 0 ? formatted(list) : refuse();
  if (count == 0) return refuse();
  if (isNamed(name, 'index')) return indexed(list);
  if (isNamed(name, 'eq')) return equalToAny(list);
  if (isNamed(name, 'len')) return count == 1 ? lengthOfValue(first) : refuse();
  if (count != 2) return refuse();
  const second = elementAt(list, 1);
  if (isNamed(name, 'ne')) {
    const same = compareBasic(first, second, false);
    return refused ? 0 : boolean(same != 0);
  }
  const order = compareBasic(first, second, true);
  if (refused) return 0;
  if (isNamed(name, 'lt')) return boolean(order < 0);
  if (isNamed(name, 'le')) return boolean(order <= 0);
  if (isNamed(name, 'gt')) return boolean(order > 0);
  return isNamed(name, 'ge') ? boolean(order >= 0) : refuse();
}

/** fmt.Sprint or Sprintln: spaces between all, or between two of which none is a string. */
function printed(list: u32, lines: bool): u32 {
  const state = suspendText();
  beginText();
  for (let i: u32 = 0; i < lengthOf(list); i++) {
    const value = elementAt(list, i);
    if (i > 0 && (lines || !(isText(value) || isText(elementAt(list, i - 1))))) addByte(0x20);
    addPrinted(value, '<nil>');
  }
  if (lines) addByte(0x0a);
  const text = finishText();
  resumeText(state);
  return text;
}

function formatted(list: u32): u32 {
  const format = elementAt(list, 0);
  if (format == 0 || kindOf(format) != Kind.String) return refuse();
  const values = newArray(lengthOf(list));
  for (let i: u32 = 1; i < lengthOf(list); i++) {
    const one = newArray(1);
    push(one, elementAt(list, i));
    push(values, isOwnNumber(elementAt(list, i)) ? elementAt(list, i) : printed(one, false));
  }
  const state = suspendText();
  const text = b_sprintf(format, values);
  resumeText(state);
  return text;
}

function lengthOfValue(value: u32): u32 {
  if (value == 0) return refuse();
  const kind = kindOf(value);
  if (kind == Kind.String || kind >= <u32>Kind.Array) return integer(lengthOf(value));
  if (kind != Kind.Number || isOwnNumber(value)) return refuse();
  return integer(lengthOf(textNumber(value)));
}

/** A number of the data as the string that Go takes it for. */
function textNumber(value: u32): u32 {
  const one = newArray(1);
  push(one, value);
  return printed(one, false);
}

function indexed(list: u32): u32 {
  let value = elementAt(list, 0);
  if (value == 0 || value == NULL) return refuse();
  for (let i: u32 = 1; i < lengthOf(list); i++) {
    const key = elementAt(list, i);
    if (value == 0 || key == 0) return refuse();
    const kind = kindOf(value);
    if (kind == Kind.Object && kindOf(key) == Kind.String) value = get(value, key);
    else if (kind == Kind.Array && isOwnNumber(key) && isInteger(key)) {
      const at = integerOf(key);
      if (at < 0 || at >= <i64>lengthOf(value)) return refuse();
      value = elementAt(value, <u32>at);
    } else if (isText(value) && isOwnNumber(key) && isInteger(key)) {
      // A byte of a string, as a number.
      const text = kind == Kind.String ? value : textNumber(value);
      const at = integerOf(key);
      if (at < 0 || at >= <i64>lengthOf(text)) return refuse();
      value = integer(load<u8>(textOf(text) + <u32>at));
    } else return refuse();
  }
  return value;
}

function equalToAny(list: u32): u32 {
  if (lengthOf(list) < 2) return refuse();
  for (let i: u32 = 1; i < lengthOf(list); i++) {
    const order = compareBasic(elementAt(list, 0), elementAt(list, i), false);
    if (refused) return 0;
    if (order == 0) return boolean(true);
  }
  return boolean(false);
}

/** Go's kinds that can be compared with their own only: 1 bool, 2 int, 3 float, 4 string; 0 for nothing, 5 for others. */
function basicKind(value: u32): u32 {
  if (value == 0 || value == NULL) return 0;
  const kind = kindOf(value);
  if (kind == Kind.True || kind == Kind.False) return 1;
  if (isOwnNumber(value)) return isInteger(value) ? 2 : 3;
  return isText(value) ? 4 : 5;
}

/** The order of two basic values of one kind. */
function compareBasic(a: u32, b: u32, ordered: bool): i32 {
  const kind = basicKind(a);
  if (kind != basicKind(b)) {
    if (!ordered && (kind == 0 || basicKind(b) == 0)) return 1;
    return refuse();
  }
  if (kind == 5 || (ordered && kind < 2)) return refuse();
  if (kind == 0) return 0;
  if (kind != 4) return compare(a, b);
  return compare(
    kindOf(a) == Kind.String ? a : textNumber(a),
    kindOf(b) == Kind.String ? b : textNumber(b),
  );
}
