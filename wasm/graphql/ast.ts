// The nodes of a GraphQL document: gqlparser's structs with one layout of slots for all of them.
//
// A node is NODE_BYTES of u32 slots. Texts are string values of the engine (0 is the empty one), lists are its
// arrays, holding nodes or texts, (0 is the empty one). The slots after the syntax are what validation finds out.

import { alloc } from '../common/arena';
import { elementAt, lengthOf, newArray, push, textOf } from '../engine/value';

/** What a node is; each has its fields in shapes.ts. */
export const enum Shape {
  Query = 1,
  Operation,
  Fragment,
  Variable,
  Field,
  Spread,
  Inline,
  Argument,
  Directive,
  Value,
  Child,
  Type,
  Schema,
  SchemaDefinition,
  OperationType,
  Definition,
  FieldDefinition,
  ArgumentDefinition,
  EnumValue,
  DirectiveDefinition,
}

/** Where a node keeps what: the same number means another thing in another shape. */
export const enum Slot {
  Shape = 0,
  Name = 1,
  // A value's text; the named type of a type.
  Raw = 1,
  // Query
  Operations = 2,
  Fragments = 3,
  // Operation, fragment, field, spread and inline fragment
  Operation = 2,
  TypeCondition = 2,
  Alias = 2,
  Variables = 3,
  Arguments = 3,
  Directives = 4,
  Selections = 5,
  Comment = 6,
  // Argument and child of a value
  Value = 2,
  // Directive
  Location = 2,
  // Value
  Children = 2,
  ValueKind = 3,
  HasDefault = 5,
  // Type
  Elem = 2,
  NonNull = 3,
  // Variable; definitions of fields and arguments
  Type = 2,
  Default = 3,
  Used = 5,
  ArgumentDefinitions = 5,
  // Definitions
  Description = 7,
  Before = 8,
  After = 9,
  Interfaces = 3,
  Fields = 5,
  Members = 6,
  EnumValues = 10,
  Kind = 11,
  BuiltIn = 12,
  End = 13,
  Locations = 2,
  Repeatable = 3,
  OperationTypes = 3,
  // Schema document
  SchemaDefinitions = 1,
  SchemaExtensions = 2,
  DirectiveDefinitions = 3,
  Definitions = 4,
  Extensions = 5,
  // Found by validation: the type that encloses, the definition that is meant
  Definition = 10,
  Parent = 11,
  ExpectedType = 11,
  VariableDefinition = 12,
}

const SLOTS: u32 = 14;

/** gqlparser's kinds of values, as they stand in its JSON. */
export const enum ValueKind {
  Variable,
  Int,
  Float,
  String,
  Block,
  Boolean,
  Null,
  Enum,
  List,
  Object,
}

/** An empty node. */
export function newNode(shape: u32): u32 {
  const node = alloc(SLOTS << 2);
  memory.fill(node, 0, SLOTS << 2);
  store<u32>(node, shape);
  return node;
}

export function at(node: u32, slot: u32): u32 {
  return load<u32>(node + (slot << 2));
}

export function put(node: u32, slot: u32, value: u32): void {
  store<u32>(node + (slot << 2), value);
}

/** Elements of a list. */
export function count(list: u32): u32 {
  return list == 0 ? 0 : lengthOf(list);
}

/** The list with one element more: a new list for the empty one. */
export function append(list: u32, element: u32): u32 {
  const target = list == 0 ? newArray(4) : list;
  push(target, element);
  return target;
}

/** A new list of the elements of both. */
export function joined(a: u32, b: u32): u32 {
  const both = newArray(count(a) + count(b));
  for (let i: u32 = 0; i < count(a); i++) push(both, elementAt(a, i));
  for (let i: u32 = 0; i < count(b); i++) push(both, elementAt(b, i));
  return both;
}

/** Bytes of a text. */
export function size(text: u32): u32 {
  return text == 0 ? 0 : lengthOf(text);
}

/** Whether two texts are the same. */
export function same(a: u32, b: u32): bool {
  if (a == b) return true;
  const length = size(a);
  if (length != size(b)) return false;
  return length == 0 || memory.compare(textOf(a), textOf(b), length) == 0;
}

/** Whether a text is this ASCII literal. */
export function is(text: u32, literal: string): bool {
  return text == 0 ? literal.length == 0 : spells(textOf(text), lengthOf(text), literal);
}

/** Whether these bytes are this ASCII literal. */
export function spells(pointer: u32, length: u32, literal: string): bool {
  if (length != <u32>literal.length) return false;
  const source = changetype<usize>(literal);
  for (let i: u32 = 0; i < length; i++) {
    if (load<u8>(pointer + i) != load<u8>(source + (i << 1))) return false;
  }
  return true;
}

/** Whether the text begins with the two underscores that are reserved for introspection. */
export function reserved(text: u32): bool {
  return size(text) >= 2 && load<u16>(textOf(text)) == 0x5f5f;
}

/** The node with this name in a list, 0 when there is none. */
export function named(list: u32, name: u32): u32 {
  for (let i: u32 = 0; i < count(list); i++) {
    const node = elementAt(list, i);
    if (same(at(node, Slot.Name), name)) return node;
  }
  return 0;
}

/** Whether a list of texts holds this one. */
export function holds(list: u32, text: u32): bool {
  for (let i: u32 = 0; i < count(list); i++) {
    if (same(elementAt(list, i), text)) return true;
  }
  return false;
}

/** The name of the innermost type of a type, however often it is a list; 0 when it has none. */
export function typeName(type: u32): u32 {
  let inner = type;
  while (inner != 0 && size(at(inner, Slot.Name)) == 0) inner = at(inner, Slot.Elem);
  return inner == 0 ? 0 : at(inner, Slot.Name);
}
