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
          .replaceAll(/_minute":\d+/g, '_minute":COUNT')
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

  test('a tenant keeps no more secrets and no more bytes than it may, also written at once', async () => {
    const quota = { secrets: 3, bytes: 100_000 };
    const other = await startVault(database, { quota });
    const write = (as: string, key: string, body: JsonObject) =>
      other.call(as, 'PUT', `${secrets}/${key}`, body);
    const count = async () => {
      const answer = await other.operate('GET', secrets);
      return (answer.body.secrets as JsonObject[]).length;
    };
    try {
      const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
      const scopes: JsonObject[] = [{}, { scope: 'main' }];
      const answers = await Promise.all(
        keys.map((key, i) => write(AGENTS.main, key, { value: 'v', ...scopes[i % 2]! })),
      );
      assert.equal(answers.map(({ status }) => status).sort(), [201, 201, 201, 507, 507, 507]);
      const over = answers.find(({ status }) => status === 507)!;
      assert.is(over.body.code, 'secret_quota_exceeded');
      assert.is((await other.rows()).filter(({ outcome }) => outcome === 'error').length, 3);
      assert.is((await write(AGENTS.keeper, 'g', { value: 'v' })).status, 507, 'one tenant');
      const operated = await other.operate('PUT', `${secrets}/g`, {
        ...{ value: 'v', scope: 'spiffe://platform.local/agent/acme/*' },
      });
      assert.is(operated.body.code, 'secret_quota_exceeded');
      assert.is((await write(AGENTS.stranger, 'a', { value: 'v' })).status, 201, 'another tenant');
      assert.is(await count(), 4);
      const [key] = keys.filter((_key, i) => answers[i]!.status === 201);
      await other.call(AGENTS.main, 'DELETE', `${secrets}/${key}`);
      assert.is((await write(AGENTS.keeper, 'g', { value: 'v' })).status, 507, 'only hidden');
      await other.call(AGENTS.main, 'DELETE', `${secrets}/${key}?purge=true`);
      assert.is((await write(AGENTS.main, 'large', { value: 'x'.repeat(60_000) })).status, 201);
      const more = await write(AGENTS.main, 'large', { value: 'y'.repeat(60_000) });
      assert.is(more.body.code, 'secret_quota_exceeded', 'older versions count');
      const restored = await other.call(AGENTS.main, 'POST', `${secrets}/large/restore`, {
        version: 1,
      });
      assert.is(restored.body.code, 'secret_quota_exceeded');
      const kept = await other.call(AGENTS.main, 'GET', `${secrets}/large`);
      assert.is(kept.body.version, 1);
    } finally {
      await other.close();
    }
  });

  test('operations of a minute are counted: of the agent, of its tenant, in a batch one by one', async () => {
    const keys = Array.from({ length: 100 }, (_, i) => `k${i}`);
    const codes = async (as: string, headers = {}) => {
      const path = `${secrets}/batch`;
      const { body } = await vault.call(as, 'POST', path, { keys }, headers);
      const items = body.secrets as { error: { code: string; reason: { code: string } } }[];
      return [...new Set(items.map(({ error }) => error.reason.code))];
    };
    for (let i = 0; i < 5; i++) assert.equal(await codes(AGENTS.main), ['secret_denied']);
    const behalf = { 'x-platform-on-behalf-of': AGENTS.main };
    assert.equal(await codes(GATEWAY, behalf), ['secret_denied'], 'what is read for it counts');
    const denied = await put(AGENTS.main, 'a', { value: 'v' });
    assert.is((denied.body.reason as JsonObject).code, 'agent_rate_exceeded');
    assert.is((await put(AGENTS.worker, 'a', { value: 'v' })).status, 201);
    const listed = await vault.operate('GET', secrets);
    assert.is(listed.status, 200, 'operators are not limited');
    vault.clock.now += 60_000;
    assert.is((await put(AGENTS.main, 'a', { value: 'v' })).status, 200);
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
