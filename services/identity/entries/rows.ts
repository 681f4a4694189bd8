// The table of registration entries: PostgreSQL's dialect, the same on PGlite.
import { randomUUID } from 'node:crypto';
import type { Queries, SqlRow } from '../../common/database/port.ts';
import type { Entry, EntryDraft, Selector } from './entry.ts';

export const entriesSchema = `
  create table if not exists identity_entries (
    ordinal bigserial primary key,
    id text not null unique,
    spiffe_id text not null,
    parent_id text not null,
    selectors jsonb not null,
    x509_svid_ttl integer not null,
    jwt_svid_ttl integer not null,
    federates_with jsonb not null,
    admin boolean not null,
    downstream boolean not null,
    expires_at bigint not null,
    dns_names jsonb not null,
    revision_number bigint not null,
    store_svid boolean not null,
    hint text not null,
    created_at bigint not null
  );
  create index if not exists identity_entries_spiffe_id on identity_entries (spiffe_id);
`;

const pageRows = 5000;

/** Every entry, oldest first, read in pages so that no answer grows with the table. */
export async function* readEntries(database: Queries): AsyncGenerator<Entry> {
  for (let after = 0; ; ) {
    const rows = await database.query(
      'select * from identity_entries where ordinal > $1 order by ordinal limit $2',
      [after, pageRows],
    );
    for (const row of rows) {
      const entry = entryOf(row);
      after = entry.ordinal;
      yield entry;
    }
    if (rows.length < pageRows) return;
  }
}

/** Adds one entry in one statement, so that it is there whole or not at all. */
export async function insertEntry(
  database: Queries,
  draft: EntryDraft,
  createdAt: number,
): Promise<Entry> {
  const id = draft.id === '' ? randomUUID() : draft.id;
  const rows = await database.query(
    `insert into identity_entries (id, spiffe_id, parent_id, selectors, x509_svid_ttl,
       jwt_svid_ttl, federates_with, admin, downstream, expires_at, dns_names, revision_number,
       store_svid, hint, created_at)
     values ($1, $2, $3, $4::jsonb, $5, $6, $7::jsonb, $8, $9, $10, $11::jsonb, 0, $12, $13, $14)
     returning *`,
    [id, ...columnsOf(draft), createdAt],
  );
  return entryOf(rows[0] as SqlRow);
}

/** Writes an entry as it shall be, one revision further; undefined when there is none. */
export async function updateEntry(
  database: Queries,
  entry: EntryDraft,
): Promise<Entry | undefined> {
  const rows = await database.query(
    `update identity_entries set spiffe_id = $2, parent_id = $3, selectors = $4::jsonb,
       x509_svid_ttl = $5, jwt_svid_ttl = $6, federates_with = $7::jsonb, admin = $8,
       downstream = $9, expires_at = $10, dns_names = $11::jsonb, store_svid = $12, hint = $13,
       revision_number = revision_number + 1
     where id = $1 returning *`,
    [entry.id, ...columnsOf(entry)],
  );
  return rows[0] === undefined ? undefined : entryOf(rows[0]);
}

export async function deleteEntry(database: Queries, id: string): Promise<boolean> {
  const rows = await database.query('delete from identity_entries where id = $1 returning id', [
    id,
  ]);
  return rows.length > 0;
}

function columnsOf(entry: EntryDraft): unknown[] {
  return [
    ...[entry.spiffeId, entry.parentId, JSON.stringify(entry.selectors), entry.x509SvidTtl],
    ...[entry.jwtSvidTtl, JSON.stringify(entry.federatesWith), entry.admin, entry.downstream],
    ...[entry.expiresAt, JSON.stringify(entry.dnsNames), entry.storeSvid, entry.hint],
  ];
}

function entryOf(row: SqlRow): Entry {
  return {
    id: row.id as string,
    ordinal: row.ordinal as number,
    spiffeId: row.spiffe_id as string,
    parentId: row.parent_id as string,
    selectors: row.selectors as unknown as Selector[],
    x509SvidTtl: row.x509_svid_ttl as number,
    jwtSvidTtl: row.jwt_svid_ttl as number,
    federatesWith: row.federates_with as string[],
    admin: row.admin as boolean,
    downstream: row.downstream as boolean,
    expiresAt: row.expires_at as number,
    dnsNames: row.dns_names as string[],
    revisionNumber: row.revision_number as number,
    storeSvid: row.store_svid as boolean,
    hint: row.hint as string,
    createdAt: row.created_at as number,
  };
}
