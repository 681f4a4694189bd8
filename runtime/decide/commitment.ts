// Salted commitments: what stands in evidence in place of a secret or a prompt.
import type { Opening } from './decision.ts';

/** The part of the `record` module that hashes framed fields; the same in every host. */
export interface FramedHash {
  /** SHA-256 over fields, each as a 32-bit big-endian length and its bytes: 64 hex digits. */
  framedHex(fields: readonly (string | Uint8Array)[]): string;
}

const PREFIX = '{"$commitment":"sha256:';
const SUFFIX = '"}';

/**
 * Commits one field of one request. The field's own salt is derived from the request's salt, so that
 * opening one field says nothing of the others.
 */
export function commit(
  record: FramedHash,
  requestSalt: Uint8Array,
  field: string,
  value: Uint8Array,
): { commitment: Buffer; opening: Opening } {
  const salt = record.framedHex(['platform/salt/v1', requestSalt, field]);
  return {
    commitment: commitmentOf(record, Buffer.from(salt, 'hex'), field, value),
    opening: { field, salt, value: new Uint8Array(value) },
  };
}

/** The JSON value `{"$commitment":"sha256:…"}` of a field under its own salt. */
export function commitmentOf(
  record: FramedHash,
  fieldSalt: Uint8Array,
  field: string,
  value: Uint8Array,
): Buffer {
  const digest = record.framedHex(['platform/commitment/v1', fieldSalt, field, value]);
  return Buffer.from(PREFIX + digest + SUFFIX, 'latin1');
}

/** True when an opening's salt and value give the commitment that stands in the evidence. */
export function opens(record: FramedHash, opening: Opening, commitment: Uint8Array): boolean {
  const salt = Buffer.from(opening.salt, 'hex');
  const expected = commitmentOf(record, salt, opening.field, opening.value);
  return Buffer.compare(expected, commitment) === 0;
}
