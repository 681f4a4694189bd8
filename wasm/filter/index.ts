// The mesh filter: who the peer is, what it may not say, and whether policy lets it reach this service.
// Proxy-wasm ABI 0.2.1; runtime/bundle/merge.ts joins it with the compiled policy.

import { alloc, resetArena } from '../common/arena';
import { awaitedProtocol, beginWaiting, mayGoOn, onBody, onTrailers } from './body';
import { configure, configured, isDecisionPoint } from './configuration';
import { decideMesh } from './decide';
import { allowed, DECISION_ID_BYTES, id } from './decision';
import { proxy_log } from './env';
import { fixFacts, REQUEST_ID_BYTES, requestId, SALT_BYTES, salt, TIME_BYTES, time } from './facts';
import { cleanHeaders, REQUEST_HEADERS, REQUEST_TRAILERS, setHeader } from './headers';
import { beginIds, setFacts } from './log';
import { peer, peerLength, readPeer } from './peer';
import { answerBody, answerNothing, answerTrailers } from './point';
import { refuse } from './refuse';
import { ascii } from './text';

const CONTINUE: i32 = 0;
const PAUSE: i32 = 1;
const LOG_ERROR: i32 = 4;

export function proxy_abi_version_0_2_1(): void {}

/** Where the proxy puts what it hands over; freed at the next request. */
export function proxy_on_memory_allocate(bytes: u32): u32 {
  return alloc(bytes);
}

export function proxy_on_context_create(_context: u32, _parent: u32): void {}

export function proxy_on_vm_start(_root: u32, _bytes: u32): i32 {
  return 1;
}

export function proxy_on_configure(_root: u32, bytes: u32): i32 {
  if (configure(bytes)) return 1;
  const text = 'the mesh filter cannot use its configuration';
  proxy_log(LOG_ERROR, ascii(text), <u32>text.length);
  return 0;
}

/** Whatever fails is a deny; what cannot even be answered traps, which no proxy lets pass. */
export function proxy_on_request_headers(_context: u32, _count: u32, endOfStream: u32): i32 {
  resetArena();
  fixFacts();
  let failure = readPeer();
  if (!configured) failure = 'bundle_missing';
  else if (failure.length == 0 && !cleanHeaders(REQUEST_HEADERS)) failure = 'request_malformed';
  decideMesh(failure);
  beginIds(id);
  setFacts();
  if (!allowed) {
    refuse(failure);
    return PAUSE;
  }
  setHeader('x-platform-spiffe-id', peer, peerLength);
  setHeader('x-platform-request-id', requestId, REQUEST_ID_BYTES);
  setHeader('x-platform-time', time, TIME_BYTES);
  setHeader('x-platform-salt', salt, SALT_BYTES);
  setHeader('x-platform-mesh-decision', id, DECISION_ID_BYTES);
  if (isDecisionPoint) {
    if (endOfStream != 0) answerNothing();
    return PAUSE;
  }
  const protocol = awaitedProtocol();
  if (protocol.length == 0) return CONTINUE;
  beginWaiting(protocol);
  if (endOfStream != 0) onBody(0, true);
  return mayGoOn() ? CONTINUE : PAUSE;
}

/** What passes unread comes here too, in proxies that ask about every body. */
export function proxy_on_request_body(_context: u32, bytes: u32, endOfStream: u32): i32 {
  resetArena();
  if (isDecisionPoint) {
    answerBody(bytes, endOfStream != 0);
    return PAUSE;
  }
  onBody(bytes, endOfStream != 0);
  return mayGoOn() ? CONTINUE : PAUSE;
}

/** Trailers say nothing in the platform's name either. */
export function proxy_on_request_trailers(_context: u32, _count: u32): i32 {
  resetArena();
  if (!cleanHeaders(REQUEST_TRAILERS)) unreachable();
  if (isDecisionPoint) {
    answerTrailers();
    return PAUSE;
  }
  onTrailers();
  return mayGoOn() ? CONTINUE : PAUSE;
}

export function proxy_on_done(_context: u32): i32 {
  return 1;
}
