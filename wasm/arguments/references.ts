// Connects `$ref` with the schema that it points to, and refuses references that go in circles.

import { alloc } from '../common/arena';
import {
  childCount,
  firstChild,
  Kind,
  keyLength,
  keyPointer,
  kindOf,
  member,
  nextSibling,
  stringLength,
  stringPointer,
} from '../common/json';
import { refuse } from './failure';
import { CHAIN_MAX } from './limits';
import { firstReference, madeOf } from './made';
import { enterIndex, enterKey, leave, resetPath } from './path';
import { schemaAt } from './schema';

/** Resolves every `$ref` below `root`, and checks that following them ends. */
export function resolveReferences(root: u32): void {
  for (let made = firstReference(); made != 0; made = schemaAt(made).nextMade) {
    const node = schemaAt(made).refNode;
    const target = targetOf(root, stringPointer(node), stringLength(node));
    schemaAt(made).ref = target == 0 ? 0 : madeOf(target);
    if (schemaAt(made).ref != 0) continue;
    refuseAt(root, node, 'schema_ref_unresolved', 'points to no schema of this document');
    return;
  }
  // A circle always goes through a reference.
  for (let made = firstReference(); made != 0; made = schemaAt(made).nextMade) {
    if (chainOf(made) > 0) continue;
    const message =
      'refers to itself without looking at a part of the value, or through too many steps';
    refuseAt(root, schemaAt(made).refNode, 'schema_invalid', message);
    return;
  }
}

/** Refuses the member `node`, wherever it stands below `root`. */
function refuseAt(root: u32, node: u32, code: string, message: string): void {
  resetPath();
  find(root, node);
  refuse(code, message, node);
}

/** Goes to the place of `node`, which stands below `from`. */
function find(from: u32, node: u32): bool {
  if (from == node) return true;
  const kind = kindOf(from);
  if (kind < Kind.Array) return false;
  let index: u32 = 0;
  for (let child = firstChild(from); child != 0; child = nextSibling(child)) {
    if (kind == Kind.Object) enterKey(keyPointer(child), keyLength(child));
    else enterIndex(index);
    if (find(child, node)) return true;
    leave();
    index++;
  }
  return false;
}

/** The node that a reference points to: `#` or a JSON Pointer in a fragment (RFC 6901 section 6); 0 when none. */
function targetOf(root: u32, reference: u32, length: u32): u32 {
  if (length == 0 || load<u8>(reference) != 0x23) return 0;
  const text = alloc(max<u32>(length, 1));
  const bytes = decodePercent(reference + 1, length - 1, text);
  if (bytes < 0) return 0;
  const end = text + <u32>bytes;
  let at = text;
  let node = root;
  while (at < end && node != 0) {
    if (load<u8>(at) != 0x2f) return 0;
    const start = ++at;
    while (at < end && load<u8>(at) != 0x2f) at++;
    node = step(node, start, at - start);
  }
  return node;
}

/** Decodes `%XX` into `out`; the number of bytes, or -1 when an escape is malformed. */
function decodePercent(from: u32, length: u32, out: u32): i32 {
  let written: u32 = 0;
  for (let index: u32 = 0; index < length; index++) {
    let byte = <i32>load<u8>(from + index);
    if (byte == 0x25) {
      if (index + 2 >= length) return -1;
      const high = hexDigit(load<u8>(from + index + 1));
      const low = hexDigit(load<u8>(from + index + 2));
      if (high < 0 || low < 0) return -1;
      byte = high * 16 + low;
      index += 2;
    }
    store<u8>(out + written, byte);
    written++;
  }
  return <i32>written;
}

function hexDigit(byte: u32): i32 {
  if (byte >= 0x30 && byte <= 0x39) return <i32>byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? <i32>lower - 0x57 : -1;
}

/** The child that one token of a pointer names; the token is decoded in place. */
function step(node: u32, token: u32, length: u32): u32 {
  let written: u32 = 0;
  for (let index: u32 = 0; index < length; index++) {
    let byte = load<u8>(token + index);
    if (byte == 0x7e) {
      index++;
      const digit: u32 = index < length ? load<u8>(token + index) : 0;
      if (digit != 0x30 && digit != 0x31) return 0;
      byte = digit == 0x30 ? 0x7e : 0x2f;
    }
    store<u8>(token + written, byte);
    written++;
  }
  const kind = kindOf(node);
  if (kind == Kind.Object) return member(node, token, written);
  return kind == Kind.Array ? element(node, token, written) : 0;
}

function element(node: u32, token: u32, length: u32): u32 {
  if (length == 0 || length > 6 || (length > 1 && load<u8>(token) == 0x30)) return 0;
  let index: u32 = 0;
  for (let at = token; at < token + length; at++) {
    const digit = <u32>load<u8>(at) - 0x30;
    if (digit > 9) return 0;
    index = index * 10 + digit;
  }
  if (index >= childCount(node)) return 0;
  let child = firstChild(node);
  for (; index > 0; index--) child = nextSibling(child);
  return child;
}

let nesting: u32 = 0;

/**
 * Length of the longest chain of schemas that apply to the same value as this one; 0 when it has no
 * end or is longer than CHAIN_MAX. Bounded work: each schema is walked once.
 */
function chainOf(made: u32): u32 {
  if (made == 0) return 1;
  const schema = schemaAt(made);
  if (schema.chain != 0) return schema.chain;
  if (schema.open != 0 || nesting > CHAIN_MAX) return 0;
  schema.open = 1;
  nesting++;
  let longest = chainOf(schema.ref);
  longest = longer(longest, schema.not);
  longest = longer(longest, schema.if);
  longest = longer(longest, schema.then);
  longest = longer(longest, schema.else);
  longest = longestOf(longest, schema.allOf, 1);
  longest = longestOf(longest, schema.anyOf, 1);
  longest = longestOf(longest, schema.oneOf, 1);
  longest = longestOf(longest, schema.dependentSchemas, 3);
  nesting--;
  schema.open = 0;
  if (longest == 0 || longest >= CHAIN_MAX) return 0;
  schema.chain = longest + 1;
  return schema.chain;
}

function longer(longest: u32, made: u32): u32 {
  if (longest == 0) return 0;
  const other = chainOf(made);
  return other == 0 ? 0 : max(longest, other);
}

/** `words` is the size of the list's entries, whose last word is the schema. */
function longestOf(longest: u32, list: u32, words: u32): u32 {
  if (list == 0) return longest;
  let result = longest;
  const count = load<u32>(list);
  for (let index: u32 = 0; index < count && result != 0; index++) {
    result = longer(result, load<u32>(list + (((index + 1) * words) << 2)));
  }
  return result;
}
