// The scope module: reads SPIFFE IDs, and decides whether a scope covers one.

import { INPUT_INVALID, OK } from '../common/errors';
import {
  childCount,
  jsonError,
  Kind,
  kindOf,
  member,
  parseJson,
  stringLength,
  stringPointer,
} from '../common/json';
import { beginOutput, writeAscii, writeByte, writeJsonString } from '../common/writer';
import { codeOf, ruleOf } from './reasons';
import { checkSpiffeId, pathStart, trustDomainStart } from './spiffe-id';

export { output, outputLength, reserve } from '../common/abi';

const SCOPE_KEY: u32 = <u32>memory.data<u8>([0x73, 0x63, 0x6f, 0x70, 0x65]);
const SPIFFE_ID_KEY: u32 = <u32>(
  memory.data<u8>([0x73, 0x70, 0x69, 0x66, 0x66, 0x65, 0x5f, 0x69, 0x64])
);

/**
 * Reads one SPIFFE ID, given as raw bytes. Output: `{"path":[segments],"trust_domain":"…"}`;
 * otherwise the error number of the rule that it breaks.
 */
export function parse(pointer: u32, length: u32): i32 {
  const error = checkSpiffeId(pointer, length);
  if (error != OK) return error;
  const end = pointer + length;
  beginOutput();
  writeAscii('{"path":[');
  let segment = pathStart + 1;
  for (let p = segment; p <= end; p++) {
    if (p < end && load<u8>(p) != 0x2f) continue;
    if (segment > pathStart + 1) writeByte(0x2c);
    writeJsonString(segment, p - segment);
    segment = p + 1;
  }
  writeAscii('],"trust_domain":');
  const start = trustDomainStart(pointer);
  writeJsonString(start, pathStart - start);
  writeByte(0x7d);
  return OK;
}

/**
 * Decides `{"scope":"…","spiffe_id":"…"}`. A scope is a SPIFFE ID, which covers itself, or one followed
 * by a last segment `*`, which covers everything strictly below it. Output: `{"allow":…,"reason":{…}}`.
 */
export function decide(pointer: u32, length: u32): i32 {
  const root = parseJson(pointer, length);
  if (root == 0) return jsonError();
  if (kindOf(root) != Kind.Object || childCount(root) != 2) return INPUT_INVALID;
  const scope = member(root, SCOPE_KEY, 5);
  const id = member(root, SPIFFE_ID_KEY, 9);
  if (scope == 0 || id == 0) return INPUT_INVALID;
  if (kindOf(scope) != Kind.String || kindOf(id) != Kind.String) return INPUT_INVALID;
  beginOutput();
  judge(stringPointer(scope), stringLength(scope), stringPointer(id), stringLength(id));
  return OK;
}

function judge(scope: u32, scopeLength: u32, id: u32, idLength: u32): void {
  const wildcard = endsWithWildcard(scope, scopeLength);
  const baseLength = wildcard ? scopeLength - 2 : scopeLength;
  const scopeError = checkSpiffeId(scope, baseLength);
  if (scopeError != OK) {
    writeReason(false, codeOf(scopeError), 'the scope ', ruleOf(scopeError));
    return;
  }
  const idError = checkSpiffeId(id, idLength);
  if (idError != OK) {
    writeReason(false, codeOf(idError), 'the SPIFFE ID ', ruleOf(idError));
    return;
  }
  // Both are well formed, so that a prefix that ends before a slash ends at a segment's end.
  const covered = wildcard
    ? idLength > baseLength && load<u8>(id + baseLength) == 0x2f
    : idLength == baseLength;
  if (covered && memory.compare(scope, id, baseLength) == 0) {
    writeReason(true, 'scope_covers', 'the scope covers the SPIFFE ID', '');
  } else {
    writeReason(false, 'scope_does_not_cover', 'the scope does not cover the SPIFFE ID', '');
  }
}

function endsWithWildcard(pointer: u32, length: u32): bool {
  return length >= 2 && load<u16>(pointer + length - 2) == 0x2a2f;
}

function writeReason(allow: bool, code: string, message: string, rest: string): void {
  writeAscii('{"allow":');
  writeAscii(allow ? 'true' : 'false');
  writeAscii(',"reason":{"code":"');
  writeAscii(code);
  writeAscii('","message":"');
  writeAscii(message);
  writeAscii(rest);
  writeAscii('"}}');
}
