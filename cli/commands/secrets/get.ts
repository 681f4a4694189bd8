// Shows one secret, the list of them, or the versions that are kept of one.
import Table from 'cli-table3';
import type { JsonObject } from '../../../runtime/json.ts';
import type { SecretsRequest } from './request.ts';
import { count, listed, namedScope, pathOf, scopeOf } from './scope.ts';

/** `secrets get`: the value alone, with a line break only for a person at a terminal. */
export async function getSecret(request: SecretsRequest): Promise<number> {
  const { control, key, values } = request;
  const query: Record<string, string> = {};
  if (values.revision !== undefined) query.version = `${count(values.revision, '--revision')}`;
  query.scope = await scopeOf(request);
  const found = await control.call('GET', pathOf(key, query));
  const text = values.json
    ? `${JSON.stringify(found)}\n`
    : `${found.value}${process.stdout.isTTY ? '\n' : ''}`;
  process.stdout.write(text);
  return 0;
}

/** `secrets list`: keys and scopes, never values. */
export async function listSecrets(request: SecretsRequest): Promise<number> {
  const { prefix, json } = request.values;
  const scope = await namedScope(request);
  const query = {
    ...(prefix === undefined ? {} : { prefix }),
    ...(scope === undefined ? {} : { scope }),
  };
  const found: JsonObject[] = [];
  for await (const entry of listed(request, query)) found.push(entry);
  if (json) {
    process.stdout.write(`${JSON.stringify(found)}\n`);
    return 0;
  }
  const rows = found.map(({ key, scope, version, updated_at }) => [
    key,
    scope,
    version,
    updated_at,
  ]);
  process.stdout.write(`${tableOf(['key', 'scope', 'version', 'updated'], rows)}\n`);
  return 0;
}

/** `secrets versions`: what is kept of one secret, the newest first, without values. */
export async function listVersions(request: SecretsRequest): Promise<number> {
  const { control, key, values } = request;
  const path = pathOf(key, { scope: await scopeOf(request) }, '/versions');
  const versions = (await control.call('GET', path)).versions as JsonObject[];
  if (values.json) {
    process.stdout.write(`${JSON.stringify(versions)}\n`);
    return 0;
  }
  const rows = versions.map(({ version, created_at, deleted_at, expires_at }) => [
    ...[version, created_at, expires_at ?? 'never', deleted_at ?? ''],
  ]);
  process.stdout.write(`${tableOf(['version', 'created', 'expires', 'deleted'], rows)}\n`);
  return 0;
}

function tableOf(head: string[], rows: readonly (JsonObject[string] | undefined)[][]): string {
  if (rows.length === 0) return 'none';
  const table = new Table({ head, style: { head: [], border: [], compact: true } });
  table.push(...rows.map((row) => row.map(String)));
  return table.toString();
}
