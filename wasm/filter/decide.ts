// The mesh's decision: whether this peer may reach this service.

import {
  beginOutput,
  outputBytes,
  outputPointer,
  writeAscii,
  writeJsonString,
} from '../common/writer';
import { service, serviceLength, trustDomain, trustDomainLength } from './configuration';
import { beginDecision, decideCanonical } from './decision';
import { REQUEST_ID_BYTES, requestId, salt, TIME_BYTES, time } from './facts';
import { setMessage } from './judge';
import { Module } from './module';
import { nameLength, namePointer, peer, peerLength } from './peer';
import { ascii } from './text';

/**
 * Decides whether the peer may reach the service. With a `failure`, such as `svid_missing`, the policy
 * is not asked.
 */
export function decideMesh(failure: string): void {
  beginDecision(ascii('mesh'), 4, Module.Authorization, salt);
  beginInput('connect');
  endInput();
  decideCanonical(outputPointer(), outputBytes(), failure, 'read_body');
  if (failure.length > 0) setMessage(sentenceOf(failure));
}

/** Begins the input of a decision about this request: canonical JSON (RFC 8785), since every text in it was read strictly. */
export function beginInput(action: string): void {
  beginOutput();
  writeAscii('{"action":"');
  writeAscii(action);
  writeAscii('","context":{"request_id":');
  writeJsonString(requestId, REQUEST_ID_BYTES);
  writeAscii(',"time":');
  writeJsonString(time, TIME_BYTES);
  writeAscii('},"identity":{"agent":');
  writeJsonString(namePointer(1), nameLength(1));
  writeAscii(',"role":');
  writeJsonString(namePointer(2), nameLength(2));
  writeAscii(',"spiffe_id":');
  writeJsonString(peer, peerLength);
  writeAscii(',"tenant":');
  writeJsonString(namePointer(0), nameLength(0));
  writeAscii(',"trust_domain":');
  writeJsonString(trustDomain, trustDomainLength);
  writeAscii('}');
}

/** Ends it; what the caller adds in between comes behind the identity. */
export function endInput(): void {
  writeAscii(',"resource":{"kind":"service","name":');
  writeJsonString(service, serviceLength);
  writeAscii('}}');
}

/** What a failure means: the titles of services/common/problem.ts. */
export function sentenceOf(failure: string): string {
  if (failure == 'svid_missing') return 'There is no identity for the caller';
  if (failure == 'svid_foreign') return 'The identity is of another trust domain';
  if (failure == 'request_malformed') return 'The request is malformed';
  if (failure == 'bundle_missing') return 'A bundle of policy or data cannot be used';
  if (failure.startsWith('spiffe_')) return 'Not a valid SPIFFE ID';
  return 'A decision module cannot be used';
}
