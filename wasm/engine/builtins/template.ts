// strings.render_template: Go's text/template but for define, template, block, call, slice, html, js and urlquery.

import { mark } from '../../common/arena';
import { equal } from '../compare';
import { Failure, failed, stop } from '../failure';
import { sorted } from '../object';
import {
  asciiString,
  elementAt,
  integer,
  integerOf,
  isInteger,
  Kind,
  keyAt,
  kindOf,
  lengthOf,
  textOf,
  valueAt,
} from '../value';
import { find, NOT_FOUND } from './search';
import { b_replace } from './strings-replace';
import {
  assign,
  at,
  breakOff,
  broken,
  close,
  closes,
  declare,
  forgetVariables,
  isDeclared,
  moveTo,
  NESTING_MAX,
  name,
  openTemplate,
  peek,
  pipeline,
  skipWhite,
  variableCount,
  variableName,
} from './template-expression';
import { isWhite } from './template-strings';
import { addPrinted, isData, isOwnNumber, isTrue, setOwnFrom } from './template-values';
import { addBytes, beginText, finishText } from './text-builder';

/** What ended a block. */
const enum Ending {
  Text,
  End,
  Else,
}

/** What a running `break` or `continue` skips: the rest of the round. */
const CONTINUE: u32 = 1;
const BREAK: u32 = 2;

let templateEnd: u32 = 0;
let leaving: u32 = 0;
/** How many ranges the text at hand stands in. */
let ranges: u32 = 0;

export function b_strings_render_template(text: u32, data: u32): u32 {
  if (kindOf(text) != Kind.String || kindOf(data) != Kind.Object) return failed(Failure.Type);
  if (!isData(data, 0)) return failed();
  setOwnFrom(mark());
  openTemplate(text, data);
  templateEnd = textOf(text) + lengthOf(text);
  leaving = 0;
  ranges = 0;
  beginText(lengthOf(text));
  if (block(data, true, 0) != Ending.Text || broken) return failed();
  return b_replace(finishText(), asciiString('<no value>'), asciiString('<undefined>'));
}

/** Writes text and runs actions until one that ends the block, whose keyword is then read. Its variables stay: an else may name them. */
function block(dot: u32, live: bool, depth: u32): Ending {
  if (depth > NESTING_MAX) stop(Failure.Depth);
  while (!broken) {
    const runs = live && leaving == 0;
    const from = at;
    const open = find(from, templateEnd - from, textOf(braces()), 2);
    if (open == NOT_FOUND) {
      if (runs) addBytes(from, templateEnd - from);
      moveTo(templateEnd);
      return Ending.Text;
    }
    moveTo(from + open + 2);
    const trims = peek() == 0x2d && isWhite(peek(1));
    let to = from + open;
    if (trims) {
      while (to > from && isWhite(load<u8>(to - 1))) to--;
      moveTo(at + 2);
    }
    if (runs) addBytes(from, to - from);
    if (peek() == 0x2f && peek(1) == 0x2a) comment();
    else {
      const ending = action(dot, runs, depth);
      if (ending != Ending.Text) return ending;
    }
  }
  return Ending.Text;
}

function braces(): u32 {
  return asciiString('{{');
}

function comment(): void {
  const length = find(at, templateEnd - at, textOf(asciiString('*/')), 2);
  if (length == NOT_FOUND) breakOff();
  else {
    moveTo(at + length + 2);
    close();
  }
}

/** One action; tells whether it was an `end` or an `else`. */
function action(dot: u32, live: bool, depth: u32): Ending {
  skipWhite();
  const start = at;
  const word = name();
  if (lengthOf(word) > 0) {
    if (isNamed(word, 'end')) return Ending.End;
    if (isNamed(word, 'else')) return Ending.Else;
    if (isNamed(word, 'if')) branch(dot, live, false, depth);
    else if (isNamed(word, 'with')) branch(dot, live, true, depth);
    else if (isNamed(word, 'range')) range(dot, live, depth);
    else if (isNamed(word, 'break') || isNamed(word, 'continue')) {
      if (ranges == 0) breakOff();
      if (live) leaving = isNamed(word, 'break') ? BREAK : CONTINUE;
      close();
    } else {
      moveTo(start);
      statement(dot, live);
    }
    return Ending.Text;
  }
  statement(dot, live);
  return Ending.Text;
}

function isNamed(word: u32, text: string): bool {
  return equal(word, asciiString(text));
}

/** A pipeline to print, or to give to a variable. */
function statement(dot: u32, live: bool): void {
  const named = target();
  const value = pipeline(dot, live);
  close();
  if (broken) return;
  if (named != 0) give(named, value, live);
  else if (live) addPrinted(value, '<no value>');
}

// Whether the last `target` is a new variable.
let isNew: bool = false;

/** The variable before `:=` or `=`, or 0 when none is given a value here. */
function target(): u32 {
  skipWhite();
  if (peek() != 0x24) return 0;
  const start = at;
  const variable = variableName();
  skipWhite();
  isNew = peek() == 0x3a && peek(1) == 0x3d;
  if (isNew || peek() == 0x3d) {
    moveTo(at + (isNew ? 2 : 1));
    return variable;
  }
  moveTo(start);
  return 0;
}

/** What does not run may name a variable that there is not, as Go only reads it. */
function give(variable: u32, value: u32, live: bool): void {
  if (isNew || (!live && !isDeclared(variable))) declare(variable, value);
  else assign(variable, value);
}

/** `if` or `with`, from behind the keyword to behind its `end`. */
function branch(dot: u32, live: bool, moves: bool, depth: u32): void {
  const count = variableCount();
  const named = target();
  const value = pipeline(dot, live);
  close();
  if (named != 0) give(named, value, live);
  const runs = live && isTrue(value);
  let ending = block(moves ? value : dot, runs, depth + 1);
  if (ending == Ending.Else) ending = otherwise(dot, live && !runs, depth, moves ? 'with' : 'if');
  else if (ending == Ending.End) close();
  if (ending == Ending.Text) breakOff();
  forgetVariables(count);
}

/** From behind `else`, which `again` may follow, to behind the `end`. */
function otherwise(dot: u32, live: bool, depth: u32, again: string): Ending {
  if (!closes()) {
    if (again.length == 0 || !isNamed(name(), again)) breakOff();
    else if (depth > NESTING_MAX) stop(Failure.Depth);
    else branch(dot, live, again.length == 4, depth + 1);
    return Ending.End;
  }
  close();
  const ending = block(dot, live, depth + 1);
  if (ending == Ending.End) close();
  return ending == Ending.End ? ending : Ending.Text;
}

/** `range`, from behind the keyword to behind its `end`. */
function range(dot: u32, live: bool, depth: u32): void {
  const count = variableCount();
  let first = target();
  let second: u32 = 0;
  let makes = isNew;
  if (first == 0 && peek() == 0x24) {
    const start = at;
    const variable = variableName();
    skipWhite();
    if (peek() == 0x2c) {
      moveTo(at + 1);
      first = variable;
      second = target();
      makes = isNew;
      if (second == 0) breakOff();
    } else moveTo(start);
  }
  const list = pipeline(dot, live);
  close();
  const body = at;
  // An else sees them too, with the list as their value.
  isNew = makes;
  if (first != 0) give(first, list, live);
  isNew = makes;
  if (second != 0) give(second, list, live);
  const rounds = live && !broken ? roundsOf(list) : 0;
  if (second != 0 && live && isOwnNumber(list)) breakOff();
  const declared = variableCount();
  let ending = Ending.Text;
  for (let i: i64 = 0; i < max<i64>(rounds, 1) && !broken; i++) {
    moveTo(body);
    forgetVariables(declared);
    const runs = i < rounds;
    const value = runs ? valueIn(list, i) : 0;
    isNew = makes;
    if (first != 0) give(first, second == 0 ? value : runs ? keyIn(list, i) : 0, runs);
    isNew = makes;
    if (second != 0) give(second, value, runs);
    ranges++;
    ending = block(value, runs, depth + 1);
    ranges--;
    if (runs && leaving == BREAK) i = rounds;
    if (runs) leaving = 0;
  }
  forgetVariables(count);
  if (ending == Ending.Else) ending = otherwise(dot, live && rounds == 0, depth, '');
  else if (ending == Ending.End) close();
  if (ending == Ending.Text) breakOff();
}

/** How often a range runs over a value. */
function roundsOf(list: u32): i64 {
  if (list == 0 || kindOf(list) == Kind.Null) return 0;
  const kind = kindOf(list);
  if (kind == Kind.Object) sorted(list);
  if (kind == Kind.Object || kind == Kind.Array) return lengthOf(list);
  if (isOwnNumber(list) && isInteger(list)) return max(integerOf(list), 0);
  breakOff();
  return 0;
}

function valueIn(list: u32, index: i64): u32 {
  const kind = kindOf(list);
  if (kind == Kind.Number) return integer(index);
  return kind == Kind.Object ? valueAt(list, <u32>index) : elementAt(list, <u32>index);
}

function keyIn(list: u32, index: i64): u32 {
  return kindOf(list) == Kind.Object ? keyAt(list, <u32>index) : integer(index);
}
