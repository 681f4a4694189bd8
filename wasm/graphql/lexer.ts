// Splits a GraphQL document into tokens as gqlparser's lexer does, quirks included, over a whole engine string.
//
// The lexer stands on one token always; comments in front of it are kept beside it.

import { asciiString, stringOf } from '../engine/value';
import { append, is, spells } from './ast';
import { readBlockString, readString, readTo, readValue } from './strings';

/** Kinds of tokens: a punctuator is its character. */
export const enum Token {
  End = 0,
  Invalid = 1,
  Spread = 2,
  Name = 3,
  Int = 4,
  Float = 5,
  String = 6,
  BlockString = 7,
  Bang = 0x21,
  Dollar = 0x24,
  Amp = 0x26,
  ParenL = 0x28,
  ParenR = 0x29,
  Colon = 0x3a,
  Equals = 0x3d,
  At = 0x40,
  BracketL = 0x5b,
  BracketR = 0x5d,
  BraceL = 0x7b,
  Pipe = 0x7c,
  BraceR = 0x7d,
}

let position: u32 = 0;
let end: u32 = 0;
let start: u32 = 0;
let value: u32 = 0;

/** The token that the lexer stands on. */
export let token: u32 = Token.End;
/** The comments in front of the token, a list of texts with their number signs; 0 when there are none. */
export let comments: u32 = 0;

/** Begins a document: stands on its first token. */
export function open(pointer: u32, length: u32): void {
  position = pointer;
  end = pointer + length;
  advance();
}

/** Goes to the next token; behind an invalid one there is only that one. */
export function advance(): void {
  comments = 0;
  value = 0;
  skipSpace();
  while (position < end && load<u8>(position) == 0x23) {
    start = position++;
    while (position < end && (load<u8>(position) > 0x1f || load<u8>(position) == 9)) position++;
    comments = append(comments, stringOf(start, position - start));
    skipSpace();
  }
  start = position;
  token = position >= end ? <u32>Token.End : read(load<u8>(position));
}

/** The text of a name, a number or a string; the empty one for others. */
export function tokenText(): u32 {
  if (value != 0) return value;
  if (token != Token.Name && token != Token.Int && token != Token.Float) return 0;
  value = stringOf(start, position - start);
  return value;
}

/** Whether the token's text is this, whatever the kind of the token: gqlparser looks at the text only. */
export function tokenIs(literal: string): bool {
  return token == Token.Name ? spells(start, position - start, literal) : is(tokenText(), literal);
}

/** Tabs, spaces, commas, line ends and byte order marks. */
function skipSpace(): void {
  while (position < end) {
    const byte = <u32>load<u8>(position);
    if (byte == 9 || byte == 10 || byte == 13 || byte == 0x20 || byte == 0x2c) position++;
    else if (
      byte == 0xef &&
      position + 2 < end &&
      load<u8>(position, 1) == 0xbb &&
      load<u8>(position, 2) == 0xbf
    ) {
      position += 3;
    } else return;
  }
}

function read(byte: u32): u32 {
  switch (byte) {
    case Token.Bang:
    case Token.Dollar:
    case Token.Amp:
    case Token.ParenL:
    case Token.ParenR:
    case Token.Colon:
    case Token.Equals:
    case Token.At:
    case Token.BracketL:
    case Token.BracketR:
    case Token.BraceL:
    case Token.BraceR:
    case Token.Pipe:
      position++;
      return byte;
    case 0x2e:
      if (!quoted(0x2e)) return Token.Invalid;
      position += 3;
      return Token.Spread;
    case 0x22:
      return readText();
  }
  if (byte == 0x2d || isDigit(byte)) return readNumber();
  if (!isNameByte(byte)) return Token.Invalid;
  while (position < end && isNameByte(load<u8>(position))) position++;
  return Token.Name;
}

/** Whether this byte stands three times here. */
function quoted(byte: u32): bool {
  return (
    position + 3 <= end &&
    load<u8>(position) == byte &&
    load<u8>(position, 1) == byte &&
    load<u8>(position, 2) == byte
  );
}

function readText(): u32 {
  const block = quoted(0x22);
  const fine = block ? readBlockString(position + 3, end) : readString(position + 1, end);
  if (!fine) return Token.Invalid;
  position = readTo;
  value = readValue == 0 ? asciiString('') : readValue;
  return block ? Token.BlockString : Token.String;
}

/** Int: -?(0|[1-9][0-9]*), Float: the same with a fraction, an exponent or both. */
function readNumber(): u32 {
  accept(0x2d);
  if (accept(0x30)) {
    if (digits() != 0) return Token.Invalid;
  } else if (digits() == 0) return Token.Invalid;
  let kind: u32 = Token.Int;
  if (accept(0x2e)) {
    kind = Token.Float;
    if (digits() == 0) return Token.Invalid;
  }
  if (accept(0x65) || accept(0x45)) {
    kind = Token.Float;
    if (!accept(0x2d)) accept(0x2b);
    if (digits() == 0) return Token.Invalid;
  }
  return kind;
}

function accept(byte: u32): bool {
  if (position >= end || load<u8>(position) != byte) return false;
  position++;
  return true;
}

function digits(): u32 {
  const from = position;
  while (position < end && isDigit(load<u8>(position))) position++;
  return position - from;
}

function isDigit(byte: u32): bool {
  return byte - 0x30 < 10;
}

function isNameByte(byte: u32): bool {
  return byte == 0x5f || isDigit(byte) || (byte | 0x20) - 0x61 < 26;
}
