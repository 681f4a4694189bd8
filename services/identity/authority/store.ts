// Keeps the authority's keys and its deny-list in the database, one version number over both.
import { DatabaseError } from '../../../runtime/errors.ts';
import type { Database, Queries, SqlRow } from '../../common/database/port.ts';

/** X.509 CAs, keys of JWT-SVIDs, and keys of WIT-SVIDs, which must be others. */
export type KeyKind = 'x509' | 'jwt' | 'wit';

/** A signing key as the database holds it; times in milliseconds since 1970. */
export interface StoredKey {
  kind: KeyKind;
  id: string;
  preparedAt: number;
  activatesAt: number;
  expiresAt: number;
  /** The CA certificate, or the SubjectPublicKeyInfo; DER. */
  publicPart: Uint8Array;
  /** PKCS#8, sealed. */
  sealed: Uint8Array;
}

/** One identity taken away. */
export interface Denied {
  spiffeId: string;
  /** Seconds since 1970: SVIDs issued before are refused. */
  issuedBefore: number;
  /** Milliseconds: by then all of those have expired. */
  forgetAt: number;
}

/** What a denial left in the database. */
export interface Denial {
  denied: Denied;
  version: number;
  denySequence: number;
}

/** All that the database holds of one trust domain. */
export interface Stored {
  version: number;
  denySequence: number;
  keys: StoredKey[];
  denied: Denied[];
}

export interface KeyChange {
  add: readonly StoredKey[];
  remove: readonly { kind: KeyKind; id: string }[];
  /** Keys that sign from another time on. */
  activate: readonly { kind: KeyKind; id: string; activatesAt: number }[];
}

const schema = `
create table if not exists identity_authorities (
  trust_domain text primary key,
  version bigint not null,
  deny_sequence bigint not null,
  key_check bytea not null
);
create table if not exists identity_keys (
  trust_domain text not null,
  kind text not null,
  id text not null,
  prepared_at bigint not null,
  activates_at bigint not null,
  expires_at bigint not null,
  public_part bytea not null,
  sealed bytea not null,
  primary key (trust_domain, kind, id)
);
create table if not exists identity_denied (
  trust_domain text not null,
  spiffe_id text not null,
  issued_before bigint not null,
  forget_at bigint not null,
  primary key (trust_domain, spiffe_id)
)`;

/** The tables `identity_authorities`, `identity_keys` and `identity_denied` of one trust domain. */
export class AuthorityStore {
  readonly #database: Database;
  readonly #trustDomain: string;

  constructor(database: Database, trustDomain: string) {
    this.#database = database;
    this.#trustDomain = trustDomain;
  }

  /**
   * Makes the tables and the trust domain's row where they are missing; returns the check value of
   * whoever came first, which only the right key-encryption key opens.
   */
  async open(newCheck: Uint8Array): Promise<Uint8Array> {
    // Two at once can both find no table, and then one of them finds the other's: once more.
    await this.#database.script(schema).catch((error) => {
      if (error instanceof DatabaseError && error.code !== 'database_unavailable') {
        return this.#database.script(schema);
      }
      throw error;
    });
    await this.#database.query(
      `insert into identity_authorities (trust_domain, version, deny_sequence, key_check)
         values ($1, 0, 0, $2) on conflict do nothing`,
      [this.#trustDomain, newCheck],
    );
    const [row] = await this.#database.query(
      'select key_check from identity_authorities where trust_domain = $1',
      [this.#trustDomain],
    );
    return row?.key_check as Uint8Array;
  }

  /** The number that every change raises. */
  async version(): Promise<number> {
    const [row] = await this.#database.query(
      'select version from identity_authorities where trust_domain = $1',
      [this.#trustDomain],
    );
    return versionOf(row);
  }

  /** Everything, as of one moment. */
  read(): Promise<Stored> {
    return this.#database.transaction(async (queries) => {
      const own = [this.#trustDomain];
      const [row] = await queries.query(
        `select version, deny_sequence from identity_authorities
           where trust_domain = $1 for update`,
        own,
      );
      const keys = await queries.query('select * from identity_keys where trust_domain = $1', own);
      const denied = await queries.query(
        'select spiffe_id, issued_before, forget_at from identity_denied where trust_domain = $1',
        own,
      );
      return {
        version: versionOf(row),
        denySequence: row?.deny_sequence as number,
        keys: keys.map(keyOf),
        denied: denied.map(deniedOf),
      };
    });
  }

  /** Changes keys if nothing changed since `version`; false when something did. */
  changeKeys(version: number, change: KeyChange): Promise<boolean> {
    return this.#database.transaction(async (queries) => {
      const [row] = await queries.query(
        `update identity_authorities set version = version + 1
           where trust_domain = $1 and version = $2 returning version`,
        [this.#trustDomain, version],
      );
      if (row === undefined) return false;
      for (const key of change.add) await this.#insert(queries, key);
      for (const { kind, id, activatesAt } of change.activate) {
        await queries.query(
          `update identity_keys set activates_at = $4
             where trust_domain = $1 and kind = $2 and id = $3`,
          [this.#trustDomain, kind, id, activatesAt],
        );
      }
      for (const { kind, id } of change.remove) {
        await queries.query(
          'delete from identity_keys where trust_domain = $1 and kind = $2 and id = $3',
          [this.#trustDomain, kind, id],
        );
      }
      return true;
    });
  }

  /**
   * Puts one identity on the list, or moves it on there. Before a new one `requireRoom` is shown how
   * many are on it and the bytes of their names; it may refuse by throwing. Returns the list's row.
   */
  deny(one: Denied, requireRoom: (entries: number, bytes: number) => void): Promise<Denial> {
    return this.#database.transaction(async (queries) => {
      const numbers = await this.#raiseDenySequence(queries);
      const [size] = await queries.query(
        `select count(*)::int as entries, coalesce(bool_or(spiffe_id = $2), false) as is_listed,
             coalesce(sum(octet_length(spiffe_id)), 0)::bigint as bytes
           from identity_denied where trust_domain = $1`,
        [this.#trustDomain, one.spiffeId],
      );
      if (!size!.is_listed) requireRoom(size!.entries as number, size!.bytes as number);
      const [row] = await queries.query(
        `insert into identity_denied (trust_domain, spiffe_id, issued_before, forget_at)
           values ($1, $2, $3, $4)
           on conflict (trust_domain, spiffe_id) do update set
             issued_before = greatest(identity_denied.issued_before, excluded.issued_before),
             forget_at = greatest(identity_denied.forget_at, excluded.forget_at)
           returning spiffe_id, issued_before, forget_at`,
        [this.#trustDomain, one.spiffeId, one.issuedBefore, one.forgetAt],
      );
      return { denied: deniedOf(row!), ...numbers };
    });
  }

  /** Forgets whoever has been on the list for long enough. */
  forgetDenied(now: number): Promise<void> {
    return this.#database.transaction(async (queries) => {
      await this.#raiseDenySequence(queries);
      await queries.query(
        'delete from identity_denied where trust_domain = $1 and forget_at <= $2',
        [this.#trustDomain, now],
      );
    });
  }

  /** Also locks the row, so that writers come one after the other. */
  async #raiseDenySequence(queries: Queries): Promise<Omit<Denial, 'denied'>> {
    const [row] = await queries.query(
      `update identity_authorities set version = version + 1, deny_sequence = deny_sequence + 1
         where trust_domain = $1 returning version, deny_sequence`,
      [this.#trustDomain],
    );
    return { version: versionOf(row), denySequence: row!.deny_sequence as number };
  }

  async #insert(queries: Queries, key: StoredKey): Promise<void> {
    await queries.query(
      `insert into identity_keys
         (trust_domain, kind, id, prepared_at, activates_at, expires_at, public_part, sealed)
         values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        ...[this.#trustDomain, key.kind, key.id],
        ...[key.preparedAt, key.activatesAt, key.expiresAt, key.publicPart, key.sealed],
      ],
    );
  }
}

function versionOf(row: SqlRow | undefined): number {
  if (row === undefined) {
    throw new DatabaseError('database_query_failed', 'the row of the trust domain is gone');
  }
  return row.version as number;
}

function keyOf(row: SqlRow): StoredKey {
  return {
    kind: row.kind as KeyKind,
    id: row.id as string,
    preparedAt: row.prepared_at as number,
    activatesAt: row.activates_at as number,
    expiresAt: row.expires_at as number,
    publicPart: row.public_part as Uint8Array,
    sealed: row.sealed as Uint8Array,
  };
}

function deniedOf(row: SqlRow): Denied {
  return {
    spiffeId: row.spiffe_id as string,
    issuedBefore: row.issued_before as number,
    forgetAt: row.forget_at as number,
  };
}
