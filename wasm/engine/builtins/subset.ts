// Whether one collection holds another (OPA's v1/topdown/subset.go).

import { equal, VALUE_DEPTH_MAX } from '../compare';
import { Failure, failed, stop } from '../failure';
import { find, get, has, sorted } from '../object';
import { boolean, elementAt, Kind, keyAt, kindOf, lengthOf, valueAt } from '../value';

export function b_object_subset(larger: u32, smaller: u32): u32 {
  const kind = kindOf(larger);
  const other = kindOf(smaller);
  if (kind == Kind.Array && other == Kind.Set) return boolean(arrayHoldsSet(larger, smaller));
  if (kind != other || kind < <u32>Kind.Array) return failed(Failure.Type);
  return boolean(holds(larger, smaller, 0));
}

/** For two collections of one kind; only objects are looked into. */
function holds(larger: u32, smaller: u32, depth: u32): bool {
  if (depth == VALUE_DEPTH_MAX) stop(Failure.Depth);
  const kind = kindOf(larger);
  if (kind == Kind.Array) return arrayHolds(larger, smaller);
  const count = lengthOf(sorted(smaller));
  for (let i: u32 = 0; i < count; i++) {
    const key = keyAt(smaller, i);
    if (kind == Kind.Set) {
      if (!has(larger, key)) return false;
      continue;
    }
    const theirs = get(larger, key);
    if (theirs == 0) return false;
    const ours = valueAt(smaller, i);
    if (equal(ours, theirs)) continue;
    const inner = kindOf(ours);
    if (inner != kindOf(theirs) || inner < <u32>Kind.Array) return false;
    if (!holds(theirs, ours, depth + 1)) return false;
  }
  return true;
}

/** Whether the elements of one array stand side by side in the other. */
function arrayHolds(larger: u32, smaller: u32): bool {
  const count = lengthOf(smaller);
  if (count > lengthOf(larger)) return false;
  const last = lengthOf(larger) - count;
  for (let start: u32 = 0; start <= last; start++) {
    let same: u32 = 0;
    while (same < count && equal(elementAt(larger, start + same), elementAt(smaller, same))) same++;
    if (same == count) return true;
  }
  return false;
}

/** As OPA counts: an element that is twice in the array counts twice, and an empty array holds nothing. */
function arrayHoldsSet(array: u32, set: u32): bool {
  let missing = lengthOf(set);
  for (let i: u32 = 0; i < lengthOf(array); i++) {
    if (find(set, elementAt(array, i)) >= 0) missing -= 1;
    if (missing == 0) return true;
  }
  return false;
}
