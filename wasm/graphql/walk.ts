// Goes through a query as gqlparser's walker does, tells each node what it means, and asks the rules about it.

import { Failure, stop } from '../engine/failure';
import { asciiString, elementAt } from '../engine/value';
import { at, count, is, named, put, Shape, Slot, size, typeName, ValueKind } from './ast';
import { keep, lookup, newNames } from './names';
import { forgetPairs } from './overlap';
import {
  checkDirective,
  checkDirectives,
  checkVariable,
  collectNames,
  hasCycle,
  markSpread,
} from './rules';

import { checkOperation } from './rules-operations';
import { checkField, checkFragment, checkInline, checkSpread } from './rules-selections';
import {
  definitionOf,
  directiveOf,
  fieldDefinition,
  mutationType,
  namedType,
  queryType,
  subscriptionType,
  typeOf,
} from './types';
import { checkValue } from './values';

/** How deep selections may nest, through fragments. */
const DEPTH: u32 = 512;

let document: u32 = 0;
let operation: u32 = 0;
let spreads: u32 = 0;
let typenameField: u32 = 0;
let depth: u32 = 0;
let valid: bool = true;

/** Whether a query is valid against the schema in use: gqlparser's default rules. */
export function validQuery(query: u32): bool {
  document = query;
  valid = true;
  depth = 0;
  typenameField = fieldDefinition('__typename', namedType('String', false));
  collectNames();
  forgetPairs();
  if (hasCycle(at(query, Slot.Fragments))) return false;
  const operations = at(query, Slot.Operations);
  for (let i: u32 = 0; valid && i < count(operations); i++) {
    spreads = newNames();
    walkOperation(elementAt(operations, i));
  }
  const fragments = at(query, Slot.Fragments);
  operation = 0;
  for (let i: u32 = 0; valid && i < count(fragments); i++) {
    spreads = newNames();
    walkFragment(elementAt(fragments, i));
  }
  return valid;
}

function rule(holds: bool): void {
  if (!holds) valid = false;
}

function walkOperation(node: u32): void {
  operation = node;
  const variables = at(node, Slot.Variables);
  for (let i: u32 = 0; i < count(variables); i++) {
    const variable = elementAt(variables, i);
    const type = at(variable, Slot.Type);
    rule(checkVariable(variable));
    put(variable, Slot.Definition, definitionOf(type));
    const value = at(variable, Slot.Default);
    if (value != 0) expectType(value, type, at(value, Slot.HasDefault) != 0);
  }
  const location = asciiString('VARIABLE_DEFINITION');
  for (let i: u32 = 0; i < count(variables); i++) {
    const variable = elementAt(variables, i);
    if (at(variable, Slot.Default) != 0) walkValue(at(variable, Slot.Default));
    walkDirectives(at(variable, Slot.Directives), location);
  }
  const kind = at(node, Slot.Operation);
  const query = size(kind) == 0 || is(kind, 'query');
  const mutation = is(kind, 'mutation');
  const root = query ? queryType : mutation ? mutationType : subscriptionType;
  const place = query ? 'QUERY' : mutation ? 'MUTATION' : 'SUBSCRIPTION';
  walkDirectives(at(node, Slot.Directives), asciiString(place));
  walkSelections(root, at(node, Slot.Selections));
  rule(checkOperation(document, node, root));
}

function walkFragment(node: u32): void {
  const definition = typeOf(at(node, Slot.TypeCondition));
  put(node, Slot.Definition, definition);
  walkDirectives(at(node, Slot.Directives), asciiString('FRAGMENT_DEFINITION'));
  walkSelections(definition, at(node, Slot.Selections));
  rule(checkFragment(node));
}

function walkDirectives(list: u32, location: u32): void {
  for (let i: u32 = 0; valid && i < count(list); i++) {
    const directive = elementAt(list, i);
    const definition = directiveOf(at(directive, Slot.Name));
    put(directive, Slot.Definition, definition);
    const known = definition == 0 ? 0 : at(definition, Slot.ArgumentDefinitions);
    walkArguments(at(directive, Slot.Arguments), known);
    rule(checkDirective(directive, location));
  }
  rule(checkDirectives(list));
}

/** Walks arguments whose definitions are `known`. */
function walkArguments(list: u32, known: u32): void {
  for (let i: u32 = 0; valid && i < count(list); i++) {
    const argument = elementAt(list, i);
    const value = at(argument, Slot.Value);
    const definition = named(known, at(argument, Slot.Name));
    if (value == 0) return rule(false);
    if (definition != 0) expectType(value, at(definition, Slot.Type), hasDefault(definition));
    walkValue(value);
  }
}

function expectType(value: u32, type: u32, defaulted: bool): void {
  put(value, Slot.ExpectedType, type);
  put(value, Slot.HasDefault, defaulted ? 1 : 0);
  put(value, Slot.Definition, definitionOf(type));
}

/** Whether a definition has a default that is not null. */
function hasDefault(definition: u32): bool {
  const value = at(definition, Slot.Default);
  return value != 0 && at(value, Slot.ValueKind) != ValueKind.Null;
}

function walkValue(value: u32): void {
  deeper();
  const kind = at(value, Slot.ValueKind);
  const definition = at(value, Slot.Definition);
  const children = at(value, Slot.Children);
  if (kind == ValueKind.Variable && operation != 0) {
    const variable = named(at(operation, Slot.Variables), at(value, Slot.Raw));
    put(value, Slot.VariableDefinition, variable);
    if (variable != 0) put(variable, Slot.Used, 1);
  }
  const composite = kind == ValueKind.Object || kind == ValueKind.List;
  for (let i: u32 = 0; valid && composite && i < count(children); i++) {
    const child = at(elementAt(children, i), Slot.Value);
    if (child == 0) return rule(false);
    if (kind == ValueKind.List) expectElement(child, value);
    else if (definition != 0) {
      const field = named(at(definition, Slot.Fields), at(elementAt(children, i), Slot.Name));
      if (field != 0) expectType(child, at(field, Slot.Type), hasDefault(field));
    }
    walkValue(child);
  }
  rule(checkValue(value, operation));
  depth--;
}

function expectElement(child: u32, list: u32): void {
  const type = at(list, Slot.ExpectedType);
  if (type == 0 || at(type, Slot.Elem) == 0) return;
  put(child, Slot.ExpectedType, at(type, Slot.Elem));
  put(child, Slot.Definition, at(list, Slot.Definition));
}

function deeper(): void {
  if (++depth > DEPTH) stop(Failure.Depth);
}

function walkSelections(parent: u32, list: u32): void {
  deeper();
  for (let i: u32 = 0; valid && i < count(list); i++) {
    const node = elementAt(list, i);
    const shape = at(node, Slot.Shape);
    put(node, Slot.Parent, parent);
    if (shape == Shape.Field) walkField(node, parent);
    else if (shape == Shape.Spread) walkSpread(node);
    else walkInline(node, parent);
  }
  depth--;
}

function walkField(node: u32, parent: u32): void {
  const name = at(node, Slot.Name);
  let definition: u32 = 0;
  if (is(name, '__typename')) definition = typenameField;
  else if (parent != 0) definition = named(at(parent, Slot.Fields), name);
  put(node, Slot.Definition, definition);
  const known = definition == 0 ? 0 : at(definition, Slot.ArgumentDefinitions);
  walkArguments(at(node, Slot.Arguments), known);
  walkDirectives(at(node, Slot.Directives), asciiString('FIELD'));
  const type = definition == 0 ? 0 : typeOf(typeName(at(definition, Slot.Type)));
  walkSelections(type, at(node, Slot.Selections));
  rule(checkField(node, operation != 0));
}

function walkInline(node: u32, parent: u32): void {
  const condition = at(node, Slot.TypeCondition);
  const inner = size(condition) == 0 ? parent : typeOf(condition);
  walkDirectives(at(node, Slot.Directives), asciiString('INLINE_FRAGMENT'));
  walkSelections(inner, at(node, Slot.Selections));
  rule(checkInline(node));
}

function walkSpread(node: u32): void {
  const name = at(node, Slot.Name);
  const fragment = named(at(document, Slot.Fragments), name);
  put(node, Slot.Definition, fragment);
  walkDirectives(at(node, Slot.Directives), asciiString('FRAGMENT_SPREAD'));
  if (fragment != 0 && lookup(spreads, name) == 0) {
    keep(spreads, name, fragment);
    walkDirectives(at(fragment, Slot.Directives), asciiString('FRAGMENT_DEFINITION'));
    walkSelections(typeOf(at(fragment, Slot.TypeCondition)), at(fragment, Slot.Selections));
  }
  markSpread(name);
  rule(checkSpread(node));
}
