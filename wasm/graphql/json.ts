// Turns GraphQL's nodes into the Rego objects that OPA gives for them, and such objects back into nodes.
//
// OPA writes gqlparser's structs as JSON and drops positions, nulls and what is empty; it reads them back as
// Go's encoding/json does, so that unknown keys are passed over and a wrong type is an error.

import { Failure, stop } from '../engine/failure';
import { get, insert, newObject, sorted } from '../engine/object';
import {
  asciiString,
  boolean,
  elementAt,
  integer,
  integerOf,
  isInteger,
  Kind,
  keyAt,
  kindOf,
  lengthOf,
  newArray,
  push,
  TRUE,
} from '../engine/value';
import { append, at, count, newNode, put, Shape, Slot } from './ast';
import { describe } from './shapes';

/** How deep nodes may nest. */
const DEPTH: u32 = 256;

let reading: bool = false;
let broken: bool = false;
let current: u32 = 0;
let object: u32 = 0;
let depth: u32 = 0;

/** The Rego object of a node. */
export function toObject(node: u32): u32 {
  reading = false;
  depth = 0;
  return write(node);
}

/** The node of this shape that a Rego object describes, 0 when gqlparser would not read it. */
export function toNode(value: u32, shape: u32): u32 {
  reading = true;
  broken = false;
  depth = 0;
  const node = read(value, shape);
  return broken ? 0 : node;
}

function write(node: u32): u32 {
  const result = newObject(8);
  visit(node, result);
  return result;
}

function read(value: u32, shape: u32): u32 {
  if (kindOf(value) != Kind.Object) {
    broken = true;
    return 0;
  }
  const result = newNode(shape);
  visit(result, value);
  return result;
}

function visit(node: u32, value: u32): void {
  const outerNode = current;
  const outerObject = object;
  if (++depth > DEPTH) stop(Failure.Depth);
  current = node;
  object = value;
  describe(at(node, Slot.Shape));
  current = outerNode;
  object = outerObject;
  depth--;
}

/** The value of a key when reading, 0 for none and for null. */
function given(key: string): u32 {
  const value = get(object, asciiString(key));
  return value == 0 || kindOf(value) == Kind.Null ? 0 : value;
}

function readText(value: u32): u32 {
  if (kindOf(value) == Kind.String) return value;
  broken = true;
  return 0;
}

/** A field that is a string. */
export function text(key: string, slot: u32): void {
  if (!reading) {
    const value = at(current, slot);
    insert(object, asciiString(key), value == 0 ? asciiString('') : value);
    return;
  }
  const value = given(key);
  if (value != 0) put(current, slot, readText(value));
}

/** A field that is a boolean. */
export function flag(key: string, slot: u32): void {
  if (!reading) {
    insert(object, asciiString(key), boolean(at(current, slot) != 0));
    return;
  }
  const value = given(key);
  if (value == 0) return;
  if (kindOf(value) != Kind.True && kindOf(value) != Kind.False) broken = true;
  put(current, slot, value == TRUE ? 1 : 0);
}

/** A field that is an integer. */
export function integerField(key: string, slot: u32): void {
  if (!reading) {
    insert(object, asciiString(key), integer(at(current, slot)));
    return;
  }
  const value = given(key);
  if (value == 0) return;
  if (!isInteger(value)) broken = true;
  else put(current, slot, <u32>integerOf(value));
}

/** A field that is a node. */
export function node(key: string, slot: u32, shape: u32): void {
  if (!reading) {
    const value = at(current, slot);
    if (value != 0) insert(object, asciiString(key), write(value));
    return;
  }
  const value = given(key);
  if (value != 0) put(current, slot, read(value, shape));
}

/** A field that is a list of nodes. */
export function list(key: string, slot: u32, shape: u32): void {
  if (!reading) return writeList(key, slot);
  const items = givenItems(key);
  let nodes: u32 = 0;
  for (let i: u32 = 0; i < count(items); i++)
    nodes = append(nodes, read(elementAt(items, i), shape));
  put(current, slot, nodes);
}

/** A field that is a list of strings. */
export function texts(key: string, slot: u32): void {
  if (!reading) {
    if (count(at(current, slot)) != 0) insert(object, asciiString(key), at(current, slot));
    return;
  }
  const items = givenItems(key);
  let read: u32 = 0;
  for (let i: u32 = 0; i < count(items); i++) read = append(read, readText(elementAt(items, i)));
  put(current, slot, read);
}

/** A field that is a list of selections: gqlparser takes each for a field that can be one. */
export function selections(key: string, slot: u32): void {
  if (!reading) return writeList(key, slot);
  const items = givenItems(key);
  let nodes: u32 = 0;
  for (let i: u32 = 0; i < count(items); i++) {
    const item = elementAt(items, i);
    let selection = kindOf(item) == Kind.Null ? newNode(Shape.Field) : attempt(item, Shape.Field);
    if (selection == 0) selection = attempt(item, Shape.Spread);
    if (selection == 0) selection = attempt(item, Shape.Inline);
    if (selection != 0) nodes = append(nodes, selection);
  }
  put(current, slot, nodes);
}

/** Reads a node that may be of another shape; 0 when it is. */
function attempt(value: u32, shape: u32): u32 {
  const before = broken;
  broken = false;
  const result = read(value, shape);
  const failed = broken;
  broken = before;
  return failed ? 0 : result;
}

/** A field that is a group of comments, which gqlparser reads back only where it `returns`. */
export function comment(key: string, slot: u32, returns: bool): void {
  if (reading) {
    if (returns) readComment(key, slot);
    return;
  }
  const comments = at(current, slot);
  if (count(comments) == 0) return;
  const lines = newArray(count(comments));
  for (let i: u32 = 0; i < count(comments); i++) {
    const line = newObject(1);
    insert(line, asciiString('Value'), elementAt(comments, i));
    push(lines, line);
  }
  const group = newObject(1);
  insert(group, asciiString('List'), lines);
  insert(object, asciiString(key), group);
}

function readComment(key: string, slot: u32): void {
  const group = given(key);
  if (group == 0) return;
  if (kindOf(group) != Kind.Object) {
    broken = true;
    return;
  }
  const outer = object;
  object = group;
  const lines = givenItems('List');
  let comments: u32 = 0;
  for (let i: u32 = 0; i < count(lines); i++) {
    object = elementAt(lines, i);
    const value = kindOf(object) == Kind.Object ? given('Value') : 0;
    comments = append(comments, value == 0 ? asciiString('') : readText(value));
  }
  object = outer;
  put(current, slot, comments);
}

function writeList(key: string, slot: u32): void {
  const nodes = at(current, slot);
  if (count(nodes) == 0) return;
  const values = newArray(count(nodes));
  for (let i: u32 = 0; i < count(nodes); i++) push(values, write(elementAt(nodes, i)));
  insert(object, asciiString(key), values);
}

/** The elements of an array, or of a set in order, as JSON has it; 0 when there is none. */
function givenItems(key: string): u32 {
  const value = given(key);
  if (value == 0 || kindOf(value) == Kind.Array) return value;
  if (kindOf(value) != Kind.Set) {
    broken = true;
    return 0;
  }
  sorted(value);
  let items: u32 = 0;
  for (let i: u32 = 0; i < lengthOf(value); i++) items = append(items, keyAt(value, i));
  return items;
}
