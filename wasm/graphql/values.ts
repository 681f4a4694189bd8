// gqlparser's rules about the values in a query.

import { Failure, stop } from '../engine/failure';
import { numberFromText, toF64 } from '../engine/number';
import { asciiString, elementAt, lengthOf, textOf } from '../engine/value';
import { at, count, is, named, Slot, size, ValueKind } from './ast';
import { isCompatible } from './interfaces';
import { newNames } from './names';
import { fresh } from './rules';
import { TypeKind } from './schema';
import { kindOfType } from './types';

/** How deep values may nest, defaults of variables included. */
const DEPTH: u32 = 256;

/** Asks every rule about a value that has been walked, in an operation or, 0, in a fragment. */
export function checkValue(value: u32, operation: u32): bool {
  const kind = at(value, Slot.ValueKind);
  if (kind == ValueKind.Variable) {
    // NoUndefinedVariables
    if (operation != 0 && at(value, Slot.VariableDefinition) == 0) return false;
    if (operation != 0 && !allowedHere(value)) return false;
  }
  if (kind == ValueKind.Object && !checkObject(value)) return false;
  return correctType(value, kind);
}

/** VariablesInAllowedPosition: a default of either side lets a variable be null. */
function allowedHere(value: u32): bool {
  const expected = at(value, Slot.ExpectedType);
  const variable = at(value, Slot.VariableDefinition);
  if (expected == 0 || variable == 0) return true;
  const standard = at(variable, Slot.Default);
  const defaulted = standard != 0 && at(standard, Slot.ValueKind) != ValueKind.Null;
  const nullable = defaulted || at(value, Slot.HasDefault) != 0;
  return isCompatible(at(variable, Slot.Type), expected, nullable);
}

/** UniqueInputFieldNames; a variable for the only field of a OneOf object may not be null. */
function checkObject(value: u32): bool {
  const seen = newNames();
  const children = at(value, Slot.Children);
  const oneOf = isOneOf(at(value, Slot.Definition));
  for (let i: u32 = 0; i < count(children); i++) {
    const child = elementAt(children, i);
    if (!fresh(seen, at(child, Slot.Name))) return false;
    const variable = at(at(child, Slot.Value), Slot.VariableDefinition);
    if (oneOf && variable != 0 && at(at(variable, Slot.Type), Slot.NonNull) == 0) return false;
  }
  return true;
}

function isOneOf(definition: u32): bool {
  return definition != 0 && named(at(definition, Slot.Directives), asciiString('oneOf')) != 0;
}

/** ValuesOfCorrectType. */
function correctType(value: u32, kind: u32): bool {
  const definition = at(value, Slot.Definition);
  const expected = at(value, Slot.ExpectedType);
  if (definition == 0 || expected == 0) return true;
  if (kind == ValueKind.Null) return at(expected, Slot.NonNull) == 0;
  const typeKind = kindOfType(definition);
  const name = at(definition, Slot.Name);
  if (typeKind == TypeKind.Scalar && !standardScalar(name)) return true;
  if (unreadable(value, 0)) return false;
  switch (kind) {
    case ValueKind.List:
      return at(expected, Slot.Elem) != 0;
    case ValueKind.Int:
      return is(name, 'Int') || is(name, 'Float') || is(name, 'ID');
    case ValueKind.Float:
      return is(name, 'Float');
    case ValueKind.String:
    case ValueKind.Block:
      return typeKind != TypeKind.Enum && (is(name, 'String') || is(name, 'ID'));
    case ValueKind.Boolean:
      return is(name, 'Boolean');
    case ValueKind.Enum:
      if (typeKind != TypeKind.Enum) return false;
      return named(at(definition, Slot.EnumValues), at(value, Slot.Raw)) != 0;
    case ValueKind.Object:
      return correctObject(value, definition);
  }
  return kind == ValueKind.Variable;
}

function standardScalar(name: u32): bool {
  return (
    is(name, 'Int') ||
    is(name, 'Float') ||
    is(name, 'String') ||
    is(name, 'Boolean') ||
    is(name, 'ID')
  );
}

function correctObject(value: u32, definition: u32): bool {
  const fields = at(definition, Slot.Fields);
  const children = at(value, Slot.Children);
  for (let i: u32 = 0; i < count(fields); i++) {
    const field = elementAt(fields, i);
    if (at(at(field, Slot.Type), Slot.NonNull) == 0 || at(field, Slot.Default) != 0) continue;
    if (named(children, at(field, Slot.Name)) == 0) return false;
  }
  for (let i: u32 = 0; i < count(children); i++) {
    if (named(fields, at(elementAt(children, i), Slot.Name)) == 0) return false;
  }
  if (!isOneOf(definition)) return true;
  if (count(children) != 1) return false;
  return at(at(elementAt(children, 0), Slot.Value), Slot.ValueKind) != ValueKind.Null;
}

/** Whether Go could not read a number of the value: integers have 64 bits, floats are finite. */
function unreadable(value: u32, depth: u32): bool {
  if (depth > DEPTH) stop(Failure.Depth);
  const kind = at(value, Slot.ValueKind);
  const raw = at(value, Slot.Raw);
  if (kind == ValueKind.Int) return !fits(raw);
  if (kind == ValueKind.Float) {
    const number = size(raw) == 0 ? 0 : numberFromText(textOf(raw), lengthOf(raw));
    return number == 0 || !isFinite(toF64(number));
  }
  if (kind == ValueKind.Variable) {
    const variable = at(value, Slot.VariableDefinition);
    const standard = variable == 0 ? 0 : at(variable, Slot.Default);
    return standard != 0 && unreadable(standard, depth + 1);
  }
  if (kind > <u32>ValueKind.Object) return true;
  const children = at(value, Slot.Children);
  for (let i: u32 = 0; i < count(children); i++) {
    if (unreadable(at(elementAt(children, i), Slot.Value), depth + 1)) return true;
  }
  return false;
}

/** Whether a text is an integer of 64 bits. */
function fits(raw: u32): bool {
  let p = size(raw) == 0 ? 0 : textOf(raw);
  const end = p + size(raw);
  const negative = p < end && load<u8>(p) == 0x2d;
  if (negative) p++;
  if (p == end) return false;
  // Counted downwards, where the smallest integer has no positive counterpart.
  let value: i64 = 0;
  for (; p < end; p++) {
    const digit = <i64>load<u8>(p) - 0x30;
    if (digit < 0 || digit > 9) return false;
    if (value < i64.MIN_VALUE / 10 || value * 10 < i64.MIN_VALUE + digit) return false;
    value = value * 10 - digit;
  }
  return negative || value != i64.MIN_VALUE;
}
