// What a request asks for: which scanners, for what text, judged how; read from its JSON and kept until the next one.

import { INPUT_INVALID, INPUT_TOO_LARGE, OK } from '../common/errors';
import {
  childCount,
  firstChild,
  Kind,
  keyLength,
  keyPointer,
  kindOf,
  nextSibling,
  numberValue,
  stringLength,
  stringPointer,
} from '../common/json';
import {
  BUILT,
  defaultThreshold,
  RELEVANCE,
  SCANNERS,
  scannerName,
  TOKEN_LIMIT,
  TOPIC_BOUNDARY,
} from './scanners';

/** The longest text that is scanned, in bytes; a longer one is refused, never cut. */
export const TEXT_MAX: u32 = 4 * 1024 * 1024;
/** Most entries of a list in a request: canaries, topics. */
const LIST_MAX: u32 = 64;
const COUNT_MAX: f64 = 1073741824.0;

/** Where a text comes from. */
export const SOURCE_USER: u32 = 0;
/** What a tool answered: untrusted. */
export const SOURCE_TOOL: u32 = 1;
/** What stands in a document: untrusted. */
export const SOURCE_DOCUMENT: u32 = 2;

/** The scanners asked for, a bit each. */
export let scanners: u32 = 0;
export let isOutput: bool = false;
export let source: u32 = SOURCE_USER;
/** A string node of wasm/common/json, as the next ones; 0 when absent. */
export let text: u32 = 0;
export let prompt: u32 = 0;
/** An array node of string nodes; 0 when absent. */
export let canaries: u32 = 0;
export let topicsAllowed: u32 = 0;
export let topicsForbidden: u32 = 0;
/** -1 when absent. */
export let tokensMax: i32 = -1;
export let observedTokens: i32 = -1;
/** In thousandths; -1 when absent. */
export let observedInjection: i32 = -1;

const thresholds: u32 = <u32>memory.data(32);

/** From which score of 1000 on a scanner reports. */
export function thresholdOf(scanner: u32): u32 {
  return load<u32>(thresholds + scanner * 4);
}

/** Whether an ASCII literal equals `length` bytes. */
export function isAscii(pointer: u32, length: u32, literal: string): bool {
  if (length != <u32>literal.length) return false;
  const characters = <u32>changetype<usize>(literal);
  for (let i: u32 = 0; i < length; i++) {
    if (load<u8>(pointer + i) != load<u8>(characters + (i << 1))) return false;
  }
  return true;
}

function isString(node: u32, literal: string): bool {
  return kindOf(node) == Kind.String && isAscii(stringPointer(node), stringLength(node), literal);
}

function isKey(node: u32, literal: string): bool {
  return isAscii(keyPointer(node), keyLength(node), literal);
}

function reset(): void {
  scanners = 0;
  isOutput = false;
  source = SOURCE_USER;
  text = 0;
  prompt = 0;
  canaries = 0;
  topicsAllowed = 0;
  topicsForbidden = 0;
  tokensMax = -1;
  observedTokens = -1;
  observedInjection = -1;
  for (let scanner: u32 = 0; scanner < SCANNERS; scanner++) {
    store<u32>(thresholds + scanner * 4, defaultThreshold(scanner));
  }
}

/** Reads a request, with its text or, for a stream, without; returns an error number. */
export function readRequest(root: u32, isStream: bool): i32 {
  reset();
  if (kindOf(root) != Kind.Object) return INPUT_INVALID;
  let hasDirection = false;
  for (let child = firstChild(root); child != 0; child = nextSibling(child)) {
    if (isKey(child, 'direction')) {
      isOutput = isString(child, 'output');
      if (!isOutput && !isString(child, 'input')) return INPUT_INVALID;
      hasDirection = true;
    } else if (isKey(child, 'text') && kindOf(child) == Kind.String) text = child;
    else if (isKey(child, 'prompt') && kindOf(child) == Kind.String) prompt = child;
    else if (!readMember(child)) return INPUT_INVALID;
  }
  if (!hasDirection || scanners == 0 || (text != 0) == isStream) return INPUT_INVALID;
  if (text != 0 && stringLength(text) > TEXT_MAX) return INPUT_TOO_LARGE;
  if (prompt != 0 && stringLength(prompt) > TEXT_MAX) return INPUT_TOO_LARGE;
  return isComplete() ? OK : INPUT_INVALID;
}

/** Whether what the scanners compare the text with is there. */
function isComplete(): bool {
  if ((scanners & (1 << RELEVANCE)) != 0 && prompt == 0) return false;
  if ((scanners & (1 << TOKEN_LIMIT)) != 0 && (tokensMax < 0 || observedTokens < 0)) return false;
  const topics = listed(topicsAllowed) + listed(topicsForbidden);
  return (scanners & (1 << TOPIC_BOUNDARY)) == 0 || topics > 0;
}

function listed(list: u32): u32 {
  return list == 0 ? 0 : childCount(list);
}

function readMember(node: u32): bool {
  if (isKey(node, 'scanners')) return readScanners(node);
  if (isKey(node, 'source')) return readSource(node);
  if (isKey(node, 'thresholds')) return readThresholds(node);
  if (isKey(node, 'topics')) return readTopics(node);
  if (isKey(node, 'observed')) return readObserved(node);
  if (isKey(node, 'canaries')) {
    canaries = node;
    return isList(node);
  }
  if (isKey(node, 'tokens_max')) {
    tokensMax = integerOf(node);
    return tokensMax >= 0;
  }
  return false;
}

/** A whole number from 0 to 2^30, or -1. */
function integerOf(node: u32): i32 {
  if (kindOf(node) != Kind.Number) return -1;
  const value = numberValue(node);
  return value >= 0 && value <= COUNT_MAX && Math.floor(value) == value ? <i32>value : -1;
}

/** A list of at most `LIST_MAX` strings, none of them empty. */
function isList(node: u32): bool {
  if (kindOf(node) != Kind.Array || childCount(node) > LIST_MAX) return false;
  for (let child = firstChild(node); child != 0; child = nextSibling(child)) {
    if (kindOf(child) != Kind.String || stringLength(child) == 0) return false;
  }
  return true;
}

/** The number of the scanner that a name stands for, -1 for none. */
function scannerOf(pointer: u32, length: u32): i32 {
  for (let scanner: u32 = 0; scanner < SCANNERS; scanner++) {
    if (isAscii(pointer, length, scannerName(scanner))) return <i32>scanner;
  }
  return -1;
}

function readScanners(node: u32): bool {
  if (kindOf(node) != Kind.Array || childCount(node) == 0) return false;
  for (let child = firstChild(node); child != 0; child = nextSibling(child)) {
    if (kindOf(child) != Kind.String) return false;
    const scanner = scannerOf(stringPointer(child), stringLength(child));
    if (scanner < 0) return false;
    const bit = (<u32>1) << (<u32>scanner);
    if ((BUILT & bit) == 0 || (scanners & bit) != 0) return false;
    scanners |= bit;
  }
  return true;
}

function readSource(node: u32): bool {
  if (isString(node, 'tool')) source = SOURCE_TOOL;
  else if (isString(node, 'document')) source = SOURCE_DOCUMENT;
  else return isString(node, 'user');
  return true;
}

function readThresholds(node: u32): bool {
  if (kindOf(node) != Kind.Object) return false;
  for (let child = firstChild(node); child != 0; child = nextSibling(child)) {
    const scanner = scannerOf(keyPointer(child), keyLength(child));
    const value = integerOf(child);
    if (scanner < 0 || value < 1 || value > 1000) return false;
    store<u32>(thresholds + <u32>scanner * 4, <u32>value);
  }
  return true;
}

function readTopics(node: u32): bool {
  if (kindOf(node) != Kind.Object) return false;
  for (let child = firstChild(node); child != 0; child = nextSibling(child)) {
    if (!isList(child)) return false;
    if (isKey(child, 'allowed')) topicsAllowed = child;
    else if (isKey(child, 'forbidden')) topicsForbidden = child;
    else return false;
  }
  return true;
}

/** What was measured outside: how many tokens, and what another model says of an injection. */
function readObserved(node: u32): bool {
  if (kindOf(node) != Kind.Object) return false;
  for (let child = firstChild(node); child != 0; child = nextSibling(child)) {
    if (isKey(child, 'tokens')) {
      observedTokens = measured(child, 'count', 'encoding');
      if (observedTokens < 0) return false;
    } else if (isKey(child, 'injection')) {
      observedInjection = measured(child, 'score', 'model');
      if (observedInjection < 0 || observedInjection > 1000) return false;
    } else return false;
  }
  return true;
}

/** The number of a measurement, whose other member names what measured it; -1 for anything else. */
function measured(node: u32, number: string, by: string): i32 {
  if (kindOf(node) != Kind.Object || childCount(node) != 2) return -1;
  let value: i32 = -1;
  for (let child = firstChild(node); child != 0; child = nextSibling(child)) {
    if (isKey(child, number)) value = integerOf(child);
    else if (!isKey(child, by) || kindOf(child) != Kind.String) return -1;
  }
  return value;
}
