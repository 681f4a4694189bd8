// gqlparser's rules about whole operations.

import { elementAt } from '../engine/value';
import { at, count, is, reserved, Shape, Slot, same, size } from './ast';
import { newNames } from './names';
import { mergeable } from './overlap';
import { fresh, newOperation } from './rules';
import { isInput, subscriptionType } from './types';

/** Asks every rule about an operation that begins at the type `root`, which has been walked. */
export function checkOperation(document: u32, operation: u32, root: u32): bool {
  const name = at(operation, Slot.Name);
  // KnownRootType, LoneAnonymousOperation
  if (root == 0 || !knownOperation(operation)) return false;
  if (size(name) == 0 && count(at(document, Slot.Operations)) > 1) return false;
  return (
    newOperation(name) &&
    checkVariables(at(operation, Slot.Variables)) &&
    checkSubscription(operation) &&
    mergeable(at(operation, Slot.Selections))
  );
}

function knownOperation(operation: u32): bool {
  const kind = at(operation, Slot.Operation);
  return size(kind) == 0 || is(kind, 'query') || is(kind, 'mutation') || is(kind, 'subscription');
}

/** NoUnusedVariables, UniqueVariableNames, VariablesAreInputTypes. */
function checkVariables(list: u32): bool {
  const seen = newNames();
  for (let i: u32 = 0; i < count(list); i++) {
    const variable = elementAt(list, i);
    if (at(variable, Slot.Used) == 0 || !fresh(seen, at(variable, Slot.Name))) return false;
    const definition = at(variable, Slot.Definition);
    if (definition != 0 && !isInput(definition)) return false;
  }
  return true;
}

let onlyName: u32 = 0;
let walked: u32 = 0;

/** SingleFieldSubscriptions: one field, which is none of introspection. */
function checkSubscription(operation: u32): bool {
  if (subscriptionType == 0 || !is(at(operation, Slot.Operation), 'subscription')) return true;
  onlyName = 0;
  walked = newNames();
  return singleField(at(operation, Slot.Selections));
}

function singleField(selections: u32): bool {
  for (let i: u32 = 0; i < count(selections); i++) {
    const node = elementAt(selections, i);
    const shape = at(node, Slot.Shape);
    if (shape == Shape.Field) {
      const name = at(node, Slot.Name);
      if (reserved(name) || (onlyName != 0 && !same(onlyName, name))) return false;
      onlyName = name;
    } else if (shape == Shape.Inline) {
      if (!singleField(at(node, Slot.Selections))) return false;
    } else {
      const fragment = at(node, Slot.Definition);
      if (fragment == 0) return false;
      const enter = fresh(walked, at(fragment, Slot.Name));
      if (enter && !singleField(at(fragment, Slot.Selections))) return false;
    }
  }
  return true;
}
