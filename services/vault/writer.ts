// Changes of the vault's tables, each in one transaction that holds the secret's row.
import { PlatformError } from '../../runtime/errors.ts';
import type { Database, Queries, SqlRow } from '../common/database/port.ts';
import {
  isExpired,
  isLive,
  type StoredVersion,
  storedVersion,
  versionColumns,
  versionsMax,
} from './schema.ts';
import { nonceBytes, type Place, type Sealed } from './seal.ts';

/** A secret by its primary key. */
export type SecretId = Pick<Place, 'scope' | 'key'>;

/** What sealing a new version needs from the database. */
export interface Ingredients {
  nonce: Uint8Array;
  /** The master key in force. */
  keyId: string;
}

export interface PutRequest extends SecretId {
  expiresAt: Date | null;
  writtenBy: string;
  /** The version that must be the current live one; 0: there must be none. */
  check: number | undefined;
  now: Date;
  seal(place: Place, ingredients: Ingredients): Promise<Sealed>;
}

export interface Put {
  version: number;
  created: boolean;
}

/** What one tenant may keep, in all of its scopes, until it is purged or has expired. */
export interface Quota {
  secrets: number;
  /** Of sealed values, every version kept. */
  bytes: number;
}

// Writers of one tenant wait for each other, so that together they keep no more than its quota.
const holdTenant = 'select pg_advisory_xact_lock(hashtextextended($1, 6021457091))';

const kept = `
select
  (select count(*) from vault_secrets where spiffe_scope >= $1 and spiffe_scope < $2) as secrets,
  (select coalesce(sum(octet_length(value)), 0)::bigint from vault_versions
    where spiffe_scope >= $1 and spiffe_scope < $2) as bytes`;

// The insert waits for whoever holds the row, so that the next statement reads what they committed.
const hold = `
insert into vault_secrets (spiffe_scope, key, version, created_at, updated_at)
values ($1, $2, 0, $3, $3)
on conflict (spiffe_scope, key) do update set updated_at = vault_secrets.updated_at`;

const current = `
select s.version, v.expires_at, v.deleted_at, v.version is not null as has_version,
  gen_random_bytes(${nonceBytes}) as nonce,
  (select id from vault_master_keys where is_current) as master_key
from vault_secrets s left join vault_versions v
  on v.spiffe_scope = s.spiffe_scope and v.key = s.key and v.version = s.version
where s.spiffe_scope = $1 and s.key = $2`;

const append = `
with added as (
  insert into vault_versions (spiffe_scope, key, version, value, digest, nonce, wrapped_key,
    master_key, created_at, expires_at, written_by)
  values ($1, $2, $3, $4, digest($4::bytea, 'sha256'), $5, $6, $7, $8, $9, $10)
), dropped as (
  delete from vault_versions
  where spiffe_scope = $1 and key = $2 and version <= $3 - ${versionsMax}
)
update vault_secrets set version = $3, updated_at = $8 where spiffe_scope = $1 and key = $2`;

const lock = `
select version from vault_secrets where spiffe_scope = $1 and key = $2 for update`;

const stored = `
select ${versionColumns}
from vault_secrets s join vault_versions v on v.spiffe_scope = s.spiffe_scope and v.key = s.key
where s.spiffe_scope = $1 and s.key = $2 and v.version in (s.version, $3)`;

const markDeleted = `
with marked as (
  update vault_versions set deleted_at = $3
  where spiffe_scope = $1 and key = $2 and deleted_at is null
)
update vault_secrets set updated_at = $3 where spiffe_scope = $1 and key = $2`;

const unmark = `
with unmarked as (
  update vault_versions set deleted_at = null
  where spiffe_scope = $1 and key = $2 and version = $3
)
update vault_secrets set updated_at = $4 where spiffe_scope = $1 and key = $2`;

const purge = `
delete from vault_secrets where spiffe_scope = $1 and key = $2 returning key`;

/** Writes secrets; whoever loses a race learns it from an error, and nothing of theirs is kept. */
export class SecretWriter {
  readonly #database: Pick<Database, 'transaction'>;
  readonly #quota: Quota;

  constructor(database: Pick<Database, 'transaction'>, quota: Quota) {
    this.#database = database;
    this.#quota = quota;
  }

  /**
   * Adds a version. Throws `secret_version_conflict` where `check` does not hold, and
   * `secret_quota_exceeded` where the tenant would keep more than it may.
   */
  put(request: PutRequest): Promise<Put> {
    const { scope, key, check, now, expiresAt, writtenBy } = request;
    return this.#database.transaction(async (queries) => {
      await queries.query(holdTenant, [tenantOf(scope)]);
      await queries.query(hold, [scope, key, now.toISOString()]);
      const [row] = await queries.query(current, [scope, key]);
      const before = row as SqlRow;
      const liveVersion = isLiveRow(before, now) ? (before.version as number) : 0;
      if (check !== undefined && check !== liveVersion) {
        throw new PlatformError('secret_version_conflict', 'the current version is another', {
          data: { version: liveVersion },
        });
      }
      const version = (before.version as number) + 1;
      const place = { scope, key, version, createdAt: now, expiresAt, writtenBy };
      await this.#add(queries, place, await request.seal(place, ingredientsOf(before)));
      return { version, created: liveVersion === 0 };
    });
  }

  /** Marks every version deleted. Resolves to false when there is nothing live. */
  delete({ scope, key }: SecretId, now: Date): Promise<boolean> {
    return this.#database.transaction(async (queries) => {
      await queries.query(lock, [scope, key]);
      const [row] = await queries.query(current, [scope, key]);
      if (row === undefined || !isLiveRow(row, now)) return false;
      await queries.query(markDeleted, [scope, key, now.toISOString()]);
      return true;
    });
  }

  /** Removes a secret and all of its versions. Resolves to false when there was none. */
  purge({ scope, key }: SecretId): Promise<boolean> {
    return this.#database.transaction(async (queries) => {
      const rows = await queries.query(purge, [scope, key]);
      return rows.length === 1;
    });
  }

  /**
   * Takes the deletion of the current version back, or, with `version`, adds that version's value as
   * a new one, which `by` has written. Resolves to the current version's number, or to undefined when there is no secret.
   * Throws `secret_version_unknown` and `secret_quota_exceeded`.
   */
  restore(
    { scope, key }: SecretId,
    version: number | undefined,
    { now, by }: { now: Date; by: string },
    reseal: (from: StoredVersion, place: Place, ingredients: Ingredients) => Promise<Sealed>,
  ): Promise<number | undefined> {
    return this.#database.transaction(async (queries) => {
      await queries.query(holdTenant, [tenantOf(scope)]);
      await queries.query(lock, [scope, key]);
      const rows = await queries.query(stored, [scope, key, version ?? null]);
      const versions = rows.map(storedVersion);
      const newest = versions.find((each) => each.version === each.current);
      if (newest === undefined || isExpired(newest, now)) return undefined;
      if (version === undefined) {
        if (newest.deletedAt !== null) {
          await queries.query(unmark, [scope, key, newest.version, now.toISOString()]);
        }
        return newest.version;
      }
      const from = versions.find((each) => each.version === version);
      if (from === undefined || isExpired(from, now)) throw unknownVersion();
      const [row] = await queries.query(current, [scope, key]);
      const place = {
        ...{ scope, key, version: newest.version + 1 },
        ...{ createdAt: now, expiresAt: from.expiresAt, writtenBy: by },
      };
      await this.#add(queries, place, await reseal(from, place, ingredientsOf(row as SqlRow)));
      return place.version;
    });
  }

  async #add(queries: Queries, place: Place, sealed: Sealed): Promise<void> {
    await queries.query(append, [
      ...[place.scope, place.key, place.version, sealed.ciphertext, sealed.nonce],
      ...[sealed.wrappedKey, sealed.keyId, place.createdAt.toISOString()],
      ...[place.expiresAt?.toISOString() ?? null, place.writtenBy],
    ]);
    const tenant = tenantOf(place.scope);
    // `0` comes right after `/`, so this range is every scope of the tenant and no other's.
    const [row] = await queries.query(kept, [`${tenant}/`, `${tenant}0`]);
    const { secrets, bytes } = row as { secrets: number; bytes: number };
    if (secrets <= this.#quota.secrets && bytes <= this.#quota.bytes) return;
    const message = `the tenant keeps at most ${this.#quota.secrets} secrets of ${this.#quota.bytes} bytes together`;
    throw new PlatformError('secret_quota_exceeded', message, {
      hint: 'purge what is not needed any more',
    });
  }
}

/** The tenant's part of a scope: `spiffe://<trust domain>/agent/<tenant>`. */
function tenantOf(scope: string): string {
  return scope.split('/').slice(0, 5).join('/');
}

/** The error of a version that is not among those kept. */
export function unknownVersion(): PlatformError {
  return new PlatformError('secret_version_unknown', 'this version is not kept');
}

function isLiveRow(row: SqlRow, now: Date): boolean {
  const times = {
    deletedAt: row.deleted_at as Date | null,
    expiresAt: row.expires_at as Date | null,
  };
  return row.has_version === true && isLive(times, now);
}

function ingredientsOf(row: SqlRow): Ingredients {
  return { nonce: row.nonce as Uint8Array, keyId: row.master_key as string };
}
