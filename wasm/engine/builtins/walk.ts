// Every value inside a value with the path to it: the relation `walk` as an array of pairs (OPA's v1/topdown/walk.go).

import { alloc } from '../../common/arena';
import { Failure, stop } from '../failure';
import { sorted } from '../object';
import {
  ELEMENTS,
  elementAt,
  integer,
  Kind,
  keyAt,
  kindOf,
  LENGTH,
  lengthOf,
  newArray,
  push,
  valueAt,
} from '../value';

/** As deep as a value can come to be without a JSON text; deeper ones end the evaluation. */
const DEPTH_MAX: u32 = 4096;

let pairs: u32 = 0;
let path: u32 = 0;

/** The pairs `[path, value]` from the outside in, members in the order of their keys. */
export function b_walk(value: u32): u32 {
  pairs = newArray(16);
  path = alloc(DEPTH_MAX << 2);
  visit(value, 0);
  return pairs;
}

function visit(value: u32, depth: u32): void {
  if (depth == DEPTH_MAX) stop(Failure.Depth);
  const pair = newArray(2);
  push(pair, pathOf(depth));
  push(pair, value);
  push(pairs, pair);
  const kind = kindOf(value);
  if (kind < <u32>Kind.Array) return;
  const slot = path + (depth << 2);
  const count = lengthOf(value);
  if (kind != Kind.Array) sorted(value);
  for (let i: u32 = 0; i < count; i++) {
    const key = kind == Kind.Array ? integer(i) : keyAt(value, i);
    store<u32>(slot, key);
    if (kind == Kind.Array) visit(elementAt(value, i), depth + 1);
    else visit(kind == Kind.Set ? key : valueAt(value, i), depth + 1);
  }
}

/** A copy of the path so far. */
function pathOf(depth: u32): u32 {
  const copy = newArray(depth);
  memory.copy(load<u32>(copy, ELEMENTS), path, depth << 2);
  store<u32>(copy, depth, LENGTH);
  return copy;
}
