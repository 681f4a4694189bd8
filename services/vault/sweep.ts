// Removes what has expired: it could not be read any more, and its put said so in the evidence.
import type { Database } from '../common/database/port.ts';
import type { SecretId } from './writer.ts';

const batchSize = 500;

const secrets = `
delete from vault_secrets where (spiffe_scope, key) in (
  select s.spiffe_scope, s.key from vault_secrets s join vault_versions v
    on v.spiffe_scope = s.spiffe_scope and v.key = s.key and v.version = s.version
  where v.expires_at <= $1 limit ${batchSize} for update of s skip locked
)
returning spiffe_scope, key`;

const versions = `
delete from vault_versions v using vault_secrets s
where v.expires_at <= $1 and s.spiffe_scope = v.spiffe_scope and s.key = v.key
  and s.version <> v.version`;

/**
 * Purges secrets whose current version has expired, and expired versions of others. Resolves to the
 * secrets that are gone.
 */
export async function sweepExpired(
  database: Pick<Database, 'query'>,
  now: Date,
): Promise<SecretId[]> {
  const swept: SecretId[] = [];
  for (;;) {
    const rows = await database.query(secrets, [now.toISOString()]);
    for (const { spiffe_scope, key } of rows) {
      swept.push({ scope: spiffe_scope as string, key: key as string });
    }
    if (rows.length < batchSize) break;
  }
  await database.query(versions, [now.toISOString()]);
  return swept;
}
