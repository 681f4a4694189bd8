// A compiled schema, and the memory that compiled schemas are built in.

import {
  childCount,
  firstChild,
  Kind,
  keyLength,
  keyPointer,
  kindOf,
  nextSibling,
} from '../common/json';
import { LENGTH, NEXT, NODE_BYTES, POINTER, VALUE } from '../common/node';
import { KEY_LENGTH, KEY_POINTER } from '../common/sort';

/** Bits of `types`, by the kinds of JSON values; an integer is a number without a fraction. */
export namespace Type {
  export const Null: u32 = 1;
  export const Boolean: u32 = 2;
  export const Integer: u32 = 4;
  export const Number: u32 = 8;
  export const String: u32 = 16;
  export const Array: u32 = 32;
  export const Object: u32 = 64;
}

/** What a schema does when it has no keyword. */
export namespace Always {
  export const Undecided: u32 = 0;
  export const True: u32 = 1;
  export const False: u32 = 2;
}

/** For counts and bounds: the keyword is absent. */
export const ABSENT: u32 = u32.MAX_VALUE;

/**
 * One schema. Fields named after keywords; 0 or ABSENT where absent. Schemas are pointers to `Schema`;
 * numbers are nodes; patterns are programs; lists begin with their length, and their entries are
 * `[schema]`, `[value, steps]` for enum, `[key, keyLength, …]` for what is keyed, `[program, schema]`.
 */
@unmanaged
export class Schema {
  always: u32;
  types: u32;
  ref: u32;
  enumeration: u32;
  constant: u32;
  constantSteps: u32;
  allOf: u32;
  anyOf: u32;
  oneOf: u32;
  not: u32;
  if: u32;
  then: u32;
  else: u32;
  minimum: u32;
  maximum: u32;
  exclusiveMinimum: u32;
  exclusiveMaximum: u32;
  multipleOf: u32;
  minLength: u32;
  maxLength: u32;
  pattern: u32;
  minItems: u32;
  maxItems: u32;
  uniqueItems: u32;
  prefixItems: u32;
  items: u32;
  contains: u32;
  minContains: u32;
  maxContains: u32;
  minProperties: u32;
  maxProperties: u32;
  required: u32;
  properties: u32;
  patternProperties: u32;
  additionalProperties: u32;
  propertyNames: u32;
  dependentRequired: u32;
  dependentSchemas: u32;
  /** While compiling: the node of `$ref`, the next schema made, and how the search for loops went. */
  refNode: u32;
  nextMade: u32;
  /** Length of the longest chain of schemas that apply to the same value; 0 while unknown. */
  chain: u32;
  open: u32;
}

/** The schema at a pointer. */
export function schemaAt(pointer: u32): Schema {
  return changetype<Schema>(<usize>pointer);
}

let top: u32 = 0;
let end: u32 = 0;
let full: bool = false;

/** Begins to build in `capacity` bytes at `start`. */
export function beginBuilding(start: u32, capacity: u32): void {
  top = start;
  end = start + capacity;
  full = false;
}

/** Whether more was asked for than there was room for; what was built is then of no use. */
export function isFull(): bool {
  return full;
}

/** Where the next byte will be built. */
export function builtTop(): u32 {
  return top;
}

/** Bytes left to build in. */
export function buildingRoom(): u32 {
  return end - top;
}

/** Takes bytes, 8-byte aligned; 0 when there is no room. */
export function build(bytes: u32): u32 {
  const at = (top + 7) & ~7;
  if (at > end || bytes > end - at) {
    full = true;
    return 0;
  }
  top = at + bytes;
  return at;
}

/** Gives back what was built last, from `at` on. */
export function unbuild(at: u32): void {
  top = at;
}

/** Makes a schema without keywords; 0 when there is no room. */
export function newSchema(always: u32): u32 {
  const at = build(offsetof<Schema>());
  if (at == 0) return 0;
  memory.fill(at, 0, offsetof<Schema>());
  const schema = schemaAt(at);
  schema.always = always;
  schema.maxLength = ABSENT;
  schema.maxItems = ABSENT;
  schema.maxProperties = ABSENT;
  schema.minContains = ABSENT;
  schema.maxContains = ABSENT;
  return at;
}

/** Makes a list for `count` entries of `words` 32-bit words each; 0 when there is no room. */
export function newList(count: u32, words: u32): u32 {
  const at = build(4 + count * words * 4);
  if (at != 0) store<u32>(at, count);
  return at;
}

/** Copies text next to the schema; 0 when there is no room. */
export function keepText(pointer: u32, length: u32): u32 {
  const at = build(max<u32>(length, 1));
  if (at != 0) memory.copy(at, pointer, length);
  return at;
}

let copiedSteps: u32 = 0;

/** What it costs to compare with the value that `keepValue` copied last. */
export function keptSteps(): u32 {
  return copiedSteps;
}

/** Copies a JSON value next to the schema, in the shape that `equalNodes` compares; 0 when there is no room. */
export function keepValue(node: u32): u32 {
  copiedSteps = 0;
  return copyNode(node);
}

function copyNode(node: u32): u32 {
  const copy = build(NODE_BYTES);
  if (copy == 0) return 0;
  memory.copy(copy, node, NODE_BYTES);
  store<u32>(copy, 0, NEXT);
  const kind = kindOf(node);
  copiedSteps += 1;
  if (kind == Kind.String || kind == Kind.Number) {
    const length = load<u32>(node, LENGTH);
    copiedSteps += length >> 4;
    store<u32>(copy, keepText(load<u32>(node, POINTER), length), POINTER);
  } else if (kind >= Kind.Array) {
    copyChildren(node, copy, kind == Kind.Object);
  }
  return full ? 0 : copy;
}

function copyChildren(node: u32, copy: u32, keyed: bool): void {
  // The copy has no index: it is compared, never searched.
  store<u32>(copy, 0, VALUE);
  store<u32>(copy, childCount(node), LENGTH);
  let link = copy + POINTER;
  store<u32>(link, 0);
  for (let child = firstChild(node); child != 0; child = nextSibling(child)) {
    const childCopy = copyNode(child);
    if (childCopy == 0) return;
    if (keyed) {
      store<u32>(childCopy, keepText(keyPointer(child), keyLength(child)), KEY_POINTER);
      store<u32>(childCopy, keyLength(child), KEY_LENGTH);
    }
    store<u32>(link, childCopy);
    link = childCopy + NEXT;
  }
}
