// Whether a GraphQL schema is valid, as gqlparser's ValidateSchemaDocument decides.

import { Failure, stop } from '../engine/failure';
import { asciiString, elementAt } from '../engine/value';
import { at, count, holds, is, named, put, reserved, Slot, same, size, ValueKind } from './ast';
import { implementsInterface } from './interfaces';
import { keep, lookup, newNames } from './names';
import { prelude } from './prelude';
import { TypeKind } from './schema';
import {
  assemble,
  definitionOf,
  definitions,
  directiveDefinitions,
  directiveOf,
  finish,
  isInput,
  kindOfType,
  typeOf,
} from './types';

/** Chains of input objects that need each other may be this long. */
const CHAIN: u32 = 256;

/** Whether the document with the prelude is a valid schema; it is then the one that types.ts answers for. */
export function useSchema(document: u32): bool {
  if (!assemble(prelude(), document)) return false;
  if (!schemaDirectives(at(document, Slot.SchemaDefinitions))) return false;
  if (!schemaDirectives(at(document, Slot.SchemaExtensions))) return false;
  for (let i: u32 = 0; i < count(definitions); i++) {
    if (!validDefinition(elementAt(definitions, i))) return false;
  }
  if (circularInputs()) return false;
  for (let i: u32 = 0; i < count(directiveDefinitions); i++) {
    const directive = elementAt(directiveDefinitions, i);
    // A definition that a later one replaces is not looked at.
    if (directiveOf(at(directive, Slot.Name)) != directive) continue;
    if (reserved(at(directive, Slot.Name)) || !validArguments(directive, directive)) return false;
  }
  finish(document);
  return true;
}

function schemaDirectives(list: u32): bool {
  for (let i: u32 = 0; i < count(list); i++) {
    const directives = at(elementAt(list, i), Slot.Directives);
    if (!validDirectives(directives, asciiString('SCHEMA'), 0, true)) return false;
  }
  return true;
}

function validDefinition(definition: u32): bool {
  const kind = kindOfType(definition);
  return (
    validFields(definition, kind) &&
    validMembers(at(definition, Slot.Members)) &&
    validInterfaces(definition) &&
    (kind != TypeKind.Enum || validEnumValues(definition)) &&
    unique(at(definition, Slot.Fields)) &&
    unique(at(definition, Slot.EnumValues)) &&
    (at(definition, Slot.BuiltIn) != 0 || !reserved(at(definition, Slot.Name))) &&
    // They come from the type and its extensions, so that one may stand twice.
    validDirectives(at(definition, Slot.Directives), at(definition, Slot.Kind), 0, false)
  );
}

function validFields(definition: u32, kind: u32): bool {
  const fields = at(definition, Slot.Fields);
  const input = kind == TypeKind.InputObject;
  const output = kind == TypeKind.Object || kind == TypeKind.Interface;
  if ((input || output) && count(fields) == 0) return false;
  const location = asciiString(input ? 'INPUT_FIELD_DEFINITION' : 'FIELD_DEFINITION');
  for (let i: u32 = 0; i < count(fields); i++) {
    const field = elementAt(fields, i);
    const type = definitionOf(at(field, Slot.Type));
    if (reserved(at(field, Slot.Name)) || type == 0 || !validArguments(field, 0)) return false;
    if (!validDirectives(at(field, Slot.Directives), location, 0, true)) return false;
    if (input && !isInput(type)) return false;
    const typeKind = kindOfType(type);
    if (output && (typeKind == TypeKind.InputObject || typeKind == TypeKind.Unknown)) return false;
  }
  return true;
}

/** The members of a union: objects, each once. */
function validMembers(members: u32): bool {
  const seen = newNames();
  for (let i: u32 = 0; i < count(members); i++) {
    const name = elementAt(members, i);
    const member = typeOf(name);
    if (member == 0 || kindOfType(member) != TypeKind.Object || lookup(seen, name) != 0)
      return false;
    keep(seen, name, member);
  }
  return true;
}

function validInterfaces(definition: u32): bool {
  const interfaces = at(definition, Slot.Interfaces);
  for (let i: u32 = 0; i < count(interfaces); i++) {
    if (!implementsInterface(definition, elementAt(interfaces, i))) return false;
  }
  return true;
}

function validEnumValues(definition: u32): bool {
  const values = at(definition, Slot.EnumValues);
  const location = asciiString('ENUM_VALUE');
  for (let i: u32 = 0; i < count(values); i++) {
    const name = at(elementAt(values, i), Slot.Name);
    if (is(name, 'true') || is(name, 'false') || is(name, 'null')) return false;
    const directives = at(elementAt(values, i), Slot.Directives);
    if (!validDirectives(directives, location, 0, true)) return false;
  }
  return count(values) != 0;
}

/** Whether no two nodes have the same name. */
function unique(list: u32): bool {
  const seen = newNames();
  for (let i: u32 = 0; i < count(list); i++) {
    const name = at(elementAt(list, i), Slot.Name);
    if (lookup(seen, name) != 0) return false;
    keep(seen, name, 1);
  }
  return true;
}

/** The arguments of a field or of a directive's definition, which may not use that directive. */
function validArguments(owner: u32, directive: u32): bool {
  const list = at(owner, Slot.ArgumentDefinitions);
  const location = asciiString('ARGUMENT_DEFINITION');
  for (let i: u32 = 0; i < count(list); i++) {
    const argument = elementAt(list, i);
    const type = definitionOf(at(argument, Slot.Type));
    if (reserved(at(argument, Slot.Name)) || type == 0 || !isInput(type)) return false;
    if (!validDirectives(at(argument, Slot.Directives), location, directive, true)) return false;
  }
  return true;
}

/** Directives at one place: known, allowed there, with the arguments that they need. */
function validDirectives(list: u32, location: u32, inside: u32, once: bool): bool {
  for (let i: u32 = 0; i < count(list); i++) {
    const directive = elementAt(list, i);
    const name = at(directive, Slot.Name);
    const definition = directiveOf(name);
    if (reserved(name) || definition == 0) return false;
    if (inside != 0 && same(name, at(inside, Slot.Name))) return false;
    if (once && at(definition, Slot.Repeatable) == 0 && named(list, name) != directive)
      return false;
    if (!holds(at(definition, Slot.Locations), location)) return false;
    if (!argumentsFit(directive, definition)) return false;
    put(directive, Slot.Definition, definition);
  }
  return true;
}

function argumentsFit(directive: u32, definition: u32): bool {
  const known = at(definition, Slot.ArgumentDefinitions);
  const given = at(directive, Slot.Arguments);
  for (let i: u32 = 0; i < count(given); i++) {
    const argument = elementAt(given, i);
    if (at(argument, Slot.Value) == 0) return false;
    if (named(known, at(argument, Slot.Name)) == 0) return false;
  }
  for (let i: u32 = 0; i < count(known); i++) {
    const argument = elementAt(known, i);
    const type = at(argument, Slot.Type);
    if (type == 0) return false;
    if (at(type, Slot.NonNull) == 0 || at(argument, Slot.Default) != 0) continue;
    const value = named(given, at(argument, Slot.Name));
    if (value == 0 || at(at(value, Slot.Value), Slot.ValueKind) == ValueKind.Null) return false;
  }
  return true;
}

let visited: u32 = 0;
let onPath: u32 = 0;
let chain: u32 = 0;

/** Whether an input object needs itself through fields that may not be null. */
function circularInputs(): bool {
  visited = newNames();
  onPath = newNames();
  chain = 0;
  for (let i: u32 = 0; i < count(definitions); i++) {
    const definition = elementAt(definitions, i);
    if (kindOfType(definition) == TypeKind.InputObject && needsItself(definition)) return true;
  }
  return false;
}

function needsItself(definition: u32): bool {
  const name = at(definition, Slot.Name);
  if (lookup(visited, name) != 0) return false;
  if (++chain > CHAIN) stop(Failure.Depth);
  keep(visited, name, 1);
  keep(onPath, name, 1);
  const fields = at(definition, Slot.Fields);
  for (let i: u32 = 0; i < count(fields); i++) {
    const type = at(elementAt(fields, i), Slot.Type);
    // A list can be empty, whatever it holds.
    if (at(type, Slot.NonNull) == 0 || size(at(type, Slot.Name)) == 0) continue;
    const next = typeOf(at(type, Slot.Name));
    if (next == 0 || kindOfType(next) != TypeKind.InputObject) continue;
    if (lookup(onPath, at(next, Slot.Name)) != 0 || needsItself(next)) return true;
  }
  keep(onPath, name, 0);
  chain--;
  return false;
}
