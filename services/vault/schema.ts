// The vault's tables, as the specification has them: a secret is (scope, key), with its last versions.
import type { Database, SqlRow } from '../common/database/port.ts';
import type { Place, Sealed } from './seal.ts';

/** How many versions of a secret are kept. */
export const versionsMax = 5;

// The lock keeps two processes from creating at once; `collate "C"` orders alike everywhere. A master
// key cannot be dropped while a version refers to it: the database itself holds that.
const schema = `
begin;
select pg_advisory_xact_lock(6021457090);
create extension if not exists pgcrypto;
create table if not exists vault_master_keys (
  id text primary key,
  is_current boolean not null,
  created_at timestamptz not null
);
create unique index if not exists vault_master_keys_current
  on vault_master_keys (is_current) where is_current;
create table if not exists vault_secrets (
  spiffe_scope text collate "C" not null,
  key text collate "C" not null,
  version bigint not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (spiffe_scope, key)
);
create index if not exists vault_secrets_by_key on vault_secrets (key, spiffe_scope);
create table if not exists vault_versions (
  spiffe_scope text collate "C" not null,
  key text collate "C" not null,
  version bigint not null,
  value bytea not null,
  digest bytea not null,
  nonce bytea not null,
  wrapped_key bytea not null,
  master_key text not null references vault_master_keys (id),
  written_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  deleted_at timestamptz,
  primary key (spiffe_scope, key, version),
  foreign key (spiffe_scope, key) references vault_secrets on delete cascade
);
create index if not exists vault_versions_by_master_key on vault_versions (master_key);
create index if not exists vault_versions_by_expiry
  on vault_versions (expires_at) where expires_at is not null;
commit;
`;

/** Makes the tables where they are missing. */
export function createTables(database: Pick<Database, 'script'>): Promise<void> {
  return database.script(schema);
}

/** One version of a secret as it is stored, with what is known of the secret. */
export interface StoredVersion extends Place, Sealed {
  /** False when the stored digest of the ciphertext is not that of the ciphertext: a torn row. */
  intact: boolean;
  deletedAt: Date | null;
  /** The number of the secret's current version. */
  current: number;
  secretCreatedAt: Date;
  updatedAt: Date;
}

/** The columns of `storedVersion`; `s` is the secret and `v` the version. */
export const versionColumns = `
  s.spiffe_scope, s.key, s.version as current, s.created_at as secret_created_at, s.updated_at,
  v.version, v.value, digest(v.value, 'sha256') = v.digest as intact, v.nonce, v.wrapped_key,
  v.master_key, v.written_by, v.created_at, v.expires_at, v.deleted_at`;

/** A row of `versionColumns`. */
export function storedVersion(row: SqlRow): StoredVersion {
  return {
    scope: row.spiffe_scope as string,
    key: row.key as string,
    current: row.current as number,
    secretCreatedAt: row.secret_created_at as Date,
    updatedAt: row.updated_at as Date,
    version: row.version as number,
    ciphertext: row.value as Uint8Array,
    intact: row.intact === true,
    nonce: row.nonce as Uint8Array,
    wrappedKey: row.wrapped_key as Uint8Array,
    keyId: row.master_key as string,
    writtenBy: row.written_by as string,
    createdAt: row.created_at as Date,
    expiresAt: row.expires_at as Date | null,
    deletedAt: row.deleted_at as Date | null,
  };
}

/** Whether a version can be read at that moment. */
export function isLive(
  version: Pick<StoredVersion, 'deletedAt' | 'expiresAt'>,
  now: Date,
): boolean {
  return version.deletedAt === null && !isExpired(version, now);
}

/** Whether its time is over; then it is as if it had never been. */
export function isExpired({ expiresAt }: Pick<StoredVersion, 'expiresAt'>, now: Date): boolean {
  return expiresAt !== null && expiresAt.getTime() <= now.getTime();
}
