// Parses GraphQL's type system documents: schemas, types, directives and extensions of them.

import { asciiString, lengthOf, textOf } from '../engine/value';
import { append, at, holds, newNode, put, Shape, Slot, size } from './ast';
import { advance, comments, open, Token, token, tokenIs } from './lexer';
import {
  begin,
  expect,
  expectKeyword,
  has,
  more,
  parseDirectives,
  parseName,
  parseTyped,
  skip,
  some,
  takeText,
  unexpected,
  wrong,
} from './parse';

/** Kinds of types. */
export const enum TypeKind {
  Unknown,
  Scalar,
  Object,
  Interface,
  Union,
  Enum,
  InputObject,
}

let description: u32 = 0;
let before: u32 = 0;

/** The document of a schema text, a string value; 0 when it breaks the grammar. */
export function parseSchema(text: u32, builtIn: bool): u32 {
  begin();
  open(textOf(text), lengthOf(text));
  const document = newNode(Shape.Schema);
  while (!wrong && token != Token.End) {
    takeDescription();
    if (token != Token.Name) unexpected();
    else if (tokenIs('schema'))
      add(document, Slot.SchemaDefinitions, parseSchemaDefinition(comments));
    else if (tokenIs('directive')) add(document, Slot.DirectiveDefinitions, parseDirective());
    else if (tokenIs('extend')) parseExtension(document, builtIn);
    else add(document, Slot.Definitions, parseDefinition(comments, builtIn, false));
  }
  put(document, Slot.Comment, comments);
  return wrong ? 0 : document;
}

function add(document: u32, slot: u32, node: u32): void {
  put(document, slot, append(at(document, slot), node));
}

function takeDescription(): void {
  description = 0;
  before = 0;
  if (token != Token.String && token != Token.BlockString) return;
  before = comments;
  description = takeText();
}

/** Gives a node its description and the comments around it. */
function describe(node: u32, after: u32): void {
  put(node, Slot.Description, description);
  put(node, Slot.Before, before);
  put(node, Slot.After, after);
}

function parseExtension(document: u32, builtIn: bool): void {
  if (size(description) != 0) unexpected();
  description = 0;
  before = 0;
  const comment = comments;
  expectKeyword('extend');
  if (tokenIs('schema')) {
    const node = parseSchemaDefinition(comment);
    if (!has(node, Slot.Directives) && !has(node, Slot.OperationTypes)) unexpected();
    add(document, Slot.SchemaExtensions, node);
  } else add(document, Slot.Extensions, parseDefinition(comment, builtIn, true));
}

function parseSchemaDefinition(comment: u32): u32 {
  const node = newNode(Shape.SchemaDefinition);
  describe(node, comment);
  expectKeyword('schema');
  put(node, Slot.Directives, parseDirectives(true));
  if (!some(Token.BraceL, Token.BraceR)) return node;
  let list: u32 = 0;
  while (more(Token.BraceR)) {
    const type = newNode(Shape.OperationType);
    put(type, Slot.Comment, comments);
    if (!tokenIs('query') && !tokenIs('mutation') && !tokenIs('subscription')) unexpected();
    put(type, Slot.Operation, takeText());
    expect(Token.Colon);
    put(type, Slot.Name, parseName());
    list = append(list, type);
  }
  put(node, Slot.OperationTypes, list);
  put(node, Slot.End, comments);
  advance();
  return node;
}

/** A type of any kind, or an extension of one, which must add something. */
function parseDefinition(comment: u32, builtIn: bool, extension: bool): u32 {
  const node = newNode(Shape.Definition);
  describe(node, comment);
  put(node, Slot.BuiltIn, builtIn ? 1 : 0);
  const kind = takeKind();
  put(node, Slot.Kind, kindName(kind));
  put(node, Slot.Name, parseName());
  // gqlparser takes no interfaces in the extension of an interface.
  if (kind == TypeKind.Object || (kind == TypeKind.Interface && !extension)) parseInterfaces(node);
  put(node, Slot.Directives, parseDirectives(!extension || kind != TypeKind.InputObject));
  if (kind == TypeKind.Union) put(node, Slot.Members, parseMembers());
  else if (kind == TypeKind.Enum) parseEnumValues(node);
  else if (kind != TypeKind.Scalar) parseFields(node, kind == TypeKind.InputObject);
  const empty =
    !has(node, Slot.Interfaces) &&
    !has(node, Slot.Directives) &&
    !has(node, Slot.Fields) &&
    !has(node, Slot.Members) &&
    !has(node, Slot.EnumValues);
  if (extension && empty) unexpected();
  return node;
}

function takeKind(): u32 {
  let kind: u32 = TypeKind.Unknown;
  if (wrong || token != Token.Name) kind = TypeKind.Unknown;
  else if (tokenIs('scalar')) kind = TypeKind.Scalar;
  else if (tokenIs('type')) kind = TypeKind.Object;
  else if (tokenIs('interface')) kind = TypeKind.Interface;
  else if (tokenIs('union')) kind = TypeKind.Union;
  else if (tokenIs('enum')) kind = TypeKind.Enum;
  else if (tokenIs('input')) kind = TypeKind.InputObject;
  if (kind == TypeKind.Unknown) unexpected();
  else advance();
  return kind;
}

/** How gqlparser writes a kind. */
function kindName(kind: u32): u32 {
  if (kind == TypeKind.Scalar) return asciiString('SCALAR');
  if (kind == TypeKind.Object) return asciiString('OBJECT');
  if (kind == TypeKind.Interface) return asciiString('INTERFACE');
  if (kind == TypeKind.Union) return asciiString('UNION');
  if (kind == TypeKind.Enum) return asciiString('ENUM');
  return asciiString('INPUT_OBJECT');
}

function parseInterfaces(node: u32): void {
  if (!tokenIs('implements')) return;
  advance();
  skip(Token.Amp);
  let list = append(0, parseName());
  while (skip(Token.Amp)) list = append(list, parseName());
  put(node, Slot.Interfaces, list);
}

function parseMembers(): u32 {
  if (!skip(Token.Equals)) return 0;
  skip(Token.Pipe);
  let list = append(0, parseName());
  while (skip(Token.Pipe)) list = append(list, parseName());
  return list;
}

function parseEnumValues(node: u32): void {
  if (!some(Token.BraceL, Token.BraceR)) return;
  let list: u32 = 0;
  while (more(Token.BraceR)) {
    const value = newNode(Shape.EnumValue);
    describeMember(value);
    put(value, Slot.Name, parseName());
    put(value, Slot.Directives, parseDirectives(true));
    list = append(list, value);
  }
  put(node, Slot.EnumValues, list);
  put(node, Slot.End, comments);
  advance();
}

function parseFields(node: u32, input: bool): void {
  if (!some(Token.BraceL, Token.BraceR)) return;
  let list: u32 = 0;
  while (more(Token.BraceR)) {
    const field = newNode(Shape.FieldDefinition);
    describeMember(field);
    put(field, Slot.Name, parseName());
    if (!input) put(field, Slot.ArgumentDefinitions, parseArgumentDefinitions());
    parseTyped(field, input, true);
    list = append(list, field);
  }
  put(node, Slot.Fields, list);
  put(node, Slot.End, comments);
  advance();
}

/** The description of a field, an argument or an enum value; an empty one leaves no trace. */
function describeMember(node: u32): void {
  takeDescription();
  if (size(description) == 0) before = 0;
  describe(node, comments);
}

function parseArgumentDefinitions(): u32 {
  let list: u32 = 0;
  if (!some(Token.ParenL, Token.ParenR)) return 0;
  while (more(Token.ParenR)) {
    const node = newNode(Shape.ArgumentDefinition);
    describeMember(node);
    put(node, Slot.Name, parseName());
    parseTyped(node, true, true);
    list = append(list, node);
  }
  advance();
  return list;
}

function parseDirective(): u32 {
  const node = newNode(Shape.DirectiveDefinition);
  describe(node, comments);
  expectKeyword('directive');
  expect(Token.At);
  put(node, Slot.Name, parseName());
  put(node, Slot.ArgumentDefinitions, parseArgumentDefinitions());
  if (token == Token.Name && tokenIs('repeatable')) {
    put(node, Slot.Repeatable, 1);
    advance();
  }
  expectKeyword('on');
  skip(Token.Pipe);
  const known = locations();
  let list: u32 = 0;
  do {
    const location = parseName();
    if (!wrong && !holds(known, location)) unexpected();
    list = append(list, location);
  } while (skip(Token.Pipe));
  put(node, Slot.Locations, list);
  return node;
}

/** Where directives may stand. */
function locations(): u32 {
  let list = append(0, asciiString('QUERY'));
  list = append(list, asciiString('MUTATION'));
  list = append(list, asciiString('SUBSCRIPTION'));
  list = append(list, asciiString('FIELD'));
  list = append(list, asciiString('FRAGMENT_DEFINITION'));
  list = append(list, asciiString('FRAGMENT_SPREAD'));
  list = append(list, asciiString('INLINE_FRAGMENT'));
  list = append(list, asciiString('VARIABLE_DEFINITION'));
  list = append(list, asciiString('SCHEMA'));
  list = append(list, asciiString('SCALAR'));
  list = append(list, asciiString('OBJECT'));
  list = append(list, asciiString('FIELD_DEFINITION'));
  list = append(list, asciiString('ARGUMENT_DEFINITION'));
  list = append(list, asciiString('INTERFACE'));
  list = append(list, asciiString('UNION'));
  list = append(list, asciiString('ENUM'));
  list = append(list, asciiString('ENUM_VALUE'));
  list = append(list, asciiString('INPUT_OBJECT'));
  return append(list, asciiString('INPUT_FIELD_DEFINITION'));
}
