// Reads the data document in pieces, so that a host can do other things between them.
//
// A piece is some members of one of the document's own members, which is where large data has its many entries:
// `{"agents": {"a": …, "b": …}}` can be left after "a". Whatever the pieces, the memory is used alike.

import { persist } from '../common/arena';
import { OK } from '../common/errors';
import {
  another,
  beginKept,
  closeObject,
  endOfText,
  jsonError,
  openObject,
  parseMember,
  parseName,
  parseValue,
  peek,
  pushMember,
  remaining,
} from './json-parse';

const enum Phase {
  /** Before the first byte. */
  Begin,
  /** Before a member of the document. */
  Outer,
  /** Before a member of one of its members. */
  Inner,
  End,
}

/** There is more to read. */
const MORE: i32 = -1;

let phase: Phase = Phase.End;
/** Where the members of the document, and of the member that is open, are on the parser's stack. */
let outer: u32 = 0;
let inner: u32 = 0;
let innerName: u32 = 0;
let document: u32 = 0;

/** The data document, or 0 before one is loaded. */
export function loaded(): u32 {
  return document;
}

/** Begins to read the data document from the memory of `begin`; no other call until `loadNext` has ended. */
export function loadBegin(pointer: u32, length: u32): void {
  beginKept(pointer, length);
  phase = Phase.Begin;
}

/** Reads on for at least so many bytes: -1 when there is more, 0 when the document is kept, or an error number. */
export function loadNext(bytes: u32): i32 {
  const left = remaining();
  const until = bytes < left ? left - bytes : 0;
  let state = MORE;
  do state = step();
  while (state == MORE && remaining() > until);
  return state;
}

/** Reads the data document from the memory of `begin` and keeps it; returns 0 or an error number. */
export function loadData(pointer: u32, length: u32): i32 {
  loadBegin(pointer, length);
  let state = MORE;
  while (state == MORE) state = loadNext(length);
  return state;
}

function step(): i32 {
  if (phase == Phase.Begin) return stepBegin();
  if (phase == Phase.Outer) return stepOuter();
  if (phase == Phase.Inner) return stepInner();
  return jsonError();
}

function stepBegin(): i32 {
  if (peek() != 0x7b) return end(endOfText(parseValue(0)));
  outer = openObject();
  if (peek() == 0x7d) return endOuter();
  phase = Phase.Outer;
  return MORE;
}

function stepOuter(): i32 {
  const name = parseName();
  if (name == 0) return end(0);
  if (peek() != 0x7b) return endMember(name, parseValue(1));
  innerName = name;
  inner = openObject();
  if (peek() == 0x7d) return endMember(name, closeObject(inner));
  phase = Phase.Inner;
  return MORE;
}

function stepInner(): i32 {
  if (!parseMember(2)) return end(0);
  return another() ? MORE : endMember(innerName, closeObject(inner));
}

function endMember(name: u32, value: u32): i32 {
  if (value == 0) return end(0);
  pushMember(name, value);
  phase = Phase.Outer;
  return another() ? MORE : endOuter();
}

function endOuter(): i32 {
  return end(endOfText(closeObject(outer)));
}

/** The end of the text, or with 0 of reading it. */
function end(root: u32): i32 {
  phase = Phase.End;
  if (root == 0) return jsonError();
  persist();
  document = root;
  return OK;
}
