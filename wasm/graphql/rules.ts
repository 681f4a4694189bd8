// gqlparser's rules about names and directives in a query, and what a whole query is remembered by.

import { Failure, stop } from '../engine/failure';
import { elementAt } from '../engine/value';
import { append, at, count, holds, named, Shape, Slot } from './ast';
import { keep, lookup, newNames } from './names';
import { definitionOf } from './types';

/** How long a chain of fragments may be. */
const CHAIN: u32 = 512;

let operationNames: u32 = 0;
let fragmentNames: u32 = 0;
let usedFragments: u32 = 0;
let inFragments: bool = false;

/** Begins a query. */
export function collectNames(): void {
  operationNames = newNames();
  fragmentNames = newNames();
  usedFragments = newNames();
  inFragments = false;
}

/** UniqueOperationNames. */
export function newOperation(name: u32): bool {
  return fresh(operationNames, name);
}

/** UniqueFragmentNames and NoUnusedFragments: a fragment counts as used when its spread came before this. */
export function newFragment(name: u32): bool {
  inFragments = true;
  return lookup(usedFragments, name) != 0 && fresh(fragmentNames, name);
}

/** A fragment is spread. */
export function markSpread(name: u32): void {
  if (!inFragments) keep(usedFragments, name, 1);
}

/** Whether a name is new in a map, which then has it. */
export function fresh(map: u32, name: u32): bool {
  if (lookup(map, name) != 0) return false;
  keep(map, name, 1);
  return true;
}

/** KnownTypeNames and VariablesAreInputTypes ask the same definition of a variable. */
export function checkVariable(variable: u32): bool {
  return definitionOf(at(variable, Slot.Type)) != 0;
}

/** KnownDirectives, KnownArgumentNames, ProvidedRequiredArguments and UniqueArgumentNames. */
export function checkDirective(directive: u32, location: u32): bool {
  const definition = at(directive, Slot.Definition);
  if (definition == 0 || !holds(at(definition, Slot.Locations), location)) return false;
  return argumentsFit(at(directive, Slot.Arguments), at(definition, Slot.ArgumentDefinitions));
}

/** UniqueDirectivesPerLocation. */
export function checkDirectives(list: u32): bool {
  for (let i: u32 = 1; i < count(list); i++) {
    const directive = elementAt(list, i);
    const definition = at(directive, Slot.Definition);
    if (definition != 0 && at(definition, Slot.Repeatable) != 0) continue;
    if (named(list, at(directive, Slot.Name)) != directive) return false;
  }
  return true;
}

/** Whether arguments are known, given once, and all there that must be. */
export function argumentsFit(given: u32, known: u32): bool {
  for (let i: u32 = 0; i < count(given); i++) {
    const argument = elementAt(given, i);
    const name = at(argument, Slot.Name);
    if (named(known, name) == 0 || named(given, name) != argument) return false;
  }
  for (let i: u32 = 0; i < count(known); i++) {
    const argument = elementAt(known, i);
    if (at(at(argument, Slot.Type), Slot.NonNull) == 0 || at(argument, Slot.Default) != 0) continue;
    if (named(given, at(argument, Slot.Name)) == 0) return false;
  }
  return true;
}

let fragments: u32 = 0;
let visited: u32 = 0;
let onPath: u32 = 0;
let chain: u32 = 0;

/** NoFragmentCycles; asked before everything else, so that nothing else runs in circles. */
export function hasCycle(list: u32): bool {
  fragments = list;
  visited = newNames();
  onPath = newNames();
  chain = 0;
  for (let i: u32 = 0; i < count(list); i++) {
    if (reachesItself(elementAt(list, i))) return true;
  }
  return false;
}

function reachesItself(fragment: u32): bool {
  const name = at(fragment, Slot.Name);
  if (!fresh(visited, name)) return false;
  if (++chain > CHAIN) stop(Failure.Depth);
  keep(onPath, name, 1);
  const spreads = spreadsIn(at(fragment, Slot.Selections), 0);
  for (let i: u32 = 0; i < count(spreads); i++) {
    const next = elementAt(spreads, i);
    if (lookup(onPath, next) != 0) return true;
    const definition = named(fragments, next);
    if (definition != 0 && reachesItself(definition)) return true;
  }
  keep(onPath, name, 0);
  chain--;
  return false;
}

/** The names of the fragments that selections spread, at any depth, added to a list. */
function spreadsIn(selections: u32, list: u32): u32 {
  let all = list;
  for (let i: u32 = 0; i < count(selections); i++) {
    const node = elementAt(selections, i);
    if (at(node, Slot.Shape) == Shape.Spread) all = append(all, at(node, Slot.Name));
    else all = spreadsIn(at(node, Slot.Selections), all);
  }
  return all;
}
