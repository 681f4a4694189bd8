// The vault as an attacker sees it: odd names, moved ciphertexts, lost evidence, and what a refusal tells.
import { createHash } from 'node:crypto';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../runtime/json.ts';
import type { Database, Queries, SqlRow } from '../common/database/port.ts';
import { AGENTS, GATEWAY, startVault, type TestVault } from './testing.ts';
import { engines, vaultSuite } from './testing-suites.ts';

const secrets = '/api/v1/secrets';

for (const engine of engines()) {
  let vault: TestVault;
  let database: Database;
  const test = vaultSuite(engine, 'attacks', (started) => {
    vault = started;
    database = started.database;
  });

  const put = (as: string, key: string, body: JsonObject) =>
    vault.call(as, 'PUT', `${secrets}/${key}`, body);
  const get = (as: string, key: string) => vault.call(as, 'GET', `${secrets}/${key}`);

  test('names, values and headers as an attacker sends them', async () => {
    const wrong = [
      '%2e%2e',
      'a%2fb',
      '%00',
      'ä',
      '%D0%B0',
      'a%20b',
      'k'.repeat(257),
      '..%5c',
      'a;b',
    ];
    for (const key of wrong) {
      const { status } = await vault.call(AGENTS.main, 'PUT', `${secrets}/${key}`, { value: 'v' });
      assert.ok([400, 404].includes(status), `${key}: ${status}`);
    }
    for (const key of ['__proto__', 'constructor', '...', 'toString', 'k'.repeat(256)]) {
      assert.is((await get(AGENTS.main, key)).status, 403);
      assert.is((await put(AGENTS.main, key, { value: key })).status, 201, key);
      assert.is((await get(AGENTS.main, key)).body.value, key);
    }
    // Decoded once, so this is the key with a per cent sign in it, which is none.
    assert.is((await get(AGENTS.main, '%2561')).status, 400);
    assert.is((await get(AGENTS.main, '%61')).body.code, 'secret_denied');
    for (const value of ['', '\u0000', 'é'.repeat(32_768), '💥']) {
      await put(AGENTS.main, 'odd', { value });
      assert.is((await get(AGENTS.main, 'odd')).body.value, value);
    }
    const large = await put(AGENTS.main, 'odd', { value: 'x'.repeat(65_537) });
    assert.is(large.body.code, 'secret_too_large');
    assert.not.match(large.text, 'xx');
    for (const value of [undefined, null, 7, ['a'], { a: 1 }]) {
      assert.is((await put(AGENTS.main, 'odd', { value } as JsonObject)).status, 400);
    }
    for (const as of [
      '',
      'x',
      'spiffe://platform.local',
      `${AGENTS.main}/x`,
      'spiffe://platform.local/service/gateway',
    ]) {
      assert.ok([400, 401].includes((await get(as, 'odd')).status), as);
    }
  });

  test('what is not there and what is out of scope: the same answer, statements and row', async () => {
    await put(AGENTS.stranger, 'others', { value: 'v' });
    await put(AGENTS.main, 'narrow', { value: 'v', scope: 'main' });
    const counted = countingDatabase(database);
    const other = await startVault(counted.database, { soleWriter: engine.soleWriter });
    const seen = async (
      key: string,
      act: (key: string) => Promise<{ status: number; text: string; headers: object }>,
    ) => {
      counted.texts.length = 0;
      const { status, text, headers } = await act(key);
      const row = (await other.rows()).at(-1)!;
      const plain = (from: unknown) =>
        JSON.stringify(from)
          .replaceAll(key, 'KEY')
          .replaceAll(/[0-9a-f]{64}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID');
      const { sequence, ...rest } = row;
      const { date, ...fixed } = headers as { date?: string };
      return [status, plain(text), plain(fixed), plain(rest), [...counted.texts]];
    };
    const acts = [
      (key: string) => other.call(AGENTS.worker, 'GET', `${secrets}/${key}`),
      (key: string) => other.call(AGENTS.worker, 'GET', `${secrets}/${key}?version=1`),
      (key: string) => other.call(AGENTS.worker, 'GET', `${secrets}/${key}/versions`),
      (key: string) => other.call(AGENTS.worker, 'DELETE', `${secrets}/${key}`),
      (key: string) => other.call(AGENTS.worker, 'DELETE', `${secrets}/${key}?purge=true`),
      (key: string) => other.call(AGENTS.worker, 'POST', `${secrets}/${key}/restore`, {}),
      (key: string) => other.call(AGENTS.worker, 'POST', `${secrets}/batch`, { keys: [key] }),
    ];
    try {
      for (const act of acts) {
        const absent = await seen('absent', act);
        assert.equal(await seen('others', act), absent);
        assert.equal(await seen('narrow', act), absent);
      }
    } finally {
      await other.close();
    }
  });

  test('a ciphertext in another row opens nowhere, whole or in parts', async () => {
    await put(AGENTS.main, 'a', { value: 'first of a' });
    await put(AGENTS.main, 'a', { value: 'second of a' });
    await put(AGENTS.main, 'b', { value: 'first of b' });
    await put(AGENTS.main, 'a', { value: 'of the process', scope: 'main' });
    await put(AGENTS.stranger, 'a', { value: 'of another tenant' });
    const rows = await database.query('select * from vault_versions order by 1, 2, 3');
    const parts = [
      ...[['value', 'digest'], ['nonce'], ['wrapped_key'], ['created_at'], ['expires_at']],
      ['written_by'],
      ['value', 'digest', 'nonce', 'wrapped_key', 'master_key', 'created_at', 'expires_at'],
    ];
    vault.clock.now += 1;
    await put(AGENTS.stranger, 'later', { value: 'x', expires_at: '2027-01-01T00:00:00Z' });
    const all = await database.query('select * from vault_versions order by 1, 2, 3');
    assert.is(all.length, rows.length + 1);
    let refused = 0;
    for (const from of all) {
      for (const to of rows) {
        for (const columns of parts) {
          if (columns.every((name) => String(from[name]) === String(to[name]))) continue;
          await setColumns(database, to, columns, from);
          const other = await startVault(database);
          const whose = String(to.spiffe_scope).includes('/other/') ? AGENTS.stranger : AGENTS.main;
          const path = `${secrets}/${to.key}`;
          const scoped = encodeURIComponent(String(to.spiffe_scope));
          const moved = await other.operate('GET', `${path}?version=${to.version}&scope=${scoped}`);
          assert.is(moved.body.code, 'secret_corrupt', `${whose} ${columns} ${moved.text}`);
          assert.not.match(moved.text, ' of ');
          await other.close();
          refused += 1;
          await setColumns(database, to, columns, to);
        }
      }
    }
    assert.ok(refused > 80, String(refused));
    assert.is((await get(AGENTS.worker, 'a')).body.value, 'second of a');
  });

  test('a secret of an agent does not become an operator’s by its row', async () => {
    await put(AGENTS.main, 'a', { value: 'mine' });
    const operator = 'spiffe://platform.local/operator/local';
    await database.query('update vault_versions set written_by = $1', [operator]);
    const other = await startVault(database);
    const behalf = { 'x-platform-on-behalf-of': AGENTS.main };
    const read = await other.call(GATEWAY, 'GET', `${secrets}/a`, undefined, behalf);
    assert.is(read.body.code, 'secret_corrupt');
    await other.close();
  });

  test('a torn row is told from a moved one, and neither is released', async () => {
    await put(AGENTS.main, 'a', { value: 'v' });
    await database.query("update vault_versions set value = value || '\\x00'::bytea");
    const other = await startVault(database);
    const torn = await other.call(AGENTS.main, 'GET', `${secrets}/a`);
    assert.is(torn.body.code, 'secret_corrupt');
    assert.match(String((torn.body.reason as JsonObject).message), 'not the one written');
    await other.close();
  });

  test('without evidence nothing is released and nothing changes', async () => {
    await put(AGENTS.main, 'a', { value: 'v' });
    await vault.evidence.log.close();
    const refused = [
      await get(AGENTS.main, 'a'),
      await put(AGENTS.main, 'a', { value: 'w' }),
      await vault.call(AGENTS.main, 'DELETE', `${secrets}/a`),
      await vault.call(AGENTS.main, 'GET', secrets),
      await vault.call(AGENTS.main, 'GET', `${secrets}/a/versions`),
      await vault.call(AGENTS.main, 'POST', `${secrets}/batch`, { keys: ['a', 'b'] }),
      await get(AGENTS.main, 'none'),
      await get('', 'a'),
    ];
    for (const { status, body } of refused) {
      assert.is(status, 503);
      assert.is(body.code, 'evidence_unavailable');
      assert.not.ok('value' in body || 'secrets' in body);
    }
    const rows = await database.query('select version from vault_versions');
    assert.equal(
      rows.map(({ version }) => version),
      [1],
    );
  });

  test('evidence and answers hold no value and no digest of one', async () => {
    const value = 'correct horse battery staple';
    await put(AGENTS.main, 'a', { value });
    await get(AGENTS.main, 'a');
    await put(AGENTS.main, 'a', { value, check: 9 });
    await vault.call(AGENTS.main, 'PUT', `${secrets}/a`, { value, expires_at: 'x' });
    await vault.call(AGENTS.main, 'POST', `${secrets}/a/restore`, { version: 1 });
    const forms = [
      ...[value, Buffer.from(value).toString('base64'), Buffer.from(value).toString('hex')],
      createHash('sha256').update(value).digest('hex'),
    ];
    const stored = [...vault.evidence.files.contents.values()].map((bytes) =>
      bytes.toString('latin1'),
    );
    const rows = JSON.stringify(
      await database.query("select encode(value, 'hex') as value from vault_versions"),
    );
    for (const form of forms) {
      for (const text of [...stored, rows]) assert.is(text.includes(form), false);
    }
    const kinds = (await vault.rows()).map(({ kind, outcome }) => `${kind} ${outcome ?? ''}`);
    assert.equal(kinds, [
      ...['intent ', 'outcome ok', 'event ', 'intent ', 'outcome error'],
      ...['denial denied', 'intent ', 'outcome ok'],
    ]);
  });

  test.run();
}

/** The same database, and every statement that goes to it. */
function countingDatabase(database: Database): { database: Database; texts: string[] } {
  const texts: string[] = [];
  const counted = (queries: Queries): Queries => ({
    query(text, values) {
      texts.push(text);
      return queries.query(text, values);
    },
  });
  return {
    texts,
    database: {
      ...database,
      ...counted(database),
      transaction: (work) => database.transaction((queries) => work(counted(queries))),
    },
  };
}

async function setColumns(
  database: Database,
  to: SqlRow,
  columns: readonly string[],
  from: SqlRow,
): Promise<void> {
  const assignments = columns.map((name, index) => `${name} = $${index + 4}`).join(', ');
  await database.query(
    `update vault_versions set ${assignments} where spiffe_scope = $1 and key = $2 and version = $3`,
    [to.spiffe_scope, to.key, to.version, ...columns.map((name) => from[name])],
  );
}
