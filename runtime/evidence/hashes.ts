// The part of the record module that evidence needs, so that logs, audits and tests can share it.

/**
 * Canonical JSON and hashes as `wasm/record` computes them. Every function is pure and synchronous;
 * unreadable input throws an `InputError` with the code of the rule it breaks.
 */
export interface RecordHashes {
  /** RFC 8785 form of UTF-8 JSON. */
  canonicalize(json: Uint8Array): Uint8Array;
  /** Whether UTF-8 JSON is its own RFC 8785 form; throws as `canonicalize` does. */
  isCanonical(json: Uint8Array): boolean;
  /** 32 bytes. */
  sha256(bytes: Uint8Array): Uint8Array;
  /**
   * SHA-256 over fields, each as a 32-bit big-endian length and its bytes: 64 hex digits. `prefix` is
   * what `frames` gave for the first ones.
   */
  framedHex(fields: readonly (string | Uint8Array)[], prefix?: Uint8Array): string;
  /** The bytes that `framedHex` hashes for these fields. */
  frames(fields: readonly (string | Uint8Array)[]): Uint8Array;
  /** RFC 6962 section 2.1: SHA-256 of 0x00 and the leaf, 32 bytes. */
  leafHash(leaf: Uint8Array): Uint8Array;
  /** RFC 6962 section 2.1: SHA-256 of 0x01, left and right, 32 bytes. */
  nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array;
  /** SHA-256 over the framed fields of a decision, 32 bytes. */
  decisionId(fields: readonly (string | Uint8Array)[]): Uint8Array;
}

/** True when both hold the same bytes; for public values only, it is not constant-time. */
export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0;
}
