// Waits for the body of a request where the policy obliges to read it, and lets nothing pass before it is decided on.

import { alloc } from '../common/arena';
import { OK } from '../common/errors';
import {
  firstChild,
  member,
  nextSibling,
  parseJson,
  stringLength,
  stringPointer,
} from '../common/json';
import { outputBytes, outputPointer } from '../common/writer';
import { canonicalize } from '../record/canonical';
import {
  findHeader,
  headersAgree,
  isJsonBody,
  readHeaders,
  value,
  valueLength,
} from './body-headers';
import { carriedBy, decideCall } from './call';
import { bodyBytesMax } from './configuration';
import { allowed, DECISION_ID_BYTES, id, obligations } from './decision';
import { proxy_get_buffer_bytes } from './env';
import { REQUEST_ID_BYTES, resumeFacts, SALT_BYTES, TIME_BYTES } from './facts';
import { inputCodeOf } from './failure';
import { setHeader } from './headers';
import { beginIds, setFacts, setNamed, setText } from './log';
import { property, readPeer } from './peer';
import { refuse } from './refuse';
import { method, noMessage, readMessage, tool } from './rpc';
import { ascii, equals } from './text';

const REQUEST_BODY: i32 = 0;
const PATH_BYTES_MAX: u32 = 2048;
const METHOD_BYTES_MAX: u32 = 32;

/**
 * How far the body of a stream is, as the proxy keeps it for the stream among its facts: the protocol
 * that it is awaited as, or what became of it. A stream that has none passes unread.
 */
const STATE = 'body';
const PASSED = 'passed';
const DENIED = 'denied';

/** The protocol of the obligation `read_body` that came with the last decision; '' for none. */
export function awaitedProtocol(): string {
  if (obligations == 0) return '';
  for (let one = firstChild(obligations); one != 0; one = nextSibling(one)) {
    const protocol = member(one, ascii('protocol'), 8);
    if (protocol != 0) return nameOf(stringPointer(protocol), stringLength(protocol));
  }
  return '';
}

/**
 * Begins to wait, with the facts of the request in its headers: other streams come in between, and
 * nothing is kept here for this one. Traps where the proxy does not give back what is said of the stream.
 */
export function beginWaiting(protocol: string): void {
  setText(STATE, protocol);
  setText('reason', 'body_incomplete');
  if (stateOf() != protocol) unreachable();
  readHeaders();
  // What goes on as another protocol, such as a WebSocket, has no body that could be read.
  if (findHeader('upgrade')) return settle(protocol, 0, 'request_malformed');
  if (findHeader('content-length') && exceeds(value, valueLength, bodyBytesMax)) {
    settle(protocol, 0, 'input_too_large');
  }
}

/** Whether the stream may go on: it never waited, or its body was let pass. */
export function mayGoOn(): bool {
  const state = stateOf();
  return state.length == 0 || state == PASSED;
}

/** Goes on waiting, or decides on the body, of which there are `bytes` so far. */
export function onBody(bytes: u32, isComplete: bool): void {
  const protocol = stateOf();
  if (protocol.length == 0 || protocol == PASSED || protocol == DENIED) return;
  if (bytes <= bodyBytesMax && !isComplete) return;
  resume();
  settle(protocol, bytes, '');
}

/** A message has no trailers: whatever came before them is refused. */
export function onTrailers(): void {
  const protocol = stateOf();
  if (protocol.length == 0 || protocol == PASSED || protocol == DENIED) return;
  resume();
  settle(protocol, 0, 'request_malformed');
}

/** Takes up the request where its head was left. */
function resume(): void {
  if (readPeer().length > 0) unreachable();
  readHeaders();
  const requestId = fact('x-platform-request-id', REQUEST_ID_BYTES);
  const time = fact('x-platform-time', TIME_BYTES);
  resumeFacts(requestId, time, fact('x-platform-salt', SALT_BYTES));
  beginIds(fact('x-platform-mesh-decision', DECISION_ID_BYTES));
}

function fact(name: string, length: u32): u32 {
  if (!findHeader(name) || valueLength != length) unreachable();
  return value;
}

/** Decides, and answers or lets pass. With an `error` the body is not looked at. */
export function settle(protocol: string, bytes: u32, error: string): void {
  noMessage();
  const fault = error.length > 0 ? error : read(protocol, bytes);
  decideCall(protocol, bytes, fault);
  setFacts();
  if (fault.length == 0) {
    setNamed('method', method);
    setNamed('tool', tool);
  }
  setText(STATE, allowed ? PASSED : DENIED);
  if (allowed) setHeader('x-platform-mesh-decision', id, DECISION_ID_BYTES);
  else refuse('');
}

/** Reads the message; returns the code of what is wrong with it, or ''. The order is that of runtime/mesh/message.ts. */
function read(protocol: string, bytes: u32): string {
  if (bytes > bodyBytesMax) return 'input_too_large';
  if (!readTarget()) return 'request_malformed';
  const isMcp = protocol == 'mcp';
  if (bytes == 0) return isMcp && !headersAgree() ? 'request_malformed' : '';
  findHeader(':method');
  if (!equals(value, valueLength, 'POST')) return 'request_malformed';
  if (!isJsonBody()) return 'content_type_unsupported';
  const slot = alloc(8);
  if (proxy_get_buffer_bytes(REQUEST_BODY, 0, bytes, slot, slot + 4) != 0) unreachable();
  // Nothing less than the whole is judged.
  if (load<u32>(slot, 4) != bytes) unreachable();
  // The record module's own reader, so that what is not portable has one code in every host.
  const fault = canonicalize(load<u32>(slot), bytes);
  if (fault != OK) return inputCodeOf(fault);
  const root = parseJson(outputPointer(), outputBytes());
  if (root == 0) unreachable();
  if (!readMessage(root, isMcp)) return 'request_malformed';
  return isMcp && !headersAgree() ? 'request_malformed' : '';
}

/** Reads method and path; both are visible ASCII, which every reader takes alike. */
function readTarget(): bool {
  if (!findHeader(':method') || !isVisible(value, valueLength, METHOD_BYTES_MAX)) return false;
  const verb = value;
  const verbLength = valueLength;
  if (!findHeader(':path')) return false;
  let length: u32 = 0;
  while (length < valueLength && load<u8>(value + length) != 0x3f) length += 1;
  carriedBy(verb, verbLength, value, length);
  return isVisible(value, length, PATH_BYTES_MAX);
}

function isVisible(text: u32, length: u32, bytesMax: u32): bool {
  if (length == 0 || length > bytesMax) return false;
  for (let p = text; p < text + length; p++) {
    const byte = <u32>load<u8>(p);
    if (byte < 0x21 || byte > 0x7e) return false;
  }
  return true;
}

/** Whether decimal digits are more than `most`; what is no number waits for the body itself. */
function exceeds(digits: u32, length: u32, most: u32): bool {
  let number: u64 = 0;
  for (let p = digits; p < digits + length; p++) {
    const digit = <u32>load<u8>(p) - 0x30;
    if (digit > 9) return false;
    number = number * 10 + digit;
    if (number > most) return true;
  }
  return false;
}

function stateOf(): string {
  const found = property(STATE);
  if (found == 0 || load<u32>(found, 4) == 0) return '';
  return nameOf(load<u32>(found), load<u32>(found, 4));
}

/** A name that the filter knows; traps for any other, so that no stream passes by what nobody wrote. */
function nameOf(text: u32, length: u32): string {
  if (equals(text, length, 'mcp')) return 'mcp';
  if (equals(text, length, 'a2a')) return 'a2a';
  if (equals(text, length, PASSED)) return PASSED;
  if (equals(text, length, DENIED)) return DENIED;
  return unreachable();
}
