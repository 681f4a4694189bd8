// Sets of sets to one set (OPA's v1/topdown/sets.go).

import { Failure, failed } from '../failure';
import { add, has, newSet, sorted } from '../object';
import { Kind, keyAt, kindOf, lengthOf } from '../value';

/** Whether this is a set of sets. */
function setOfSets(value: u32): bool {
  if (kindOf(value) != Kind.Set) return false;
  for (let i: u32 = 0; i < lengthOf(value); i++) {
    if (kindOf(keyAt(value, i)) != Kind.Set) return false;
  }
  return true;
}

export function b_intersection(sets: u32): u32 {
  if (!setOfSets(sets)) return failed(Failure.Type);
  const count = lengthOf(sets);
  if (count == 0) return newSet(0);
  let smallest = keyAt(sets, 0);
  for (let i: u32 = 1; i < count; i++) {
    if (lengthOf(keyAt(sets, i)) < lengthOf(smallest)) smallest = keyAt(sets, i);
  }
  const common = newSet(lengthOf(smallest));
  // In order beforehand: a search may sort, and must not do so under the loop.
  sorted(smallest);
  for (let i: u32 = 0; i < lengthOf(smallest); i++) {
    const member = keyAt(smallest, i);
    let everywhere = true;
    for (let j: u32 = 0; j < count && everywhere; j++) everywhere = has(keyAt(sets, j), member);
    if (everywhere) add(common, member);
  }
  return common;
}

export function b_union(sets: u32): u32 {
  if (!setOfSets(sets)) return failed(Failure.Type);
  const all = newSet(0);
  for (let i: u32 = 0; i < lengthOf(sets); i++) {
    const set = keyAt(sets, i);
    for (let j: u32 = 0; j < lengthOf(set); j++) add(all, keyAt(set, j));
  }
  return all;
}

/** Deprecated in favour of `a - b`; older policies call it. */
export function b_set_diff(a: u32, b: u32): u32 {
  if (kindOf(a) != Kind.Set || kindOf(b) != Kind.Set) return failed(Failure.Type);
  const rest = newSet(lengthOf(a));
  for (let i: u32 = 0; i < lengthOf(a); i++) if (!has(b, keyAt(a, i))) add(rest, keyAt(a, i));
  return rest;
}
