// The set operators `&` and `|` (OPA's v1/topdown/sets.go).

import { Failure, failed } from '../failure';
import { add, append, has, newSet } from '../object';
import { Kind, keyAt, kindOf, lengthOf } from '../value';

function areSets(a: u32, b: u32): bool {
  return kindOf(a) == Kind.Set && kindOf(b) == Kind.Set;
}

/** What both sets have. */
export function b_and(a: u32, b: u32): u32 {
  if (!areSets(a, b)) return failed(Failure.Type);
  const fewer = lengthOf(a) <= lengthOf(b) ? a : b;
  const more = fewer == a ? b : a;
  const set = newSet(lengthOf(fewer));
  for (let i: u32 = 0; i < lengthOf(fewer); i++) {
    const element = keyAt(fewer, i);
    if (has(more, element)) append(set, element, element);
  }
  return set;
}

/** What one set or the other has. */
export function b_or(a: u32, b: u32): u32 {
  if (!areSets(a, b)) return failed(Failure.Type);
  const set = newSet(lengthOf(a) + lengthOf(b));
  for (let i: u32 = 0; i < lengthOf(a); i++) append(set, keyAt(a, i), keyAt(a, i));
  for (let i: u32 = 0; i < lengthOf(b); i++) add(set, keyAt(b, i));
  return set;
}
