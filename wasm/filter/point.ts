// A decision point: a peer that the policy lets in posts one decision request, and is answered with the decision.

import { alloc } from '../common/arena';
import { Kind, kindOf, member, parseJson, stringLength, stringPointer } from '../common/json';
import { beginOutput, writeAscii, writeJsonString } from '../common/writer';
import { decodeBase64, decodedLength } from './base64';
import {
  allowed,
  beginDecision,
  code,
  codeLength,
  DECISION_ID_BYTES,
  decide,
  id,
  message,
  messageLength,
  rule,
  ruleLength,
  useSchema,
} from './decision';
import { proxy_get_buffer_bytes } from './env';
import { SALT_BYTES } from './facts';
import { isBoundary, Module, moduleOf } from './module';
import { JSON_TYPE, respond, respondProblem } from './respond';
import { ascii } from './text';

const REQUEST_BODY: i32 = 0;
const OK_STATUS: u32 = 200;
const MALFORMED: u32 = 400;
const TOO_LARGE: u32 = 413;

/** More than the largest input and the largest schema take; trees of more JSON would take the memory of all streams. */
const REQUEST_BYTES_MAX: u32 = 2 * 1024 * 1024;

/** Answers a request that has no body. */
export function answerNothing(): void {
  malformed('the body is one decision request');
}

/** Answers a request whose body has trailers, which say nothing of a decision. */
export function answerTrailers(): void {
  malformed('a decision request has no trailers');
}

/**
 * Answers `{"boundary","module","input": base64,"salt": 64 hex digits,"schema"?: base64}` with
 * `{"id","allow","rule","reason"}`, once all of it is there; `bytes` are there so far.
 */
export function answerBody(bytes: u32, isComplete: bool): void {
  if (bytes > REQUEST_BYTES_MAX) {
    const title = 'The request body is over its size limit';
    return respondProblem(
      TOO_LARGE,
      'body_too_large',
      title,
      'a decision request has at most 2 MiB',
    );
  }
  if (!isComplete) return;
  const slot = alloc(8);
  if (proxy_get_buffer_bytes(REQUEST_BODY, 0, bytes, slot, slot + 4) != 0) unreachable();
  // Nothing less than the whole is judged.
  if (load<u32>(slot, 4) != bytes) unreachable();
  const fault = ask(load<u32>(slot), bytes);
  if (fault.length > 0) return malformed(fault);
  writeAnswer();
  respond(OK_STATUS, JSON_TYPE, code, codeLength);
}

/** Decides; returns what is wrong with the request, or ''. */
function ask(text: u32, length: u32): string {
  const root = parseJson(text, length);
  if (root == 0 || kindOf(root) != Kind.Object) return 'a decision request is a JSON object';
  const boundary = stringMember(root, 'boundary');
  if (boundary == 0 || !isBoundary(stringPointer(boundary), stringLength(boundary))) {
    return 'boundary is none that the platform has';
  }
  const name = stringMember(root, 'module');
  const module = name == 0 ? Module.Unknown : moduleOf(stringPointer(name), stringLength(name));
  if (module == Module.Unknown) return 'module is none that decides';
  const salt = stringMember(root, 'salt');
  if (salt == 0 || !isSalt(stringPointer(salt), stringLength(salt))) return 'salt is 64 hex digits';
  beginDecision(stringPointer(boundary), stringLength(boundary), module, stringPointer(salt));
  const schema = stringMember(root, 'schema');
  if (schema != 0) {
    const bytes = decodeBase64(stringPointer(schema), stringLength(schema));
    if (bytes == 0) return 'schema is base64 text';
    useSchema(bytes, decodedLength);
  }
  const encoded = stringMember(root, 'input');
  const input = encoded == 0 ? 0 : decodeBase64(stringPointer(encoded), stringLength(encoded));
  if (input == 0) return 'input is base64 text';
  decide(input, decodedLength, '');
  return '';
}

/** A member that is a string; 0 for none. */
function stringMember(root: u32, name: string): u32 {
  const found = member(root, ascii(name), <u32>name.length);
  return found != 0 && kindOf(found) == Kind.String ? found : 0;
}

function isSalt(digits: u32, length: u32): bool {
  if (length != SALT_BYTES) return false;
  for (let i: u32 = 0; i < length; i++) {
    const character = <u32>load<u8>(digits + i);
    const letter = character | 0x20;
    if (character - 0x30 > 9 && letter - 0x61 > 5) return false;
  }
  return true;
}

/** As `platform decide` writes it. */
function writeAnswer(): void {
  beginOutput();
  writeAscii('{"id":');
  writeJsonString(id, DECISION_ID_BYTES);
  writeAscii(allowed ? ',"allow":true,"rule":' : ',"allow":false,"rule":');
  writeJsonString(rule, ruleLength);
  writeAscii(',"reason":{"code":');
  writeJsonString(code, codeLength);
  writeAscii(',"message":');
  writeJsonString(message, messageLength);
  writeAscii('}}');
}

function malformed(detail: string): void {
  respondProblem(MALFORMED, 'input_invalid', 'The request is malformed', detail);
}
