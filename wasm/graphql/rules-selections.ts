// gqlparser's rules about fields, fragments and their spreads.

import { elementAt } from '../engine/value';
import { append, at, count, is, named, Shape, Slot, size } from './ast';
import { keep, lookup, newNames } from './names';
import { mergeable } from './overlap';
import { argumentsFit, newFragment } from './rules';
import { TypeKind } from './schema';
import { definitionOf, isComposite, isLeaf, kindOfType, possibleTypes, typeOf } from './types';

/** Introspection may go through so many lists of types, fields and values. */
const LISTS: u32 = 3;

/** Asks every rule about a field that has been walked; overlaps only inside of operations. */
export function checkField(field: u32, inOperation: bool): bool {
  const definition = at(field, Slot.Definition);
  const selections = at(field, Slot.Selections);
  // FieldsOnCorrectType
  if (definition == 0 && at(field, Slot.Parent) != 0) return false;
  if (definition != 0) {
    // KnownArgumentNames, ProvidedRequiredArguments, UniqueArgumentNames; ScalarLeafs
    if (!argumentsFit(at(field, Slot.Arguments), at(definition, Slot.ArgumentDefinitions)))
      return false;
    const type = definitionOf(at(definition, Slot.Type));
    if (type != 0 && isLeaf(type) != (count(selections) == 0)) return false;
  }
  const name = at(field, Slot.Name);
  if (is(name, '__schema') || is(name, '__type')) {
    visiting = newNames();
    if (tooDeep(append(0, field), 0)) return false;
  }
  return !inOperation || mergeable(selections);
}

let visiting: u32 = 0;

/** MaxIntrospectionDepth. */
function tooDeep(selections: u32, lists: u32): bool {
  for (let i: u32 = 0; i < count(selections); i++) {
    const node = elementAt(selections, i);
    const shape = at(node, Slot.Shape);
    const name = at(node, Slot.Name);
    if (shape == Shape.Spread) {
      const fragment = at(node, Slot.Definition);
      if (fragment == 0 || lookup(visiting, name) != 0) continue;
      keep(visiting, name, 1);
      if (tooDeep(at(fragment, Slot.Selections), lists)) return true;
      keep(visiting, name, 0);
    } else {
      const more: u32 = shape == Shape.Field && isList(name) ? 1 : 0;
      if (lists + more >= LISTS) return true;
      if (tooDeep(at(node, Slot.Selections), lists + more)) return true;
    }
  }
  return false;
}

function isList(name: u32): bool {
  return (
    is(name, 'fields') ||
    is(name, 'interfaces') ||
    is(name, 'possibleTypes') ||
    is(name, 'inputFields')
  );
}

/** Asks every rule about a fragment's definition: FragmentsOnCompositeTypes, KnownTypeNames and its name. */
export function checkFragment(fragment: u32): bool {
  const definition = at(fragment, Slot.Definition);
  if (definition == 0 || !isComposite(definition)) return false;
  return newFragment(at(fragment, Slot.Name)) && mergeable(at(fragment, Slot.Selections));
}

/** Asks every rule about a fragment that stands where it is used. */
export function checkInline(node: u32): bool {
  const condition = at(node, Slot.TypeCondition);
  if (size(condition) != 0) {
    const definition = typeOf(condition);
    if (definition == 0 || !isComposite(definition)) return false;
    if (!possible(at(node, Slot.Parent), condition)) return false;
  }
  return mergeable(at(node, Slot.Selections));
}

/** KnownFragmentNames and PossibleFragmentSpreads. */
export function checkSpread(node: u32): bool {
  const fragment = at(node, Slot.Definition);
  return fragment != 0 && possible(at(node, Slot.Parent), at(fragment, Slot.TypeCondition));
}

/** Whether an object can be both what encloses a fragment and what the fragment is on. */
function possible(parent: u32, condition: u32): bool {
  if (parent == 0 || !isComposite(parent)) return true;
  const definition = typeOf(condition);
  if (definition == 0 || !isComposite(definition)) return true;
  const isObject = kindOfType(parent) == TypeKind.Object;
  const parents = isObject ? append(0, parent) : possibleTypes(at(parent, Slot.Name));
  const candidates = possibleTypes(condition);
  for (let i: u32 = 0; i < count(candidates); i++) {
    if (named(parents, at(elementAt(candidates, i), Slot.Name)) != 0) return true;
  }
  return false;
}
