// Reads the values of keywords: counts, numbers, booleans, names, types and patterns, refusing wrong forms.

import {
  childCount,
  equalNodes,
  firstChild,
  Kind,
  kindOf,
  nextSibling,
  numberValue,
  stringLength,
  stringPointer,
} from '../common/json';
import { compile, compileError, RegexError } from '../regex/regex';
import { refuse, refuseValue } from './failure';
import { isText } from './keywords';
import {
  ABSENT,
  build,
  buildingRoom,
  builtTop,
  keepText,
  keepValue,
  keptSteps,
  newList,
  Type,
  unbuild,
} from './schema';

/** A whole number from 0 on; one too large for any value that is judged reads as ABSENT - 1. */
export function readCount(node: u32): u32 {
  const value = kindOf(node) == Kind.Number ? numberValue(node) : -1;
  if (value < 0 || trunc(value) != value) {
    refuseValue('must be a whole number from 0 on', node);
    return 0;
  }
  return <u32>min(value, <f64>(ABSENT - 1));
}

/** A number, kept as a node. */
export function readNumber(node: u32): u32 {
  if (kindOf(node) == Kind.Number) return keepValue(node);
  refuseValue('must be a number', node);
  return 0;
}

/** A number above 0, kept as a node. */
export function readStep(node: u32): u32 {
  if (kindOf(node) == Kind.Number && numberValue(node) > 0) return keepValue(node);
  refuseValue('must be a number above 0', node);
  return 0;
}

/** A boolean. */
export function readBoolean(node: u32): bool {
  const kind = kindOf(node);
  if (kind != Kind.True && kind != Kind.False) refuseValue('must be a boolean', node);
  return kind == Kind.True;
}

/** A type's name or a list of them, as bits of `Type`. */
export function readTypes(node: u32): u32 {
  if (kindOf(node) == Kind.String) {
    const type = typeNamed(node);
    if (type == 0) refuseValue('is no type of JSON Schema', node);
    return type;
  }
  let types: u32 = 0;
  if (kindOf(node) == Kind.Array) {
    for (let item = firstChild(node); item != 0; item = nextSibling(item)) {
      const type = kindOf(item) == Kind.String ? typeNamed(item) : 0;
      // Also refuses a type that stands there twice.
      if (type == 0 || (types & type) != 0) {
        refuseValue('must list types of JSON Schema, each once', node);
        return 0;
      }
      types |= type;
    }
  }
  if (types == 0) refuseValue('must be a type or a list of types', node);
  return types;
}

function typeNamed(node: u32): u32 {
  const at = stringPointer(node);
  const length = stringLength(node);
  if (isText(at, length, 'object')) return Type.Object;
  if (isText(at, length, 'string')) return Type.String;
  if (isText(at, length, 'array')) return Type.Array;
  if (isText(at, length, 'integer')) return Type.Integer;
  if (isText(at, length, 'number')) return Type.Number;
  if (isText(at, length, 'boolean')) return Type.Boolean;
  if (isText(at, length, 'null')) return Type.Null;
  return 0;
}

/** Any values, kept: a list of `[value, steps]`. */
export function readValues(node: u32): u32 {
  if (kindOf(node) != Kind.Array || childCount(node) == 0) {
    refuseValue('must be a list with at least one value', node);
    return 0;
  }
  const list = newList(childCount(node), 2);
  if (list == 0) return 0;
  let entry = list + 4;
  for (let item = firstChild(node); item != 0; item = nextSibling(item)) {
    store<u32>(entry, keepValue(item));
    store<u32>(entry, keptSteps(), 4);
    entry += 8;
  }
  return list;
}

/** Names, each once, kept: a list of `[key, keyLength]`; `keyword` is the member at fault otherwise. */
export function readNames(node: u32, keyword: u32): u32 {
  if (kindOf(node) != Kind.Array) {
    refuseValue('must be a list of property names', keyword);
    return 0;
  }
  const list = newList(childCount(node), 2);
  if (list == 0) return 0;
  let entry = list + 4;
  for (let item = firstChild(node); item != 0; item = nextSibling(item)) {
    if (kindOf(item) != Kind.String || isRepeated(node, item)) {
      refuseValue('must be a list of property names, each once', keyword);
      return 0;
    }
    store<u32>(entry, keepText(stringPointer(item), stringLength(item)));
    store<u32>(entry, stringLength(item), 4);
    entry += 8;
  }
  return list;
}

/** Whether an equal item stands before this one; lists this long are refused before they get slow. */
function isRepeated(list: u32, item: u32): bool {
  if (childCount(list) > 1024) return true;
  for (let other = firstChild(list); other != item; other = nextSibling(other)) {
    if (equalNodes(other, item)) return true;
  }
  return false;
}

/** A pattern, compiled; `keyword` is the member at fault when it is refused. */
export function readPattern(pointer: u32, length: u32, keyword: u32): u32 {
  const at = build(0);
  const bytes = compile(pointer, length, at, buildingRoom());
  if (bytes != 0) {
    unbuild(builtTop() + bytes);
    return at;
  }
  const code = 'schema_pattern_unsupported';
  if (compileError() == RegexError.Syntax) refuse(code, 'is no pattern of ECMA-262 (u)', keyword);
  else if (compileError() == RegexError.TooLarge) refuse(code, 'is too large a pattern', keyword);
  else refuse(code, 'uses look-around, a back-reference, a flag or a property class', keyword);
  return 0;
}
