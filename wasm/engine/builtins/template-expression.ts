// Reads and evaluates the pipelines of a template's actions, in the text itself; parts that do not run are only read.

import { equal } from '../compare';
import { Failure, stop } from '../failure';
import { numberFromText } from '../number';
import { get } from '../object';
import {
  asciiString,
  boolean,
  ELEMENTS,
  elementAt,
  Kind,
  kindOf,
  LENGTH,
  lengthOf,
  NULL,
  newArray,
  push,
  stringOf,
  textOf,
} from '../value';
import { callFunction, isFunction, refused } from './template-functions';
import { isWhite, unquoted, unquotedEnd } from './template-strings';
import { isTrue } from './template-values';

/** How deep parentheses and blocks nest. */
export const NESTING_MAX: u32 = 100;

/** Where the template is read, and where it ends. */
export let at: u32 = 0;
let end: u32 = 0;
/** Whether the template cannot be parsed or run. */
export let broken: bool = false;
/** Names and values of the variables there are now. */
let variables: u32 = 0;

/** Begins a template with `$` as its only variable. */
export function openTemplate(text: u32, data: u32): void {
  at = textOf(text);
  end = at + lengthOf(text);
  broken = false;
  variables = newArray(8);
  declare(asciiString('$'), data);
}

export function moveTo(place: u32): void {
  at = place;
}

/** Gives the template up; returns nothing, for returning it. */
export function breakOff(): u32 {
  broken = true;
  at = end;
  return 0;
}

export function variableCount(): u32 {
  return lengthOf(variables);
}

/** Forgets the variables declared since `variableCount` was so. */
export function forgetVariables(count: u32): void {
  store<u32>(variables, count, LENGTH);
}

export function declare(name: u32, value: u32): void {
  push(variables, name);
  push(variables, value);
}

export function isDeclared(name: u32): bool {
  return slotOf(name) != 0;
}

/** Sets a variable there is; where `name` is none, the template is broken. */
export function assign(name: u32, value: u32): void {
  const slot = slotOf(name);
  if (slot == 0) breakOff();
  else store<u32>(load<u32>(variables, ELEMENTS) + (slot << 2), value);
}

/** The number of the value of the innermost variable of a name, or 0. */
function slotOf(name: u32): u32 {
  for (let i = lengthOf(variables); i >= 2; i -= 2) {
    if (equal(elementAt(variables, i - 2), name)) return i - 1;
  }
  return 0;
}

/** The byte at an offset from here, 0 behind the end. */
export function peek(offset: u32 = 0): u32 {
  return at + offset < end ? load<u8>(at + offset) : 0;
}

export function skipWhite(): void {
  while (at < end && isWhite(load<u8>(at))) at++;
}

function isLetter(byte: u32): bool {
  return byte == 0x5f || (byte | 0x20) - 0x61 < 26 || byte >= 0x80;
}

/** Reads letters, digits and underscores to a string; empty when none stand here. */
export function name(): u32 {
  const from = at;
  while (at < end && (isLetter(load<u8>(at)) || (at > from && <u32>load<u8>(at) - 0x30 < 10))) at++;
  return stringOf(from, at - from);
}

/** Reads `$name` to a string with its dollar. */
export function variableName(): u32 {
  const from = at++;
  name();
  return stringOf(from, at - from);
}

/** Whether an action ends here, after white space: `}}`, or ` -}}`, behind which white space goes. */
export function closes(): bool {
  skipWhite();
  const trims = peek() == 0x2d && peek(1) == 0x7d && isWhite(load<u8>(at - 1));
  const from: u32 = trims ? 1 : 0;
  return peek(from) == 0x7d && peek(from + 1) == 0x7d;
}

/** Reads the end of an action. */
export function close(): void {
  if (!closes()) {
    breakOff();
    return;
  }
  const trims = peek() == 0x2d;
  at += trims ? 3 : 2;
  if (trims) skipWhite();
}

/** A pipeline: commands, each of which gets the value of the one before as its last argument. */
export function pipeline(dot: u32, live: bool, depth: u32 = 0): u32 {
  if (depth > NESTING_MAX) stop(Failure.Depth);
  let value = command(dot, live, 0, false, depth);
  while (!broken) {
    skipWhite();
    if (peek() != 0x7c) break;
    at++;
    value = command(dot, live, value, true, depth);
  }
  return value;
}

function command(dot: u32, live: bool, last: u32, piped: bool, depth: u32): u32 {
  skipWhite();
  if (isLetter(peek())) {
    const word = name();
    const constant = constantOf(word);
    if (constant == 0) return call(word, dot, live, last, piped, depth);
    // Go takes nil as an argument only.
    return (live && constant == NULL) || piped || hasOperand() ? breakOff() : constant;
  }
  const value = operand(dot, live, depth);
  return piped || hasOperand() ? breakOff() : value;
}

function constantOf(word: u32): u32 {
  if (equal(word, asciiString('true'))) return boolean(true);
  if (equal(word, asciiString('false'))) return boolean(false);
  return equal(word, asciiString('nil')) ? NULL : 0;
}

/** Whether another operand stands here. */
function hasOperand(): bool {
  if (broken || closes()) return false;
  const byte = peek();
  return byte != 0x7c && byte != 0x29 && byte != 0;
}

/** Calls a function; `and` and `or` stop at the first argument that decides. */
function call(word: u32, dot: u32, live: bool, last: u32, piped: bool, depth: u32): u32 {
  if (!isFunction(word)) return breakOff();
  const isAnd = equal(word, asciiString('and'));
  const decides = isAnd || equal(word, asciiString('or'));
  const list = newArray(2);
  let decided: u32 = 0;
  while (hasOperand()) {
    const value = argument(dot, live && decided == 0, depth);
    if (broken) return 0;
    push(list, value);
    if (decides && decided == 0 && live && isTrue(value) != isAnd) decided = lengthOf(list);
  }
  if (piped) push(list, last);
  if (!live || broken) return 0;
  const count = lengthOf(list);
  if (decides) {
    if (count == 0) return breakOff();
    return elementAt(list, (decided == 0 ? count : decided) - 1);
  }
  if (equal(word, asciiString('not'))) {
    return count == 1 ? boolean(!isTrue(elementAt(list, 0))) : breakOff();
  }
  const value = callFunction(word, list);
  return refused ? breakOff() : value;
}

function argument(dot: u32, live: bool, depth: u32): u32 {
  if (!isLetter(peek())) return operand(dot, live, depth);
  const word = name();
  const constant = constantOf(word);
  if (constant != 0) return constant;
  if (!isFunction(word)) return breakOff();
  if (!live) return 0;
  const value = callFunction(word, newArray(0));
  return refused ? breakOff() : value;
}

function operand(dot: u32, live: bool, depth: u32): u32 {
  const byte = peek();
  if (byte == 0x2e && <u32>peek(1) - 0x30 > 9) {
    if (isLetter(peek(1))) return fields(dot, live);
    at++;
    return dot;
  }
  if (byte == 0x24) {
    const slot = slotOf(variableName());
    return slot == 0 ? breakOff() : fields(elementAt(variables, slot), live);
  }
  if (byte == 0x28) {
    at++;
    const value = pipeline(dot, live, depth + 1);
    skipWhite();
    if (peek() != 0x29) return breakOff();
    at++;
    return fields(value, live);
  }
  if (byte == 0x22 || byte == 0x60 || byte == 0x27) {
    const text = unquoted(at, end);
    if (text == 0) return breakOff();
    at = unquotedEnd;
    return text;
  }
  return number();
}

/** Follows `.name` as often as it stands here. */
function fields(from: u32, live: bool): u32 {
  let value = from;
  while (!broken && peek() == 0x2e && isLetter(peek(1))) {
    at++;
    const key = name();
    if (!live || value == 0) value = 0;
    else if (kindOf(value) == Kind.Object) value = get(value, key);
    else return breakOff();
  }
  return value;
}

function number(): u32 {
  const from = at;
  if (peek() == 0x2b) at++;
  const start = at;
  while (
    at < end &&
    !isWhite(load<u8>(at)) &&
    load<u8>(at) != 0x7d &&
    load<u8>(at) != 0x29 &&
    load<u8>(at) != 0x7c
  )
    at++;
  if (at == from) return breakOff();
  const value = numberFromText(start, at - start);
  return value == 0 ? breakOff() : value;
}
