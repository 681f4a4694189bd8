// Reads of the vault's tables: one indexed query each, in the scopes that the caller is told and no others.
import type { Database } from '../common/database/port.ts';
import { isLive, type StoredVersion, storedVersion, versionColumns } from './schema.ts';

/** What a listing shows of a secret. */
export interface Listed {
  scope: string;
  key: string;
  version: number;
  updatedAt: Date;
}

export interface ListedVersion {
  scope: string;
  version: number;
  createdAt: Date;
  expiresAt: Date | null;
  deletedAt: Date | null;
}

/** A position in a listing: what comes after it is still to be shown. */
export type Position = Pick<Listed, 'key' | 'scope'>;

const find = `
select ${versionColumns}
from vault_secrets s join vault_versions v
  on v.spiffe_scope = s.spiffe_scope and v.key = s.key
  and (v.version = s.version or v.version = $3)
where s.spiffe_scope = any($1) and s.key = any($2)`;

const findVersions = `
select v.spiffe_scope, v.version, v.created_at, v.expires_at, v.deleted_at
from vault_secrets s
join vault_versions c
  on c.spiffe_scope = s.spiffe_scope and c.key = s.key and c.version = s.version
join vault_versions v on v.spiffe_scope = s.spiffe_scope and v.key = s.key
where s.spiffe_scope = any($1) and s.key = $2
  and (c.expires_at is null or c.expires_at > $3)
  and (v.expires_at is null or v.expires_at > $3)
order by v.version desc`;

const page = `
select s.spiffe_scope, s.key, s.version, s.updated_at
from vault_secrets s join vault_versions v
  on v.spiffe_scope = s.spiffe_scope and v.key = s.key and v.version = s.version
where ($1::text[] is null or s.spiffe_scope = any($1))
  and s.key >= $2 and starts_with(s.key, $2)
  and (s.key, s.spiffe_scope) > ($3, $4)
  and v.deleted_at is null and (v.expires_at is null or v.expires_at > $5)
order by s.key, s.spiffe_scope
limit $6`;

/** Where sealed secrets are read from: the database, or what this process remembers of it. */
export interface SecretReader {
  /** The current versions of these keys in these scopes, and `version` of each where it is given. */
  find(
    scopes: readonly string[],
    keys: readonly string[],
    version?: number,
  ): Promise<StoredVersion[]>;
}

export class SecretStore implements SecretReader {
  readonly #database: Pick<Database, 'query'>;

  constructor(database: Pick<Database, 'query'>) {
    this.#database = database;
  }

  async find(
    scopes: readonly string[],
    keys: readonly string[],
    version?: number,
  ): Promise<StoredVersion[]> {
    const rows = await this.#database.query(find, [scopes, keys, version ?? null]);
    return rows.map(storedVersion);
  }

  /** The versions of one key that have not expired, the newest first, in each of the scopes. */
  async versions(scopes: readonly string[], key: string, now: Date): Promise<ListedVersion[]> {
    const rows = await this.#database.query(findVersions, [scopes, key, now.toISOString()]);
    return rows.map((row) => ({
      scope: row.spiffe_scope as string,
      version: row.version as number,
      createdAt: row.created_at as Date,
      expiresAt: row.expires_at as Date | null,
      deletedAt: row.deleted_at as Date | null,
    }));
  }

  /**
   * Up to `limit` live secrets by key and scope, after a position. A page begins at a place in the
   * order, not at a count, so what others write meanwhile neither hides nor doubles anything.
   */
  async page(
    scopes: readonly string[] | undefined,
    prefix: string,
    after: Position | undefined,
    limit: number,
    now: Date,
  ): Promise<Listed[]> {
    const { key, scope } = after ?? { key: '', scope: '' };
    const values = [scopes ?? null, prefix, key, scope, now.toISOString(), limit];
    const rows = await this.#database.query(page, values);
    return rows.map((row) => ({
      scope: row.spiffe_scope as string,
      key: row.key as string,
      version: row.version as number,
      updatedAt: row.updated_at as Date,
    }));
  }
}

/**
 * The current version of a key in the most specific of the scopes that has one which `counts`;
 * `scopes` has the most specific first.
 */
export function mostSpecific(
  found: readonly StoredVersion[],
  scopes: readonly string[],
  key: string,
  counts: (version: StoredVersion) => boolean,
): StoredVersion | undefined {
  for (const scope of scopes) {
    const one = found.find(
      (row) => row.scope === scope && row.key === key && row.version === row.current && counts(row),
    );
    if (one !== undefined) return one;
  }
  return undefined;
}

/** `mostSpecific` of those that can be read now. */
export function live(
  found: readonly StoredVersion[],
  scopes: readonly string[],
  key: string,
  now: Date,
): StoredVersion | undefined {
  return mostSpecific(found, scopes, key, (version) => isLive(version, now));
}
