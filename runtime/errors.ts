// The one error class of the platform and the union of its stable machine codes.

/**
 * Codes are stable: clients, tests and dashboards match on them. They say nothing of HTTP or gRPC;
 * each wire maps them in its own table.
 */
export type ErrorCode =
  // unreadable input, the same in every host (RFC 8259, RFC 7493)
  | 'input_too_large'
  | 'input_not_utf8'
  | 'input_lone_surrogate'
  | 'input_not_json'
  | 'input_duplicate_key'
  | 'input_number_not_portable'
  | 'input_too_deep'
  | 'input_key_too_long'
  | 'input_invalid'
  // decision modules
  | 'module_missing'
  | 'module_trapped'
  | 'module_digest_mismatch'
  | 'module_output_invalid'
  // an evaluation that ended without an answer, the same in every host
  | 'steps_exhausted'
  | 'memory_exhausted'
  | 'depth_exhausted'
  | 'policy_conflict'
  // bundles
  | 'bundle_missing'
  | 'bundle_truncated'
  | 'bundle_too_large'
  | 'bundle_path_invalid'
  | 'bundle_manifest_invalid'
  | 'bundle_signature_missing'
  | 'bundle_signature_invalid'
  | 'bundle_revision_mismatch'
  | 'bundle_module_digest_mismatch'
  | 'bundle_entrypoint_missing'
  | 'bundle_flip_unaccepted'
  | 'policy_invalid'
  | 'rule_invalid'
  | 'compiler_failed'
  // policies that are served over OPA's REST API
  | 'document_undefined'
  | 'query_failed'
  | 'policy_unknown'
  | 'policy_read_only'
  // sentences that are to be proved
  | 'sentence_characters'
  // schemas of tool arguments
  | 'schema_keyword_unsupported'
  | 'schema_invalid'
  | 'schema_pattern_unsupported'
  | 'schema_ref_unresolved'
  | 'schema_too_large'
  // decisions
  | 'denied'
  | 'arguments_invalid'
  | 'guard_blocked'
  | 'guard_output_blocked'
  | 'tool_call_denied'
  | 'approval_required'
  | 'approval_unknown'
  | 'approval_expired'
  | 'approval_used'
  | 'approval_denied'
  | 'approval_mismatch'
  | 'obligation_unknown'
  | 'result_too_large'
  | 'result_not_redactable'
  // identity
  | 'caller_unknown'
  | 'role_not_allowed'
  | 'process_gone'
  | 'spiffe_id_invalid'
  | 'agent_unknown'
  // SVIDs, entries and the identity server
  | 'svid_missing'
  | 'svid_invalid'
  | 'svid_expired'
  | 'svid_foreign'
  | 'svid_denied'
  | 'svid_audience_mismatch'
  | 'deny_list_invalid'
  | 'entry_invalid'
  | 'entry_exists'
  | 'entry_unknown'
  | 'identity_unavailable'
  // one for each rule of the SPIFFE-ID standard, section 2
  | 'spiffe_id_empty'
  | 'spiffe_id_too_long'
  | 'spiffe_scheme_wrong'
  | 'spiffe_trust_domain_missing'
  | 'spiffe_trust_domain_too_long'
  | 'spiffe_trust_domain_character'
  | 'spiffe_user_info'
  | 'spiffe_port'
  | 'spiffe_query'
  | 'spiffe_fragment'
  | 'spiffe_percent_encoding'
  | 'spiffe_wildcard'
  | 'spiffe_path_character'
  | 'spiffe_path_empty_segment'
  | 'spiffe_path_dot_segment'
  | 'spiffe_path_trailing_slash'
  // tools
  | 'tool_unknown'
  | 'tool_exists'
  | 'tool_unreachable'
  | 'tool_timeout'
  | 'tool_response_too_large'
  | 'tool_response_invalid'
  | 'tool_failed'
  | 'openapi_invalid'
  | 'openapi_unsupported'
  | 'openapi_ref_remote'
  | 'credential_missing'
  | 'credential_unusable'
  // secrets
  | 'secret_denied'
  | 'secret_invalid'
  | 'secret_too_large'
  | 'secret_quota_exceeded'
  | 'secret_version_conflict'
  | 'secret_version_unknown'
  | 'secret_corrupt'
  | 'master_key_wrong'
  // wire
  | 'route_unknown'
  | 'method_not_allowed'
  | 'content_type_unsupported'
  | 'body_too_large'
  | 'headers_too_large'
  | 'request_malformed'
  | 'request_timeout'
  | 'unauthenticated'
  // evidence and storage
  | 'evidence_unavailable'
  | 'evidence_truncated'
  | 'evidence_corrupt'
  | 'evidence_row_invalid'
  | 'checkpoint_missing'
  | 'checkpoint_invalid'
  | 'object_missing'
  | 'object_corrupt'
  | 'openings_invalid'
  | 'audit_interrupted'
  | 'audit_state_invalid'
  | 'export_invalid'
  | 'database_unavailable'
  | 'database_conflict'
  | 'database_query_failed'
  // operating the platform
  | 'configuration_invalid'
  | 'state_locked'
  | 'state_unwritable'
  | 'address_in_use'
  | 'platform_not_running'
  | 'service_unavailable'
  | 'internal';

/** What an error carries besides its message; every field is safe to show to the caller. */
export interface ErrorDetail {
  cause?: unknown;
  /** JSON-compatible facts for machines, such as `pointer`, `keyword`, `file`, `line`. */
  data?: Record<string, unknown>;
  /** What to do next, one sentence. */
  hint?: string;
}

/** Base of every error that the platform throws on purpose; `code` is stable, `message` is for people. */
export class PlatformError extends Error {
  override readonly name: string = 'PlatformError';
  readonly code: ErrorCode;
  readonly data: Record<string, unknown>;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, detail: ErrorDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.code = code;
    this.data = detail.data ?? {};
    this.hint = detail.hint;
  }
}

/** The input could not be read; nothing was judged. */
export class InputError extends PlatformError {
  override readonly name = 'InputError';
}

/** A decision module failed; every caller treats it as a deny. */
export class ModuleError extends PlatformError {
  override readonly name = 'ModuleError';
}

/** A bundle or a policy was refused; the last good pair keeps serving. */
export class BundleError extends PlatformError {
  override readonly name = 'BundleError';
}

/** A tool's argument schema was refused at registration. */
export class SchemaError extends PlatformError {
  override readonly name = 'SchemaError';
}

/** The caller of a socket could not be attested; it gets no identity. */
export class IdentityError extends PlatformError {
  override readonly name = 'IdentityError';
}

/** The evidence log could not be written or was found damaged; no action may proceed. */
export class EvidenceError extends PlatformError {
  override readonly name = 'EvidenceError';
}

/** The database could not be reached or refused a statement. */
export class DatabaseError extends PlatformError {
  override readonly name = 'DatabaseError';
}

/** Returns the stable code of any thrown value; what we did not throw on purpose is `internal`. */
export function codeOf(error: unknown): ErrorCode {
  return error instanceof PlatformError ? error.code : 'internal';
}
