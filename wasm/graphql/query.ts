// Parses GraphQL's executable documents: operations and fragments.

import { asciiString, lengthOf, textOf } from '../engine/value';
import { append, newNode, put, Shape, Slot } from './ast';
import { advance, comments, open, Token, token, tokenIs, tokenText } from './lexer';
import {
  begin,
  enter,
  expect,
  expectKeyword,
  leave,
  more,
  parseArguments,
  parseDirectives,
  parseName,
  parseTyped,
  skip,
  some,
  takeText,
  unexpected,
  wrong,
} from './parse';

/** The document of a query text, a string value; 0 when it breaks the grammar. */
export function parseQuery(text: u32): u32 {
  begin();
  open(textOf(text), lengthOf(text));
  const document = newNode(Shape.Query);
  let operations: u32 = 0;
  let fragments: u32 = 0;
  while (!wrong && token != Token.End) {
    if (token == Token.BraceL) operations = append(operations, shorthand());
    else if (token != Token.Name) unexpected();
    else if (tokenIs('fragment')) fragments = append(fragments, parseFragment());
    else if (tokenIs('query') || tokenIs('mutation') || tokenIs('subscription')) {
      operations = append(operations, parseOperation());
    } else unexpected();
  }
  put(document, Slot.Operations, operations);
  put(document, Slot.Fragments, fragments);
  return wrong ? 0 : document;
}

/** A query that is only its selections; gqlparser forgets its comment. */
function shorthand(): u32 {
  const node = newNode(Shape.Operation);
  put(node, Slot.Operation, asciiString('query'));
  put(node, Slot.Selections, parseSelections());
  return node;
}

function parseOperation(): u32 {
  const node = newNode(Shape.Operation);
  put(node, Slot.Comment, comments);
  put(node, Slot.Operation, takeText());
  if (token == Token.Name) put(node, Slot.Name, takeText());
  put(node, Slot.Variables, parseVariables());
  put(node, Slot.Directives, parseDirectives(false));
  put(node, Slot.Selections, parseSelections());
  return node;
}

function parseFragment(): u32 {
  const node = newNode(Shape.Fragment);
  put(node, Slot.Comment, comments);
  expectKeyword('fragment');
  put(node, Slot.Name, parseFragmentName());
  put(node, Slot.Variables, parseVariables());
  expectKeyword('on');
  put(node, Slot.TypeCondition, parseName());
  put(node, Slot.Directives, parseDirectives(false));
  put(node, Slot.Selections, parseSelections());
  return node;
}

function parseFragmentName(): u32 {
  if (tokenIs('on')) unexpected();
  return parseName();
}

function parseVariables(): u32 {
  let list: u32 = 0;
  if (!some(Token.ParenL, Token.ParenR)) return 0;
  while (more(Token.ParenR)) {
    const node = newNode(Shape.Variable);
    put(node, Slot.Comment, comments);
    expect(Token.Dollar);
    put(node, Slot.Name, parseName());
    parseTyped(node, true, false);
    list = append(list, node);
  }
  advance();
  return list;
}

/** The selections in braces, which must come and may not be empty. */
function parseSelections(): u32 {
  enter();
  let list: u32 = 0;
  if (!some(Token.BraceL, Token.BraceR)) unexpected();
  while (more(Token.BraceR)) {
    list = append(list, token == Token.Spread ? parseSpread() : parseField());
  }
  advance();
  leave();
  return list;
}

function parseField(): u32 {
  const node = newNode(Shape.Field);
  put(node, Slot.Comment, comments);
  const alias = parseName();
  put(node, Slot.Alias, alias);
  put(node, Slot.Name, skip(Token.Colon) ? parseName() : alias);
  put(node, Slot.Arguments, parseArguments(false));
  put(node, Slot.Directives, parseDirectives(false));
  if (!wrong && token == Token.BraceL) put(node, Slot.Selections, parseSelections());
  return node;
}

/** The spread of a named fragment, or a fragment that stands here. */
function parseSpread(): u32 {
  const comment = comments;
  expect(Token.Spread);
  if (token == Token.Name && !tokenIs('on')) {
    const spread = newNode(Shape.Spread);
    put(spread, Slot.Comment, comment);
    put(spread, Slot.Name, tokenText());
    advance();
    put(spread, Slot.Directives, parseDirectives(false));
    return spread;
  }
  const node = newNode(Shape.Inline);
  put(node, Slot.Comment, comment);
  if (tokenIs('on')) {
    advance();
    put(node, Slot.TypeCondition, parseName());
  }
  put(node, Slot.Directives, parseDirectives(false));
  put(node, Slot.Selections, parseSelections());
  return node;
}
