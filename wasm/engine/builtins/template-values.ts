// Values as Go templates see and print them: data from JSON, of which numbers count as text, and constants.

import { VALUE_DEPTH_MAX } from '../compare';
import { Failure, stop } from '../failure';
import { toF64 } from '../number';
import { sorted } from '../object';
import { elementAt, isInteger, Kind, keyAt, kindOf, lengthOf, valueAt } from '../value';
import { addDouble } from './float-text';
import { addNumber } from './quote';
import { addAscii, addByte, addText } from './text-builder';

/** Numbers from here on are the template's own; those of the data are json.Number, a kind of string. */
let ownFrom: u32 = 0;

/** Says where in memory the values begin that a template makes itself. */
export function setOwnFrom(pointer: u32): void {
  ownFrom = pointer;
}

/** Whether Go would have an int or a float here. */
export function isOwnNumber(value: u32): bool {
  return value >= ownFrom && value != 0 && kindOf(value) == Kind.Number;
}

/** Whether Go's reflection calls the value a string. */
export function isText(value: u32): bool {
  if (value == 0) return false;
  return kindOf(value) == Kind.String || (kindOf(value) == Kind.Number && !isOwnNumber(value));
}

/** Whether data can be handed to a template: OPA reads its Rego text as JSON, so no sets and no keys but strings. */
export function isData(value: u32, depth: u32): bool {
  const kind = kindOf(value);
  if (kind == Kind.Set) return false;
  if (kind < <u32>Kind.Array) return true;
  if (depth == VALUE_DEPTH_MAX) stop(Failure.Depth);
  for (let i: u32 = 0; i < lengthOf(value); i++) {
    if (kind == Kind.Object && kindOf(keyAt(value, i)) != Kind.String) return false;
    if (!isData(kind == Kind.Object ? valueAt(value, i) : elementAt(value, i), depth + 1))
      return false;
  }
  return true;
}

/** Go's idea of truth: neither empty nor zero nor nothing. */
export function isTrue(value: u32): bool {
  if (value == 0) return false;
  const kind = kindOf(value);
  if (kind == Kind.True) return true;
  if (kind == Kind.Null || kind == Kind.False) return false;
  if (kind != Kind.Number) return lengthOf(value) > 0;
  return !isOwnNumber(value) || toF64(value) != 0;
}

/** Adds a value as fmt.Fprint does; nothing is `nothing`. */
export function addPrinted(value: u32, nothing: string): void {
  if (value == 0 || kindOf(value) == Kind.Null) return addAscii(nothing);
  const kind = kindOf(value);
  if (kind == Kind.String) return addText(value);
  if (kind == Kind.True) return addAscii('true');
  if (kind == Kind.False) return addAscii('false');
  if (kind == Kind.Number) {
    if (!isOwnNumber(value) || isInteger(value)) return addNumber(value);
    if (toF64(value) < 0) addByte(0x2d);
    return addDouble(toF64(value), 0x67, -1);
  }
  const isObject = kind == Kind.Object;
  if (isObject) sorted(value);
  addAscii(isObject ? 'map[' : '[');
  for (let i: u32 = 0; i < lengthOf(value); i++) {
    if (i > 0) addByte(0x20);
    if (isObject) {
      addText(keyAt(value, i));
      addByte(0x3a);
    }
    addPrinted(isObject ? valueAt(value, i) : elementAt(value, i), '<nil>');
  }
  addByte(0x5d);
}
