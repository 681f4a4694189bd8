// Whether a GraphQL type implements an interface as the specification asks, as gqlparser decides.

import { elementAt } from '../engine/value';
import { at, count, holds, named, Slot, same, size } from './ast';
import { TypeKind } from './schema';
import { kindOfType, possibleTypes, typeOf } from './types';

/** Whether a definition has every field of the interface, with fitting types, and its interfaces too. */
export function implementsInterface(definition: u32, name: u32): bool {
  const wanted = typeOf(name);
  if (wanted == 0 || kindOfType(wanted) != TypeKind.Interface) return false;
  const fields = at(wanted, Slot.Fields);
  for (let i: u32 = 0; i < count(fields); i++) {
    const required = elementAt(fields, i);
    const found = named(at(definition, Slot.Fields), at(required, Slot.Name));
    if (found == 0 || !isCovariant(at(required, Slot.Type), at(found, Slot.Type))) return false;
    if (
      !argumentsFit(at(required, Slot.ArgumentDefinitions), at(found, Slot.ArgumentDefinitions))
    ) {
      return false;
    }
  }
  const further = at(wanted, Slot.Interfaces);
  for (let i: u32 = 0; i < count(further); i++) {
    if (!holds(at(definition, Slot.Interfaces), elementAt(further, i))) return false;
  }
  return true;
}

function argumentsFit(required: u32, found: u32): bool {
  for (let i: u32 = 0; i < count(required); i++) {
    const argument = named(found, at(elementAt(required, i), Slot.Name));
    if (argument == 0) return false;
    if (!isCompatible(at(elementAt(required, i), Slot.Type), at(argument, Slot.Type), false))
      return false;
  }
  for (let i: u32 = 0; i < count(found); i++) {
    const argument = elementAt(found, i);
    if (named(required, at(argument, Slot.Name)) != 0) continue;
    const type = at(argument, Slot.Type);
    if (type == 0 || (at(type, Slot.NonNull) != 0 && at(argument, Slot.Default) == 0)) return false;
  }
  return true;
}

/** Whether `actual` may stand where an interface asks for `required`: the same, or a type that it can be. */
function isCovariant(required: u32, actual: u32): bool {
  let wanted = required;
  let given = actual;
  while (wanted != 0 && given != 0) {
    if (at(wanted, Slot.NonNull) != 0 && at(given, Slot.NonNull) == 0) return false;
    const name = at(wanted, Slot.Name);
    if (size(name) != 0) {
      return (
        same(name, at(given, Slot.Name)) || named(possibleTypes(name), at(given, Slot.Name)) != 0
      );
    }
    wanted = at(wanted, Slot.Elem);
    given = at(given, Slot.Elem);
  }
  return false;
}

/** Whether a value of type `a` may stand where `b` is asked for, whose outermost type may be null if `nullable`. */
export function isCompatible(a: u32, b: u32, nullable: bool): bool {
  let given = a;
  let wanted = b;
  let loose = nullable;
  while (given != 0 && wanted != 0) {
    if (!same(at(given, Slot.Name), at(wanted, Slot.Name))) return false;
    if (!loose && at(wanted, Slot.NonNull) != 0 && at(given, Slot.NonNull) == 0) return false;
    loose = false;
    given = at(given, Slot.Elem);
    wanted = at(wanted, Slot.Elem);
  }
  return given == 0;
}
