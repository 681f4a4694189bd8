// The vault as its callers see it, on both databases: every path, every refusal, and what stays of it.
import { createHash } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Conduct } from '../../runtime/evidence/conduct.ts';
import type { JsonObject } from '../../runtime/json.ts';
import type { Database, Queries, SqlRow } from '../common/database/port.ts';
import { AGENTS, emptyTables, engines, GATEWAY, startVault, type TestVault } from './testing.ts';

const secrets = '/api/v1/secrets';
const scope = {
  agent: 'spiffe://platform.local/agent/acme/bot/*',
  tenant: 'spiffe://platform.local/agent/acme/*',
};

for (const engine of engines()) {
  const test = suite(engine.name);
  let database: Database;
  let remove: () => Promise<void>;
  let vault: TestVault;
  test.before(async () => {
    ({ database, remove } = await engine.open());
  });
  test.after(() => remove());
  test.before.each(async () => {
    await emptyTables(database);
    vault = await startVault(database, { soleWriter: engine.soleWriter });
  });
  test.after.each(async () => {
    const conduct = new Conduct();
    const problems = (await vault.rows()).map((row) => conduct.check(row)).filter(Boolean);
    await vault.close();
    assert.equal(problems, []);
    assert.is(conduct.openIntents, 0);
  });

  const put = (as: string, key: string, body: JsonObject) =>
    vault.call(as, 'PUT', `${secrets}/${key}`, body);
  const get = (as: string, key: string) => vault.call(as, 'GET', `${secrets}/${key}`);

  test('a secret comes back to whom its scope covers', async () => {
    const written = await put(AGENTS.main, 'db', { value: 'opensesame' });
    assert.is(written.status, 201, written.text);
    assert.equal(written.body, { key: 'db', scope: scope.agent, version: 1 });
    const read = await get(AGENTS.worker, 'db');
    assert.is(read.status, 200, read.text);
    assert.equal(read.body, {
      ...{ key: 'db', value: 'opensesame', version: 1, scope: scope.agent },
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
      expires_at: null,
    });
    assert.is((await get(AGENTS.stranger, 'db')).status, 403);
    assert.is((await get(AGENTS.keeper, 'db')).body.code, 'secret_denied');
  });

  test('the most specific scope wins', async () => {
    await put(AGENTS.keeper, 'x', { value: 'tenant', scope: scope.tenant });
    assert.is((await get(AGENTS.main, 'x')).body.value, 'tenant');
    await put(AGENTS.main, 'x', { value: 'agent' });
    assert.is((await get(AGENTS.main, 'x')).body.value, 'agent');
    await put(AGENTS.main, 'x', { value: 'process', scope: 'main' });
    assert.is((await get(AGENTS.main, 'x')).body.value, 'process');
    assert.is((await get(AGENTS.worker, 'x')).body.value, 'agent');
    assert.is((await get(AGENTS.reader, 'x')).body.value, 'tenant');
    assert.is((await vault.call(AGENTS.main, 'DELETE', `${secrets}/x`)).status, 200);
    assert.is((await get(AGENTS.main, 'x')).body.value, 'agent');
  });

  test('a service reads on behalf of an agent, and does nothing else', async () => {
    await put(AGENTS.main, 'db', { value: 'v' });
    const behalf = { 'x-platform-on-behalf-of': AGENTS.main };
    const read = await vault.call(GATEWAY, 'GET', `${secrets}/db`, undefined, behalf);
    assert.is(read.body.value, 'v', read.text);
    const row = (await vault.rows()).at(-1)!;
    assert.is(row.spiffe_id, AGENTS.main);
    assert.is(row.subject.actor, GATEWAY);
    const written = await vault.call(GATEWAY, 'PUT', `${secrets}/db`, { value: 'w' }, behalf);
    assert.is((written.body.reason as JsonObject).code, 'not_delegated');
    const other = 'spiffe://platform.local/service/other';
    const denied = await vault.call(other, 'GET', `${secrets}/db`, undefined, behalf);
    assert.is(denied.status, 403);
    const agent = await vault.call(AGENTS.stranger, 'GET', `${secrets}/db`, undefined, behalf);
    assert.is(agent.body.code, 'request_malformed');
    assert.is((await get(GATEWAY, 'db')).status, 400);
  });

  test('versions, check-and-set, deletion and restoration', async () => {
    for (let i = 1; i <= 7; i++) await put(AGENTS.main, 'k', { value: `v${i}` });
    const kept = await vault.call(AGENTS.main, 'GET', `${secrets}/k/versions`);
    const numbers = (kept.body.versions as JsonObject[]).map(({ version }) => version);
    assert.equal(numbers, [7, 6, 5, 4, 3]);
    assert.is((await vault.call(AGENTS.main, 'GET', `${secrets}/k?version=3`)).body.value, 'v3');
    assert.is((await vault.call(AGENTS.main, 'GET', `${secrets}/k?version=2`)).status, 404);
    const conflict = await put(AGENTS.main, 'k', { value: 'x', check: 6 });
    assert.is(conflict.status, 409);
    assert.equal(conflict.body.data, { version: 7 });
    assert.is((await put(AGENTS.main, 'k', { value: 'x', check: 0 })).status, 409);
    assert.is((await put(AGENTS.main, 'k', { value: 'v8', check: 7 })).status, 200);
    const deleted = await vault.call(AGENTS.main, 'DELETE', `${secrets}/k`);
    assert.equal(deleted.body, {
      key: 'k',
      scope: scope.agent,
      deleted_at: '2026-01-01T00:00:00.000Z',
    });
    assert.is((await get(AGENTS.main, 'k')).status, 403);
    const restore = (body: JsonObject) =>
      vault.call(AGENTS.main, 'POST', `${secrets}/k/restore`, body);
    assert.is((await restore({})).body.version, 8);
    assert.is((await get(AGENTS.main, 'k')).body.value, 'v8');
    assert.is((await restore({ version: 5 })).body.version, 9);
    assert.is((await get(AGENTS.main, 'k')).body.value, 'v5');
    await vault.call(AGENTS.main, 'DELETE', `${secrets}/k?purge=true`);
    assert.is((await restore({})).status, 403);
    assert.is((await put(AGENTS.main, 'k', { value: 'new', check: 0 })).body.version, 1);
  });

  test('of writers that race with one check, one wins', async () => {
    await put(AGENTS.main, 'k', { value: 'v1' });
    const racing = Array.from({ length: 12 }, (_, i) =>
      put(AGENTS.main, 'k', { value: `r${i}`, check: 1 }),
    );
    const answers = await Promise.all(racing);
    assert.is(answers.filter(({ status }) => status === 200).length, 1);
    assert.is(answers.filter(({ status }) => status === 409).length, 11);
    const winner = answers.findIndex(({ status }) => status === 200);
    assert.is((await get(AGENTS.main, 'k')).body.value, `r${winner}`);
  });

  test('an expired secret is as if deleted, and then gone', async () => {
    const expires_at = '2026-01-01T00:01:00.000Z';
    await put(AGENTS.main, 'k', { value: 'v', expires_at });
    await put(AGENTS.keeper, 'k', { value: 'fallback', scope: scope.tenant });
    assert.is((await get(AGENTS.main, 'k')).body.expires_at, expires_at);
    vault.clock.now += 60_000;
    assert.is((await get(AGENTS.main, 'k')).body.value, 'fallback');
    await vault.vault.sweep();
    const rows = await database.query('select count(*) as n from vault_versions');
    assert.is(rows[0]?.n, 1);
    for (const wrong of ['2026-01-01T00:01:00.000Z', 'soon', 7, '2026-13-01T00:00:00Z']) {
      assert.is((await put(AGENTS.main, 'k', { value: 'v', expires_at: wrong })).status, 400);
    }
  });

  test('a batch gives each its own answer and its own row, and nothing twice', async () => {
    for (const key of ['a', 'b']) await put(AGENTS.main, key, { value: `value of ${key}` });
    const before = (await vault.rows()).length;
    const keys = ['b', 'none', 'a', 'b'];
    const batch = await vault.call(AGENTS.main, 'POST', `${secrets}/batch`, { keys });
    const [b, none, a] = batch.body.secrets as JsonObject[];
    assert.equal(b, { key: 'b', value: 'value of b', version: 1, scope: scope.agent });
    assert.is(a?.value, 'value of a');
    assert.match(JSON.stringify(none), 'secret_denied');
    const rows = (await vault.rows()).slice(before);
    assert.equal(rows.map(({ subject, kind }) => `${subject.secret} ${kind}`).sort(), [
      ...['a event', 'b event', 'none denial'],
    ]);
    for (const wrong of [[], Array(101).fill('a'), ['a', '../b'], 'a', undefined]) {
      const body = { keys: wrong } as JsonObject;
      const answer = await vault.call(AGENTS.main, 'POST', `${secrets}/batch`, body);
      assert.is(answer.body.code, 'secret_invalid', answer.text);
    }
    assert.is((batch.body.secrets as JsonObject[]).length, 3);
  });

  test('a listing holds names only, page by page, whatever is written meanwhile', async () => {
    const keys = Array.from({ length: 25 }, (_, i) => `k${String(i).padStart(2, '0')}`);
    for (const key of keys) await put(AGENTS.main, key, { value: `hidden ${key}` });
    await put(AGENTS.stranger, 'k00x', { value: 'hidden' });
    const shown: string[] = [];
    let after = '';
    do {
      const page = await vault.call(AGENTS.main, 'GET', `${secrets}?prefix=k&limit=4${after}`);
      assert.not.match(page.text, 'hidden');
      shown.push(...(page.body.keys as string[]));
      // Before and after the place where the listing stands.
      await put(AGENTS.main, `k0${shown.length}-new`, { value: 'hidden' });
      await vault.call(AGENTS.main, 'DELETE', `${secrets}/${shown[0]}`);
      after = page.body.next === null ? '' : `&after=${page.body.next}`;
    } while (after !== '');
    assert.equal(
      shown.filter((key) => keys.includes(key)),
      keys,
    );
    assert.is(new Set(shown).size, shown.length);
    const own = Buffer.from(JSON.stringify(['a', AGENTS.stranger])).toString('base64url');
    const forged = await vault.call(AGENTS.main, 'GET', `${secrets}?after=${own}`);
    assert.not.match(forged.text, 'k00x');
    for (const cursor of ['x', '%20', 'bnVsbA', Buffer.from('["a"]').toString('base64url')]) {
      const answer = await vault.call(AGENTS.main, 'GET', `${secrets}?after=${cursor}`);
      assert.is(answer.body.code, 'secret_invalid', answer.text);
    }
    for (const query of [
      'limit=0',
      'limit=1001',
      'limit=-1',
      'limit=x',
      'prefix=%25',
      'prefix=a/',
    ]) {
      assert.is((await vault.call(AGENTS.main, 'GET', `${secrets}?${query}`)).status, 400, query);
    }
  });

  test('who writes where: policy and the scope module', async () => {
    const code = async (as: string, wanted: string) => {
      const { body } = await put(as, 'k', { value: 'v', scope: wanted });
      return body.code === undefined
        ? 'written'
        : `${body.code} ${(body.reason as JsonObject)?.code}`;
    };
    assert.is(await code(AGENTS.main, 'main'), 'written');
    assert.is(await code(AGENTS.main, 'worker'), 'denied scope_not_granted');
    assert.is(await code(AGENTS.main, scope.tenant), 'denied scope_not_granted');
    assert.is(await code(AGENTS.keeper, scope.tenant), 'written');
    assert.is(await code(AGENTS.keeper, 'elsewhere'), 'written');
    assert.is(await code(AGENTS.reader, 'main'), 'denied action_not_granted');
    for (const foreign of [AGENTS.stranger, scope.agent, 'spiffe://platform.local/agent/other/*']) {
      assert.match(await code(AGENTS.keeper, foreign), 'secret_denied');
    }
    assert.is(
      await code(AGENTS.main, 'spiffe://other.local/agent/acme/*'),
      'secret_invalid undefined',
    );
    assert.is((await get('spiffe://platform.local/agent/acme/ghost/main', 'k')).status, 403);
  });

  test('the operator names a scope, and sees and keeps everything', async () => {
    const query = `scope=${encodeURIComponent(scope.tenant)}`;
    const body = { value: 'v', scope: scope.tenant };
    assert.is((await vault.operate('PUT', `${secrets}/k`, body)).status, 201);
    assert.is((await vault.operate('GET', `${secrets}/k?${query}`)).body.value, 'v');
    assert.is((await vault.operate('GET', `${secrets}/k`)).body.code, 'secret_invalid');
    await put(AGENTS.stranger, 'theirs', { value: 'x' });
    assert.equal((await vault.operate('GET', secrets)).body.keys, ['k', 'theirs']);
    assert.equal((await vault.operate('GET', `${secrets}?${query}`)).body.keys, ['k']);
    const batch = { keys: ['k', 'theirs'], scope: scope.tenant };
    const items = (await vault.operate('POST', `${secrets}/batch`, batch)).body.secrets;
    assert.match(JSON.stringify((items as JsonObject[])[1]), 'secret_denied');
    assert.is((await vault.operate('DELETE', `${secrets}/k?${query}`)).status, 200);
    const restored = await vault.operate('POST', `${secrets}/k/restore`, { scope: scope.tenant });
    assert.is(restored.body.version, 1);
    const { status } = await vault.call(AGENTS.main, 'POST', `${secrets}/rotate-master-key`, {});
    assert.is(status, 405, 'agents have no such path: it would be a key');
  });

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
