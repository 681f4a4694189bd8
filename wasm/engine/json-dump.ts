// Writes values as JSON: canonical (RFC 8785) for the platform, and marked, which tells sets apart, for tests.

import { KEY_LENGTH, KEY_POINTER } from '../common/sort';
import {
  beginOutput,
  outputBytes,
  outputPointer,
  setOutput,
  writeAscii,
  writeByte,
  writeJsonByte,
  writeJsonString,
} from '../common/writer';
import { VALUE_DEPTH_MAX } from './compare';
import { Failure, stop } from './failure';
import { canonicalMembers, MEMBER_VALUE } from './members';
import { writeCanonicalNumber, writeNumberText } from './number-write';
import { sorted } from './object';
import { asUtf8 } from './raw-text';
import { elementAt, Kind, keyAt, kindOf, lengthOf, stringOf, textOf, valueAt } from './value';

/** A value as canonical JSON text (RFC 8785): a set is an array, a key that is no string is its own text. */
export function canonicalText(value: u32): u32 {
  beginOutput();
  writeValue(value, false, 0);
  return asUtf8(stringOf(outputPointer(), outputBytes()));
}

/**
 * A value as JSON text that `parseMarked` reads back: a set is `{"$set": [...]}`, an object with other keys
 * than strings `{"$object": [[key, value], ...]}`, and a key that begins with `$` has that twice.
 */
export function markedText(value: u32): u32 {
  beginOutput();
  writeValue(value, true, 0);
  return asUtf8(stringOf(outputPointer(), outputBytes()));
}

/** The text that a key has which is no string, made while another text is written. */
export function keyText(key: u32): u32 {
  const pointer = outputPointer();
  const length = outputBytes();
  const text = canonicalText(key);
  setOutput(pointer, length);
  return text;
}

function writeValue(value: u32, marked: bool, depth: u32): void {
  const kind = kindOf(value);
  if (kind == Kind.String) writeJsonString(textOf(value), lengthOf(value));
  else if (kind == Kind.Number && marked) writeNumberText(value);
  else if (kind == Kind.Number) writeCanonicalNumber(value);
  else if (kind == Kind.Null) writeAscii('null');
  else if (kind == Kind.False) writeAscii('false');
  else if (kind == Kind.True) writeAscii('true');
  else {
    if (depth == VALUE_DEPTH_MAX) stop(Failure.Depth);
    if (kind == Kind.Array) writeArray(value, marked, depth + 1);
    else if (kind == Kind.Set) writeSet(value, marked, depth + 1);
    else if (!marked) writeObject(value, depth + 1);
    else if (hasOnlyStrings(value)) writeMarkedObject(value, depth + 1);
    else writePairs(value, depth + 1);
  }
}

function writeArray(value: u32, marked: bool, depth: u32): void {
  writeByte(0x5b);
  const length = lengthOf(value);
  for (let i: u32 = 0; i < length; i++) {
    if (i > 0) writeByte(0x2c);
    writeValue(elementAt(value, i), marked, depth);
  }
  writeByte(0x5d);
}

function writeSet(value: u32, marked: bool, depth: u32): void {
  const set = sorted(value);
  if (marked) writeAscii('{"$set":');
  writeByte(0x5b);
  const length = lengthOf(set);
  for (let i: u32 = 0; i < length; i++) {
    if (i > 0) writeByte(0x2c);
    writeValue(keyAt(set, i), marked, depth);
  }
  writeByte(0x5d);
  if (marked) writeByte(0x7d);
}

function writeObject(value: u32, depth: u32): void {
  const length = lengthOf(value);
  const members = canonicalMembers(sorted(value));
  writeByte(0x7b);
  for (let i: u32 = 0; i < length; i++) {
    const member = load<u32>(members + (i << 2));
    if (i > 0) writeByte(0x2c);
    writeJsonString(load<u32>(member, KEY_POINTER), load<u32>(member, KEY_LENGTH));
    writeByte(0x3a);
    writeValue(load<u32>(member, MEMBER_VALUE), false, depth);
  }
  writeByte(0x7d);
}

function hasOnlyStrings(object: u32): bool {
  const length = lengthOf(object);
  for (let i: u32 = 0; i < length; i++) if (kindOf(keyAt(object, i)) != Kind.String) return false;
  return true;
}

function writeMarkedObject(value: u32, depth: u32): void {
  const object = sorted(value);
  const length = lengthOf(object);
  writeByte(0x7b);
  for (let i: u32 = 0; i < length; i++) {
    const key = keyAt(object, i);
    if (i > 0) writeByte(0x2c);
    writeByte(0x22);
    if (lengthOf(key) > 0 && load<u8>(textOf(key)) == 0x24) writeByte(0x24);
    for (let j: u32 = 0; j < lengthOf(key); j++) writeJsonByte(load<u8>(textOf(key) + j));
    writeByte(0x22);
    writeByte(0x3a);
    writeValue(valueAt(object, i), true, depth);
  }
  writeByte(0x7d);
}

function writePairs(value: u32, depth: u32): void {
  const object = sorted(value);
  const length = lengthOf(object);
  writeAscii('{"$object":[');
  for (let i: u32 = 0; i < length; i++) {
    if (i > 0) writeByte(0x2c);
    writeByte(0x5b);
    writeValue(keyAt(object, i), true, depth);
    writeByte(0x2c);
    writeValue(valueAt(object, i), true, depth);
    writeByte(0x5d);
  }
  writeAscii(']}');
}
