// The decision: the canonical input, the policy's answer, and the id that any other host computes from both.

import {
  INPUT_DUPLICATE_KEY,
  INPUT_KEY_TOO_LONG,
  INPUT_LONE_SURROGATE,
  INPUT_NOT_UTF8,
  INPUT_NUMBER_NOT_PORTABLE,
  INPUT_TOO_DEEP,
  INPUT_TOO_LARGE,
  OK,
} from '../common/errors';
import {
  childCount,
  firstChild,
  Kind,
  kindOf,
  member,
  nextSibling,
  parseJson,
  stringLength,
  stringPointer,
} from '../common/json';
import {
  beginOutput,
  outputBytes,
  outputPointer,
  writeAscii,
  writeByte,
  writeBytes,
  writeJsonString,
} from '../common/writer';
import { canonicalize } from '../record/canonical';
import { decisionId } from '../record/index';
import { copyIn } from './bridge';
import {
  dataRevision,
  dataRevisionLength,
  entrypoint,
  policyRevision,
  policyRevisionLength,
  service,
  serviceLength,
  trustDomain,
  trustDomainLength,
} from './configuration';
import { REQUEST_ID_BYTES, requestId, TIME_BYTES, time } from './facts';
import { nameLength, namePointer, peer, peerLength } from './peer';
import { answerText, begin, evaluate, parse } from './policy';
import { textLength, textOf } from './result';
import { ascii, equals, hex, startsWith } from './text';

export const DECISION_ID_BYTES: u32 = 64;

/** The id in hexadecimal. */
export let id: u32 = 0;
export let allowed: bool = false;
/** The rule that said so, or the module's name. */
export let rule: u32 = 0;
export let ruleLength: u32 = 0;
/** Code and sentence of the first reason. */
export let code: u32 = 0;
export let codeLength: u32 = 0;
export let message: u32 = 0;
export let messageLength: u32 = 0;

/**
 * Decides whether the peer may reach the service. With a `failure`, such as `svid_missing`, the policy
 * is not asked: the output is that of every host that could not decide.
 */
export function decideMesh(failure: string): void {
  const input = canonicalInput();
  const inputLength = outputBytes();
  let output: u32 = 0;
  if (failure.length == 0) {
    output = ask(input, inputLength);
    if (output == 0) failure = unanswered;
  }
  if (output == 0) output = failed(failure);
  const outputLength = outputBytes();
  judge(output, outputLength);
  if (failure.length > 0) setMessage(sentenceOf(failure));
  identify(input, inputLength, output, outputLength);
}

/** Canonical JSON (RFC 8785) of the input; its length is the output's. */
function canonicalInput(): u32 {
  beginOutput();
  writeAscii('{"action":"connect","context":{"request_id":');
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
  writeAscii('},"resource":{"kind":"service","name":');
  writeJsonString(service, serviceLength);
  writeAscii('}}');
  if (canonicalize(outputPointer(), outputBytes()) != OK) unreachable();
  return outputPointer();
}

/** Why the policy's last answer was none. */
let unanswered: string = '';

/** Asks the policy; canonical JSON of its answer, or 0 with `unanswered`. */
function ask(input: u32, length: u32): u32 {
  unanswered = 'module_output_invalid';
  const place = begin(length);
  copyIn(place, input, length);
  const answer = evaluate(entrypoint, parse(place, length));
  if (answer < 0) return 0;
  const text = textOf(answerText(<u32>answer));
  // A policy may answer with what is no portable JSON, which is an error like any other.
  const error = canonicalize(text, textLength);
  if (error == OK) return outputPointer();
  unanswered = inputCodeOf(error);
  return 0;
}

/** The code of JSON that some readers take and others do not; runtime/modules/error-numbers.ts has the same list. */
function inputCodeOf(error: i32): string {
  if (error == INPUT_TOO_LARGE) return 'input_too_large';
  if (error == INPUT_NOT_UTF8) return 'input_not_utf8';
  if (error == INPUT_LONE_SURROGATE) return 'input_lone_surrogate';
  if (error == INPUT_DUPLICATE_KEY) return 'input_duplicate_key';
  if (error == INPUT_NUMBER_NOT_PORTABLE) return 'input_number_not_portable';
  if (error == INPUT_TOO_DEEP) return 'input_too_deep';
  if (error == INPUT_KEY_TOO_LONG) return 'input_key_too_long';
  return 'input_not_json';
}

/** The output of a decision that could not be made (runtime/decide/decide.ts). */
function failed(failure: string): u32 {
  beginOutput();
  writeAscii('{"allow":false,"reason":{"code":"');
  writeAscii(failure);
  writeAscii('"}}');
  return outputPointer();
}

/** Only `allow: true` with no obligation allows: nobody here could honour one. */
function judge(output: u32, length: u32): void {
  allowed = false;
  setRule(ascii('authorization'), 13);
  const root = parseJson(output, length);
  if (root == 0 || kindOf(root) != Kind.Object) return setReason('module_output_invalid');
  const answer = find(root, 'allow');
  const answered = answer != 0 && kindOf(answer) == Kind.True;
  const obligations = find(root, 'obligations');
  if (obligations != 0 && !areObligations(obligations)) return setReason('module_output_invalid');
  const named = find(root, 'rule');
  if (named != 0 && kindOf(named) == Kind.String) {
    setRule(stringPointer(named), stringLength(named));
  }
  if (answered && obligations != 0 && childCount(obligations) > 0) {
    return setReason('obligation_unknown');
  }
  allowed = answered;
  setReason(answered ? 'allowed' : 'denied');
  let reason = find(root, 'reason');
  if (reason == 0 || kindOf(reason) != Kind.Object) {
    const reasons = find(root, 'reasons');
    reason = reasons != 0 && kindOf(reasons) == Kind.Array ? firstObject(reasons) : 0;
  }
  if (reason == 0) return;
  const stated = find(reason, 'code');
  if (stated == 0 || kindOf(stated) != Kind.String) return;
  code = message = stringPointer(stated);
  codeLength = messageLength = stringLength(stated);
  const said = find(reason, 'message');
  if (said == 0 || kindOf(said) != Kind.String) return;
  message = stringPointer(said);
  messageLength = stringLength(said);
}

function areObligations(node: u32): bool {
  if (kindOf(node) != Kind.Array) return false;
  for (let child = firstChild(node); child != 0; child = nextSibling(child)) {
    if (kindOf(child) != Kind.Object) return false;
    const kind = find(child, 'kind');
    if (kind == 0 || kindOf(kind) != Kind.String) return false;
  }
  return true;
}

function find(node: u32, name: string): u32 {
  return member(node, ascii(name), <u32>name.length);
}

function firstObject(array: u32): u32 {
  let child = firstChild(array);
  while (child != 0 && kindOf(child) != Kind.Object) child = nextSibling(child);
  return child;
}

function setRule(pointer: u32, length: u32): void {
  rule = pointer;
  ruleLength = length;
}

function setReason(text: string): void {
  code = message = ascii(text);
  codeLength = messageLength = <u32>text.length;
}

function setMessage(text: string): void {
  message = ascii(text);
  messageLength = <u32>text.length;
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

/** The record module's decision id over the seven fields, each behind its length. */
function identify(input: u32, inputLength: u32, output: u32, outputLength: u32): void {
  beginOutput();
  literal('platform/decision/v1');
  literal('mesh');
  literal('authorization');
  field(policyRevision, policyRevisionLength);
  field(dataRevision, dataRevisionLength);
  field(input, inputLength);
  field(output, outputLength);
  if (decisionId(outputPointer(), outputBytes()) != OK) unreachable();
  id = hex(outputPointer(), 32);
}

function literal(text: string): void {
  size(<u32>text.length);
  writeAscii(text);
}

function field(pointer: u32, length: u32): void {
  size(length);
  writeBytes(pointer, length);
}

function size(length: u32): void {
  writeByte(length >> 24);
  writeByte((length >> 16) & 0xff);
  writeByte((length >> 8) & 0xff);
  writeByte(length & 0xff);
}
