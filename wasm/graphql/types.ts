// A GraphQL schema that is being checked and asked: types and directives by name, roots, possible types.

import { asciiString, elementAt } from '../engine/value';
import { append, at, count, is, joined, newNode, put, Shape, Slot, typeName } from './ast';
import { keep, lookup, newNames } from './names';
import { TypeKind } from './schema';

let types: u32 = 0;
let directives: u32 = 0;
let possible: u32 = 0;

/** Every definition, of types and of types that are only extended. */
export let definitions: u32 = 0;
/** Every definition of a directive. */
export let directiveDefinitions: u32 = 0;
/** The types at which operations begin, 0 for none. */
export let queryType: u32 = 0;
export let mutationType: u32 = 0;
export let subscriptionType: u32 = 0;

/** The definition of a type, 0 when there is none. */
export function typeOf(name: u32): u32 {
  return lookup(types, name);
}

/** The definition of the innermost type of a type. */
export function definitionOf(type: u32): u32 {
  return type == 0 ? 0 : typeOf(typeName(type));
}

/** The definition of a directive, 0 when there is none. */
export function directiveOf(name: u32): u32 {
  return lookup(directives, name);
}

/** The definitions of what a value of this type can be: a list. */
export function possibleTypes(name: u32): u32 {
  return lookup(possible, name);
}

/** The kind of a definition. */
export function kindOfType(definition: u32): u32 {
  const kind = at(definition, Slot.Kind);
  if (is(kind, 'OBJECT')) return TypeKind.Object;
  if (is(kind, 'SCALAR')) return TypeKind.Scalar;
  if (is(kind, 'INTERFACE')) return TypeKind.Interface;
  if (is(kind, 'UNION')) return TypeKind.Union;
  if (is(kind, 'ENUM')) return TypeKind.Enum;
  return is(kind, 'INPUT_OBJECT') ? <u32>TypeKind.InputObject : <u32>TypeKind.Unknown;
}

/** Whether values of this type are written in a query. */
export function isInput(definition: u32): bool {
  const kind = kindOfType(definition);
  return kind == TypeKind.Scalar || kind == TypeKind.Enum || kind == TypeKind.InputObject;
}

/** Whether a type has no fields to select. */
export function isLeaf(definition: u32): bool {
  const kind = kindOfType(definition);
  return kind == TypeKind.Scalar || kind == TypeKind.Enum;
}

/** Whether a fragment can be on this type. */
export function isComposite(definition: u32): bool {
  const kind = kindOfType(definition);
  return kind == TypeKind.Object || kind == TypeKind.Interface || kind == TypeKind.Union;
}

/** Takes the prelude and a document for the schema; false when they contradict themselves. */
export function assemble(prelude: u32, document: u32): bool {
  types = newNames();
  directives = newNames();
  possible = newNames();
  queryType = 0;
  mutationType = 0;
  subscriptionType = 0;
  definitions = joined(at(prelude, Slot.Definitions), at(document, Slot.Definitions));
  directiveDefinitions = joined(
    at(prelude, Slot.DirectiveDefinitions),
    at(document, Slot.DirectiveDefinitions),
  );
  for (let i: u32 = 0; i < count(definitions); i++) {
    const definition = elementAt(definitions, i);
    const name = at(definition, Slot.Name);
    if (typeOf(name) != 0) return false;
    keep(types, name, definition);
  }
  return (
    extend(at(document, Slot.Extensions)) && collect() && addDirectives() && addRoots(document)
  );
}

/** Adds what extensions say to the types that they extend, which they make when nobody else does. */
function extend(extensions: u32): bool {
  for (let i: u32 = 0; i < count(extensions); i++) {
    const extension = elementAt(extensions, i);
    const name = at(extension, Slot.Name);
    let definition = typeOf(name);
    if (definition == 0) {
      definition = newNode(Shape.Definition);
      put(definition, Slot.Kind, at(extension, Slot.Kind));
      put(definition, Slot.Name, name);
      keep(types, name, definition);
      append(definitions, definition);
    }
    if (kindOfType(definition) != kindOfType(extension)) return false;
    addAll(definition, extension, Slot.Directives);
    addAll(definition, extension, Slot.Interfaces);
    addAll(definition, extension, Slot.Fields);
    addAll(definition, extension, Slot.Members);
    addAll(definition, extension, Slot.EnumValues);
  }
  return true;
}

function addAll(definition: u32, extension: u32, slot: u32): void {
  if (count(at(extension, slot)) == 0) return;
  put(definition, slot, joined(at(definition, slot), at(extension, slot)));
}

function collect(): bool {
  for (let i: u32 = 0; i < count(definitions); i++) {
    const definition = elementAt(definitions, i);
    const kind = kindOfType(definition);
    const name = at(definition, Slot.Name);
    if (kind == TypeKind.Union) {
      const members = at(definition, Slot.Members);
      for (let j: u32 = 0; j < count(members); j++)
        addPossible(name, typeOf(elementAt(members, j)));
    } else {
      const interfaces = at(definition, Slot.Interfaces);
      for (let j: u32 = 0; j < count(interfaces); j++)
        addPossible(elementAt(interfaces, j), definition);
      if (kind == TypeKind.Object || kind == TypeKind.InputObject) addPossible(name, definition);
    }
  }
  return true;
}

/** A member that is not defined is found by the check of its union. */
function addPossible(name: u32, definition: u32): void {
  if (definition != 0) keep(possible, name, append(lookup(possible, name), definition));
}

function addDirectives(): bool {
  for (let i: u32 = 0; i < count(directiveDefinitions); i++) {
    const directive = elementAt(directiveDefinitions, i);
    const name = at(directive, Slot.Name);
    if (directiveOf(name) != 0 && !isBuiltIn(name)) return false;
    keep(directives, name, directive);
  }
  return true;
}

/** Directives that a schema may define although the prelude does: the last definition counts. */
function isBuiltIn(name: u32): bool {
  return (
    is(name, 'include') ||
    is(name, 'skip') ||
    is(name, 'deprecated') ||
    is(name, 'specifiedBy') ||
    is(name, 'defer') ||
    is(name, 'oneOf')
  );
}

function addRoots(document: u32): bool {
  const schemas = at(document, Slot.SchemaDefinitions);
  if (count(schemas) > 1) return false;
  const all = joined(schemas, at(document, Slot.SchemaExtensions));
  for (let i: u32 = 0; i < count(all); i++) {
    const roots = at(elementAt(all, i), Slot.OperationTypes);
    for (let j: u32 = 0; j < count(roots); j++) {
      const root = elementAt(roots, j);
      const definition = typeOf(at(root, Slot.Name));
      if (definition == 0) return false;
      if (is(at(root, Slot.Operation), 'query')) queryType = definition;
      else if (is(at(root, Slot.Operation), 'mutation')) mutationType = definition;
      else if (is(at(root, Slot.Operation), 'subscription')) subscriptionType = definition;
    }
  }
  return true;
}

/** Finds the roots that have their usual names, when no schema is defined, and adds introspection. */
export function finish(document: u32): void {
  if (count(at(document, Slot.SchemaDefinitions)) == 0) {
    if (queryType == 0) queryType = typeOf(asciiString('Query'));
    if (mutationType == 0) mutationType = typeOf(asciiString('Mutation'));
    if (subscriptionType == 0) subscriptionType = typeOf(asciiString('Subscription'));
  }
  if (queryType == 0) return;
  const name = newNode(Shape.ArgumentDefinition);
  put(name, Slot.Name, asciiString('name'));
  put(name, Slot.Type, namedType('String', true));
  const type = fieldDefinition('__type', namedType('__Type', false));
  put(type, Slot.ArgumentDefinitions, append(0, name));
  const schema = append(0, fieldDefinition('__schema', namedType('__Schema', true)));
  put(queryType, Slot.Fields, joined(at(queryType, Slot.Fields), append(schema, type)));
}

/** A field that every schema has. */
export function fieldDefinition(name: string, type: u32): u32 {
  const field = newNode(Shape.FieldDefinition);
  put(field, Slot.Name, asciiString(name));
  put(field, Slot.Type, type);
  return field;
}

/** A named type. */
export function namedType(name: string, nonNull: bool): u32 {
  const type = newNode(Shape.Type);
  put(type, Slot.Name, asciiString(name));
  put(type, Slot.NonNull, nonNull ? 1 : 0);
  return type;
}
