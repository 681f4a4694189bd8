// The mesh filter: who the peer is, what it may not say, and whether policy lets it reach this service.
// Proxy-wasm ABI 0.2.1; runtime/bundle/merge.ts joins it with the compiled policy.

import { alloc, resetArena } from '../common/arena';
import { configure, configured, isDecisionPoint, service, serviceLength } from './configuration';
import { decideMesh } from './decide';
import { allowed, code, codeLength, DECISION_ID_BYTES, id, rule, ruleLength } from './decision';
import { proxy_log, proxy_set_property } from './env';
import { fixFacts, REQUEST_ID_BYTES, requestId, SALT_BYTES, salt, TIME_BYTES, time } from './facts';
import { cleanHeaders, REQUEST_HEADERS, REQUEST_TRAILERS, setHeader } from './headers';
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
  if (!isDecisionPoint) return CONTINUE;
  if (endOfStream != 0) answerNothing();
  return PAUSE;
}

/** Comes only where the head made the request wait; the filter answers it, or waits for the rest. */
export function proxy_on_request_body(_context: u32, bytes: u32, endOfStream: u32): i32 {
  resetArena();
  if (!isDecisionPoint) return CONTINUE;
  answerBody(bytes, endOfStream != 0);
  return PAUSE;
}

/** Trailers say nothing in the platform's name either. */
export function proxy_on_request_trailers(_context: u32, _count: u32): i32 {
  resetArena();
  if (!cleanHeaders(REQUEST_TRAILERS)) unreachable();
  if (!isDecisionPoint) return CONTINUE;
  answerTrailers();
  return PAUSE;
}

export function proxy_on_done(_context: u32): i32 {
  return 1;
}

/** What the access log can say of the request; Envoy keeps them as filter state under `wasm.`. */
function setFacts(): void {
  setFact('decision_id', id, DECISION_ID_BYTES);
  setFact('rule', rule, ruleLength);
  setFact('reason', code, codeLength);
  setFact('spiffe_id', peer, peerLength);
  setFact('service', service, serviceLength);
  setFact('request_id', requestId, REQUEST_ID_BYTES);
  setFact('time', time, TIME_BYTES);
}

function setFact(name: string, value: u32, length: u32): void {
  if (proxy_set_property(ascii(name), <u32>name.length, value, length) != 0) unreachable();
}
