// What the access log can say of a request; Envoy keeps it as filter state under `wasm.`.

import { alloc } from '../common/arena';
import { Kind, kindOf, stringLength, stringPointer } from '../common/json';
import { service, serviceLength } from './configuration';
import { code, codeLength, DECISION_ID_BYTES, id, rule, ruleLength } from './decision';
import { proxy_set_property } from './env';
import { REQUEST_ID_BYTES, requestId, TIME_BYTES, time } from './facts';
import { peer, peerLength } from './peer';
import { ascii } from './text';

/** Ids of all decisions about the request, with commas between them. */
let ids: u32 = 0;
let idsLength: u32 = 0;

/** Begins with the decision about the connection, whose id is given. */
export function beginIds(first: u32): void {
  ids = first;
  idsLength = DECISION_ID_BYTES;
}

/** Adds the decision that was just made. */
export function noteDecision(): void {
  const more = alloc(idsLength + 1 + DECISION_ID_BYTES);
  memory.copy(more, ids, idsLength);
  store<u8>(more + idsLength, 0x2c);
  memory.copy(more + idsLength + 1, id, DECISION_ID_BYTES);
  ids = more;
  idsLength += 1 + DECISION_ID_BYTES;
}

/** Says what was decided last, and what about. */
export function setFacts(): void {
  setFact('decision_id', id, DECISION_ID_BYTES);
  setFact('decision_ids', ids, idsLength);
  setFact('rule', rule, ruleLength);
  setFact('reason', code, codeLength);
  setFact('spiffe_id', peer, peerLength);
  setFact('service', service, serviceLength);
  setFact('request_id', requestId, REQUEST_ID_BYTES);
  setFact('time', time, TIME_BYTES);
}

/** Says what a string node holds, where there is one. */
export function setNamed(name: string, node: u32): void {
  if (node != 0 && kindOf(node) == Kind.String) {
    setFact(name, stringPointer(node), stringLength(node));
  }
}

export function setText(name: string, value: string): void {
  setFact(name, ascii(value), <u32>value.length);
}

function setFact(name: string, value: u32, length: u32): void {
  if (proxy_set_property(ascii(name), <u32>name.length, value, length) != 0) unreachable();
}
