// gqlparser's OverlappingFieldsCanBeMerged: whether fields of one response name can be answered together.
//
// The comparisons (A) to (J) are those of the rule in graphql-js, which gqlparser follows.

import { Failure, stop } from '../engine/failure';
import { elementAt, newArray, push } from '../engine/value';
import { at, count, named, Shape, Slot, same, size, typeName, ValueKind } from './ast';
import { keep, lookup, newNames } from './names';
import { fresh } from './rules';
import { TypeKind } from './schema';
import { isLeaf, kindOfType, typeOf } from './types';

/** How deep comparisons may nest. */
const DEPTH: u32 = 256;

/** Pairs of fragments that were compared: a map of maps, 1 when not and 2 when mutually exclusive. */
let pairs: u32 = 0;
let compared: u32 = 0;
let depth: u32 = 0;

/** What `collect` found: the fields of a selection set, and its spreads. */
let fields: u32 = 0;
let spreads: u32 = 0;

/** Begins a query. */
export function forgetPairs(): void {
  pairs = newNames();
  depth = 0;
}

/** Whether no two fields of a selection set, which has been walked, are in conflict. */
export function mergeable(selections: u32): bool {
  if (count(selections) == 0) return true;
  collect(selections);
  const own = fields;
  const spread = spreads;
  // (A)
  for (let i: u32 = 0; i < count(own); i++) {
    for (let j = i + 1; j < count(own); j++) {
      if (!compatible(elementAt(own, i), elementAt(own, j), false)) return false;
    }
  }
  compared = newNames();
  for (let i: u32 = 0; i < count(spread); i++) {
    // (B)
    if (!againstFragment(own, elementAt(spread, i), false)) return false;
    for (let j = i + 1; j < count(spread); j++) {
      // (C)
      if (!betweenFragments(elementAt(spread, i), elementAt(spread, j), false)) return false;
    }
  }
  return true;
}

function collect(selections: u32): void {
  fields = newArray(count(selections));
  spreads = newArray(0);
  gather(selections);
}

function gather(selections: u32): void {
  for (let i: u32 = 0; i < count(selections); i++) {
    const node = elementAt(selections, i);
    const shape = at(node, Slot.Shape);
    if (shape == Shape.Field) push(fields, node);
    else if (shape == Shape.Spread) push(spreads, node);
    else gather(at(node, Slot.Selections));
  }
}

function between(a: u32, b: u32, exclusive: bool): bool {
  for (let i: u32 = 0; i < count(a); i++) {
    for (let j: u32 = 0; j < count(b); j++) {
      if (!compatible(elementAt(a, i), elementAt(b, j), exclusive)) return false;
    }
  }
  return true;
}

function againstFragment(own: u32, spread: u32, exclusive: bool): bool {
  const fragment = at(spread, Slot.Definition);
  if (!fresh(compared, at(spread, Slot.Name)) || fragment == 0) return true;
  collect(at(fragment, Slot.Selections));
  const theirs = fields;
  const further = spreads;
  // A fragment is not compared to itself.
  if (sameNodes(own, theirs)) return true;
  // (D), (E)
  if (!between(own, theirs, exclusive)) return false;
  for (let i: u32 = 0; i < count(further); i++) {
    const next = elementAt(further, i);
    if (same(at(next, Slot.Name), at(spread, Slot.Name))) continue;
    if (!againstFragment(own, next, exclusive)) return false;
  }
  return true;
}

function sameNodes(a: u32, b: u32): bool {
  if (count(a) != count(b)) return false;
  for (let i: u32 = 0; i < count(a); i++) {
    if (elementAt(a, i) != elementAt(b, i)) return false;
  }
  return true;
}

function betweenFragments(a: u32, b: u32, exclusive: bool): bool {
  const nameA = at(a, Slot.Name);
  const nameB = at(b, Slot.Name);
  if (same(nameA, nameB) || wasCompared(nameA, nameB, exclusive)) return true;
  remember(nameA, nameB, exclusive);
  remember(nameB, nameA, exclusive);
  const fragmentA = at(a, Slot.Definition);
  const fragmentB = at(b, Slot.Definition);
  if (fragmentA == 0 || fragmentB == 0) return true;
  collect(at(fragmentA, Slot.Selections));
  const fieldsA = fields;
  const spreadsA = spreads;
  collect(at(fragmentB, Slot.Selections));
  const spreadsB = spreads;
  // (F), (G)
  if (!between(fieldsA, fields, exclusive)) return false;
  for (let i: u32 = 0; i < count(spreadsB); i++) {
    if (!betweenFragments(a, elementAt(spreadsB, i), exclusive)) return false;
  }
  for (let i: u32 = 0; i < count(spreadsA); i++) {
    if (!betweenFragments(elementAt(spreadsA, i), b, exclusive)) return false;
  }
  return true;
}

/** Pairs that were compared as not exclusive need no other comparison. */
function wasCompared(a: u32, b: u32, exclusive: bool): bool {
  const others = lookup(pairs, a);
  const how = others == 0 ? 0 : lookup(others, b);
  return how != 0 && (exclusive || how == 1);
}

function remember(a: u32, b: u32, exclusive: bool): void {
  let others = lookup(pairs, a);
  if (others == 0) {
    others = newNames();
    keep(pairs, a, others);
  }
  keep(others, b, exclusive ? 2 : 1);
}

/** Whether two fields can be merged, when they have the same response name. */
function compatible(a: u32, b: u32, parentsExclusive: bool): bool {
  if (!same(responseName(a), responseName(b))) return true;
  const parentA = at(a, Slot.Parent);
  const parentB = at(b, Slot.Parent);
  if (parentA == 0 || parentB == 0) return true;
  const definitionA = at(a, Slot.Definition);
  const definitionB = at(b, Slot.Definition);
  const exclusive =
    parentsExclusive ||
    (!same(at(parentA, Slot.Name), at(parentB, Slot.Name)) &&
      kindOfType(parentA) == TypeKind.Object &&
      kindOfType(parentB) == TypeKind.Object &&
      definitionA != 0 &&
      definitionB != 0);
  if (!exclusive) {
    if (!same(at(a, Slot.Name), at(b, Slot.Name))) return false;
    if (!sameArguments(at(a, Slot.Arguments), at(b, Slot.Arguments))) return false;
  }
  if (definitionA != 0 && definitionB != 0) {
    if (typesConflict(at(definitionA, Slot.Type), at(definitionB, Slot.Type))) return false;
  }
  return subselections(at(a, Slot.Selections), at(b, Slot.Selections), exclusive);
}

function responseName(field: u32): u32 {
  const alias = at(field, Slot.Alias);
  return size(alias) == 0 ? at(field, Slot.Name) : alias;
}

function subselections(a: u32, b: u32, exclusive: bool): bool {
  if (count(a) == 0 || count(b) == 0) return true;
  if (++depth > DEPTH) stop(Failure.Depth);
  collect(a);
  const fieldsA = fields;
  const spreadsA = spreads;
  collect(b);
  const fieldsB = fields;
  const spreadsB = spreads;
  // (H)
  if (!between(fieldsA, fieldsB, exclusive)) return false;
  // (I)
  if (!againstEach(fieldsA, spreadsB, exclusive)) return false;
  if (!againstEach(fieldsB, spreadsA, exclusive)) return false;
  // (J)
  for (let i: u32 = 0; i < count(spreadsA); i++) {
    for (let j: u32 = 0; j < count(spreadsB); j++) {
      if (!betweenFragments(elementAt(spreadsA, i), elementAt(spreadsB, j), exclusive))
        return false;
    }
  }
  depth--;
  return true;
}

function againstEach(own: u32, others: u32, exclusive: bool): bool {
  for (let i: u32 = 0; i < count(others); i++) {
    compared = newNames();
    if (!againstFragment(own, elementAt(others, i), exclusive)) return false;
  }
  return true;
}

/** Whether every argument of one field is one of the other's. */
function sameArguments(a: u32, b: u32): bool {
  if (count(a) != count(b)) return false;
  for (let i: u32 = 0; i < count(a); i++) {
    const other = named(b, at(elementAt(a, i), Slot.Name));
    if (other == 0) return false;
    if (!sameValue(at(elementAt(a, i), Slot.Value), at(other, Slot.Value))) return false;
  }
  return true;
}

/** Whether two values are written alike, but for the order of the fields of an object. */
function sameValue(a: u32, b: u32): bool {
  const kind = at(a, Slot.ValueKind);
  if (kind != at(b, Slot.ValueKind) || !same(at(a, Slot.Raw), at(b, Slot.Raw))) return false;
  const childrenA = at(a, Slot.Children);
  const childrenB = at(b, Slot.Children);
  if (count(childrenA) != count(childrenB)) return false;
  for (let i: u32 = 0; i < count(childrenA); i++) {
    const child = elementAt(childrenA, i);
    const name = at(child, Slot.Name);
    const other = kind == ValueKind.Object ? named(childrenB, name) : elementAt(childrenB, i);
    if (other == 0 || !sameValue(at(child, Slot.Value), at(other, Slot.Value))) return false;
  }
  return true;
}

function typesConflict(a: u32, b: u32): bool {
  let one = a;
  let other = b;
  while (at(one, Slot.Elem) != 0 && at(other, Slot.Elem) != 0) {
    one = at(one, Slot.Elem);
    other = at(other, Slot.Elem);
  }
  if (at(one, Slot.Elem) != 0 || at(other, Slot.Elem) != 0) return true;
  if ((at(one, Slot.NonNull) != 0) != (at(other, Slot.NonNull) != 0)) return true;
  const typeA = typeOf(typeName(one));
  const typeB = typeOf(typeName(other));
  if (typeA == 0 || typeB == 0 || !isLeaf(typeA) || !isLeaf(typeB)) return false;
  return !same(at(typeA, Slot.Name), at(typeB, Slot.Name));
}
