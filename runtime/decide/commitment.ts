// Salted commitments: what stands in evidence in place of a secret or a prompt.

import type { Opening } from './decision.ts';
import { frame } from './frame.ts';

/** SHA-256 of bytes, 32 bytes: the `record` module in every host. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

const encoder = new TextEncoder();

/**
 * Commits one field of one request. The field's own salt is derived from the request's salt, so that
 * opening one field says nothing of the others.
 */
export function commit(
  sha256: Sha256,
  requestSalt: Uint8Array,
  field: string,
  value: Uint8Array,
): { commitment: Uint8Array; opening: Opening } {
  const salt = sha256(frame(['platform/salt/v1', requestSalt, field]));
  return {
    commitment: commitmentOf(sha256, salt, field, value),
    opening: { field, salt: Buffer.from(salt).toString('hex'), value: value.slice() },
  };
}

/** The JSON value `{"$commitment":"sha256:…"}` of a field under its own salt. */
export function commitmentOf(
  sha256: Sha256,
  fieldSalt: Uint8Array,
  field: string,
  value: Uint8Array,
): Uint8Array {
  const digest = sha256(frame(['platform/commitment/v1', fieldSalt, field, value]));
  return encoder.encode(`{"$commitment":"sha256:${Buffer.from(digest).toString('hex')}"}`);
}

/** True when an opening's salt and value give the commitment that stands in the evidence. */
export function opens(sha256: Sha256, opening: Opening, commitment: Uint8Array): boolean {
  const salt = Buffer.from(opening.salt, 'hex');
  const expected = commitmentOf(sha256, salt, opening.field, opening.value);
  return Buffer.compare(expected, commitment) === 0;
}
