// What the parsers of GraphQL's queries and schemas share: expectations, values, directives and types.

import { Failure, stop } from '../engine/failure';
import { append, at, newNode, put, Shape, Slot, ValueKind } from './ast';
import { advance, comments, Token, token, tokenIs, tokenText } from './lexer';

/** How deep selections, values and types may nest. */
const DEPTH: u32 = 64;

let depth: u32 = 0;

/** Whether the document breaks the grammar: from there on nothing is parsed. */
export let wrong: bool = false;

/** Begins a document. */
export function begin(): void {
  wrong = false;
  depth = 0;
}

/** The document breaks the grammar here. */
export function unexpected(): void {
  wrong = true;
}

/** One level deeper; the evaluation ends beyond the limit. */
export function enter(): void {
  if (++depth > DEPTH) stop(Failure.Depth);
}

export function leave(): void {
  depth--;
}

/** Whether the next token is of this kind; then it is taken. */
export function skip(kind: u32): bool {
  if (wrong || token != kind) return false;
  advance();
  return true;
}

/** Takes a token of this kind, which must come. */
export function expect(kind: u32): void {
  if (!skip(kind)) wrong = true;
}

/** Takes this name, which must come. */
export function expectKeyword(keyword: string): void {
  if (wrong || token != Token.Name || !tokenIs(keyword)) wrong = true;
  else advance();
}

/** Takes a name, which must come. */
export function parseName(): u32 {
  if (wrong || token != Token.Name) {
    wrong = true;
    return 0;
  }
  const name = tokenText();
  advance();
  return name;
}

/** Takes the token whatever it is; its text. */
export function takeText(): u32 {
  const text = tokenText();
  advance();
  return text;
}

/** Whether a list goes on: neither its end nor an error. An empty list, where `some` asks for one, is an error. */
export function more(close: u32): bool {
  return !wrong && token != close;
}

/** Opens a list that may not be empty, when it comes at all. */
export function some(open: u32, close: u32): bool {
  if (!skip(open)) return false;
  if (token == close) wrong = true;
  return !wrong;
}

/** A literal: constant ones hold no variables. 0 with `wrong` when there is none. */
export function parseValue(constant: bool): u32 {
  if (wrong) return 0;
  if (token == Token.BracketL || token == Token.BraceL) return parseComposite(constant);
  let kind: u32 = valueKind();
  if (kind == ValueKind.Variable && constant) wrong = true;
  if (wrong) return 0;
  const node = newNode(Shape.Value);
  put(node, Slot.ValueKind, kind);
  if (kind == ValueKind.Variable) {
    advance();
    put(node, Slot.Raw, parseName());
  } else put(node, Slot.Raw, takeText());
  return node;
}

function valueKind(): u32 {
  if (token == Token.Dollar) return ValueKind.Variable;
  if (token == Token.Int) return ValueKind.Int;
  if (token == Token.Float) return ValueKind.Float;
  if (token == Token.String) return ValueKind.String;
  if (token == Token.BlockString) return ValueKind.Block;
  if (token != Token.Name) wrong = true;
  if (tokenIs('true') || tokenIs('false')) return ValueKind.Boolean;
  return tokenIs('null') ? ValueKind.Null : ValueKind.Enum;
}

/** A list or an object. */
function parseComposite(constant: bool): u32 {
  enter();
  const node = newNode(Shape.Value);
  const isList = token == Token.BracketL;
  put(node, Slot.ValueKind, isList ? ValueKind.List : ValueKind.Object);
  put(node, Slot.Comment, comments);
  const close: u32 = isList ? Token.BracketR : Token.BraceR;
  let children: u32 = 0;
  advance();
  while (more(close)) {
    const child = newNode(Shape.Child);
    if (!isList) {
      put(child, Slot.Comment, comments);
      put(child, Slot.Name, parseName());
      expect(Token.Colon);
    }
    put(child, Slot.Value, parseValue(constant));
    children = append(children, child);
  }
  advance();
  put(node, Slot.Children, children);
  leave();
  return node;
}

/** The arguments in parentheses, if any. */
export function parseArguments(constant: bool): u32 {
  let list: u32 = 0;
  if (!some(Token.ParenL, Token.ParenR)) return 0;
  while (more(Token.ParenR)) {
    const node = newNode(Shape.Argument);
    put(node, Slot.Comment, comments);
    put(node, Slot.Name, parseName());
    expect(Token.Colon);
    put(node, Slot.Value, parseValue(constant));
    list = append(list, node);
  }
  advance();
  return list;
}

/** The directives, if any. */
export function parseDirectives(constant: bool): u32 {
  let list: u32 = 0;
  while (skip(Token.At)) {
    const node = newNode(Shape.Directive);
    put(node, Slot.Name, parseName());
    put(node, Slot.Arguments, parseArguments(constant));
    list = append(list, node);
  }
  return list;
}

/** A type: a name or a list of a type, each perhaps not null. */
export function parseType(): u32 {
  enter();
  const node = newNode(Shape.Type);
  if (skip(Token.BracketL)) {
    put(node, Slot.Elem, parseType());
    expect(Token.BracketR);
  } else put(node, Slot.Name, parseName());
  if (skip(Token.Bang)) put(node, Slot.NonNull, 1);
  leave();
  return node;
}

/** A colon, a type and, where one is allowed, a default, then directives: the rest of a variable or a definition. */
export function parseTyped(node: u32, withDefault: bool, constant: bool): void {
  expect(Token.Colon);
  put(node, Slot.Type, parseType());
  if (withDefault && skip(Token.Equals)) put(node, Slot.Default, parseValue(true));
  put(node, Slot.Directives, parseDirectives(constant));
}

/** Whether a node has anything in this slot. */
export function has(node: u32, slot: u32): bool {
  return at(node, slot) != 0;
}
