// What the vault says of a secret, and how its wire spells that.

import type { JsonObject, JsonValue } from '../../runtime/json.ts';
import { PlatformError } from './errors.ts';

/** Where a secret is kept, without its value. */
export interface StoredSecret {
  readonly key: string;
  /** The SPIFFE ID or the prefix that may read it. */
  readonly scope: string;
  readonly version: number;
}

/** A secret; `value` is not enumerable, so that logging or serializing the object does not show it. */
export interface Secret extends StoredSecret {
  readonly value: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly expiresAt: Date | undefined;
}

export interface SecretVersion {
  readonly version: number;
  readonly createdAt: Date;
  readonly deletedAt: Date | undefined;
  readonly expiresAt: Date | undefined;
}

/** Reads the wire's answer about a secret; throws when it is none. */
export function toStored({ key, scope, version }: JsonObject): StoredSecret {
  if (typeof key !== 'string' || typeof scope !== 'string' || typeof version !== 'number') {
    throw unreadable();
  }
  return { key, scope, version };
}

/** Reads the wire's answer with a value. */
export function toSecret(answer: JsonObject): Secret {
  const { value, created_at, updated_at, expires_at } = answer;
  if (typeof value !== 'string') throw unreadable();
  const secret = {
    ...toStored(answer),
    createdAt: toDate(created_at),
    updatedAt: toDate(updated_at),
    expiresAt: expires_at ? toDate(expires_at) : undefined,
  };
  return Object.defineProperty(secret, 'value', { value }) as Secret;
}

function toDate(value: JsonValue | undefined): Date {
  const date = new Date(typeof value === 'string' ? value : Number.NaN);
  if (Number.isNaN(date.getTime())) throw unreadable();
  return date;
}

/** Reads one entry of the wire's list of versions. */
export function toVersion(entry: JsonObject): SecretVersion {
  return {
    version: Number(entry.version),
    createdAt: toDate(entry.created_at),
    deletedAt: entry.deleted_at ? toDate(entry.deleted_at) : undefined,
    expiresAt: entry.expires_at ? toDate(entry.expires_at) : undefined,
  };
}

/** The vault answered something that its wire does not have. */
export function unreadable(): PlatformError {
  return new PlatformError('service_unavailable', "the vault's answer is unreadable");
}
