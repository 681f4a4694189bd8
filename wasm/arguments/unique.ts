// Finds equal elements of an array by hash, so that honest arrays cost what they are long.

import { alloc, mark, release } from '../common/arena';
import {
  childCount,
  equalNodes,
  firstChild,
  Kind,
  keyLength,
  keyPointer,
  kindOf,
  nextSibling,
  stringLength,
  stringPointer,
} from '../common/json';
import { isExhausted, spend, stepsLeft } from './budget';

const PRIME: u32 = 16777619;
const BASIS: u32 = 2166136261;

/** FNV-1a over bytes; what collides on purpose is paid for in steps. */
function hashBytes(seed: u32, pointer: u32, length: u32): u32 {
  let hash = seed;
  for (let at = pointer; at < pointer + length; at++) hash = (hash ^ load<u8>(at)) * PRIME;
  return hash;
}

/** Hash of a value; members are in canonical order, so that equal values have equal hashes. */
function hashNode(seed: u32, node: u32): u32 {
  const kind = kindOf(node);
  let hash = (seed ^ kind) * PRIME;
  if (!spend(1)) return hash;
  if (kind == Kind.String || kind == Kind.Number) {
    const length = stringLength(node);
    spend(length >> 3);
    return hashBytes(hash, stringPointer(node), length);
  }
  if (kind < Kind.Array) return hash;
  for (let child = firstChild(node); child != 0; child = nextSibling(child)) {
    if (kind == Kind.Object) {
      spend(keyLength(child) >> 3);
      hash = hashBytes(hash, keyPointer(child), keyLength(child));
    }
    hash = hashNode(hash, child);
  }
  // Tells [[1],2] from [[1,2]].
  return (hash ^ 0xff) * PRIME;
}

/** Whether no two elements of the array are equal. The answer is meaningless once steps ran out. */
export function hasUniqueItems(array: u32): bool {
  const count = childCount(array);
  if (count < 2) return true;
  const point = mark();
  let slots: u32 = 4;
  while (slots < count * 2) slots <<= 1;
  const table = alloc(slots * 8);
  memory.fill(table, 0, slots * 8);
  let unique = true;
  for (let item = firstChild(array); item != 0 && unique; item = nextSibling(item)) {
    unique = addItem(table, slots - 1, item);
    if (isExhausted()) break;
  }
  release(point);
  return unique;
}

/** Adds an element to the table of `[node, hash]`; false when an equal one is there. */
function addItem(table: u32, mask: u32, item: u32): bool {
  const before = stepsLeft();
  const hash = hashNode(BASIS, item);
  const steps = before - stepsLeft();
  for (let slot = hash & mask; !isExhausted(); slot = (slot + 1) & mask) {
    const at = table + slot * 8;
    const other = load<u32>(at);
    if (other == 0) {
      store<u32>(at, item);
      store<u32>(at, hash, 4);
      return true;
    }
    spend(1);
    if (load<u32>(at, 4) != hash) continue;
    if (!spend(steps)) break;
    if (equalNodes(other, item)) return false;
  }
  return true;
}
