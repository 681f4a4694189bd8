// The HTTP wire's one mapping table: error codes to problem documents (RFC 9457).
import { codeOf, type ErrorCode, PlatformError } from '../../runtime/errors.ts';
import type { JsonObject, JsonValue } from '../../runtime/json.ts';
import type { HttpResponse } from './http/port.ts';

type Mapping = readonly [status: number, title: string];

/** Codes that map alike by their first word; the problem's detail says the rest. */
const families = {
  input: [400, 'The input is not JSON that every host reads alike'],
  module: [503, 'A decision module cannot be used'],
  bundle: [503, 'A bundle of policy or data cannot be used'],
  schema: [422, 'The schema of a tool cannot be used'],
  openapi: [422, 'The OpenAPI document cannot be used'],
  spiffe: [400, 'Not a valid SPIFFE ID'],
  evidence: [503, 'The evidence log cannot be used'],
  checkpoint: [503, 'The evidence log cannot be used'],
  object: [503, 'The evidence log cannot be used'],
  openings: [503, 'The evidence log cannot be used'],
  audit: [503, 'The audit ended before its end'],
  export: [503, 'The export of evidence cannot be used'],
  database: [503, 'The database cannot be used'],
} as const satisfies Record<string, Mapping>;

type Family = keyof typeof families;
type OfFamily = Extract<ErrorCode, `${Family}_${string}`>;

/** HTTP status and short, stable title of every other code, and of the exceptions in a family. */
const single: Record<Exclude<ErrorCode, OfFamily>, Mapping> & Partial<Record<OfFamily, Mapping>> = {
  input_too_large: [413, 'The JSON input is over its size limit'],
  steps_exhausted: [403, 'The decision took more steps than it may'],
  memory_exhausted: [403, 'The decision took more memory than it may'],
  depth_exhausted: [403, 'A value of the decision is nested deeper than it may be'],
  policy_conflict: [403, 'Rules of the policy contradict each other'],
  policy_invalid: [422, 'The policy does not compile'],
  rule_invalid: [422, 'A rule of the guard does not compile'],
  compiler_failed: [500, 'The policy compiler failed'],
  document_undefined: [404, 'The document is missing or undefined'],
  query_failed: [500, 'The query cannot be evaluated'],
  policy_unknown: [404, 'There is no such policy'],
  policy_read_only: [405, 'Policies and data come with bundles and cannot be written'],
  sentence_characters: [400, 'The sentence is not plain text'],
  denied: [403, 'Policy does not allow this'],
  arguments_invalid: [422, 'The arguments do not fit the tool'],
  guard_blocked: [403, 'A scanner found something that must not leave'],
  guard_output_blocked: [403, 'A scanner withheld the result'],
  tool_call_denied: [403, 'A tool call of a model is denied'],
  approval_required: [403, 'A person has to approve this call'],
  approval_unknown: [404, 'There is no such approval'],
  approval_expired: [403, 'The approval has expired'],
  approval_used: [403, 'The approval was used already'],
  approval_denied: [403, 'A person denied this call'],
  approval_mismatch: [403, 'The approval is for another call'],
  obligation_unknown: [403, 'Policy asks for something that this platform cannot do'],
  result_too_large: [403, 'Policy lets no answer of this size through'],
  result_not_redactable: [403, 'Policy withholds parts of an answer that has none'],
  caller_unknown: [403, 'The calling process is not registered'],
  role_not_allowed: [403, 'The process may not claim this role'],
  process_gone: [403, 'The calling process is gone'],
  agent_unknown: [404, 'There is no such agent'],
  svid_missing: [403, 'There is no identity for the caller'],
  svid_invalid: [401, 'The identity document is not valid'],
  svid_expired: [401, 'The identity document has expired or is not valid yet'],
  svid_foreign: [403, 'The identity is of another trust domain'],
  svid_denied: [403, 'The identity has been taken away'],
  svid_audience_mismatch: [401, 'The token is meant for somebody else'],
  deny_list_invalid: [503, 'The list of identities that were taken away cannot be trusted'],
  entry_invalid: [400, 'The registration entry is not valid'],
  entry_exists: [409, 'There is such a registration entry already'],
  entry_unknown: [404, 'There is no such registration entry'],
  identity_unavailable: [503, 'The identity server cannot be reached'],
  secret_denied: [403, 'No secret of this name is in scope'],
  secret_invalid: [400, 'The secret, its name or its scope is not valid'],
  secret_too_large: [413, 'The secret is over its size limit'],
  secret_quota_exceeded: [507, 'The tenant keeps as many secrets as it may'],
  secret_version_conflict: [409, 'The secret has another version by now'],
  secret_version_unknown: [404, 'The secret has no such version'],
  secret_corrupt: [500, 'The stored secret does not decrypt'],
  master_key_wrong: [503, 'The master key does not open this vault'],
  tool_unknown: [404, 'There is no such tool'],
  tool_exists: [409, 'Another service already has a tool of this name'],
  tool_unreachable: [502, 'The tool cannot be reached'],
  tool_timeout: [504, 'The tool did not answer in time'],
  tool_response_too_large: [502, 'The tool answered more than the limit'],
  tool_response_invalid: [502, 'The tool answered something unreadable'],
  tool_failed: [502, 'The tool answered with an error'],
  credential_missing: [503, 'The operator has provided no credential for this tool'],
  credential_unusable: [503, 'The credential of this tool cannot be used for it'],
  route_unknown: [404, 'There is no such path'],
  method_not_allowed: [405, 'The path has no such method'],
  content_type_unsupported: [415, 'The content type is not supported'],
  body_too_large: [413, 'The request body is over its size limit'],
  headers_too_large: [431, 'The request headers are over their limit'],
  request_malformed: [400, 'The request is malformed'],
  request_timeout: [408, 'The request did not arrive in time'],
  unauthenticated: [401, 'The caller has no identity'],
  evidence_unavailable: [503, 'Evidence cannot be written, so nothing may happen'],
  database_conflict: [409, 'The database holds something else under this key'],
  database_unavailable: [503, 'The database cannot be reached'],
  configuration_invalid: [500, 'The configuration is not usable'],
  state_locked: [409, 'Another platform uses this state folder'],
  state_unwritable: [500, 'The state folder cannot be written'],
  address_in_use: [500, 'The address is in use'],
  platform_not_running: [503, 'The platform is not running'],
  service_unavailable: [503, 'A part of the platform is not available'],
  internal: [500, 'Something unexpected failed'],
};

/** HTTP status and title of a code. */
export function problemOf(code: ErrorCode): Mapping {
  const family = code.slice(0, code.indexOf('_')) as Family;
  return single[code] ?? families[family] ?? single.internal;
}

/** `type` of a problem: a tag URI (RFC 4151), stable and not meant to be fetched. */
function problemType(code: ErrorCode): string {
  return `tag:platform.io,2026:errors/${code}`;
}

/**
 * Turns anything thrown into a problem document. What was not thrown on purpose says nothing but
 * `internal`: its message may hold a secret. `members` are added (RFC 9457, section 3.2).
 */
export function problemResponse(error: unknown, members: JsonObject = {}): HttpResponse {
  const code = codeOf(error);
  const [status, title] = problemOf(code);
  const body: JsonObject = { type: problemType(code), title, status, code };
  if (error instanceof PlatformError) {
    body.detail = error.message;
    if (error.hint !== undefined) body.hint = error.hint;
    if (Object.keys(error.data).length > 0) body.data = error.data as { [key: string]: JsonValue };
  }
  return {
    status,
    headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
    body: JSON.stringify({ ...body, ...members }),
  };
}
