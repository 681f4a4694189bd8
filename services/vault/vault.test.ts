// The vault as its agents use it: scopes, versions, lists and batches, deletion and expiry, on both databases.
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../runtime/json.ts';
import type { Database } from '../common/database/port.ts';
import { AGENTS, GATEWAY, type TestVault } from './testing.ts';
import { engines, vaultSuite } from './testing-suites.ts';

const secrets = '/api/v1/secrets';
const scope = {
  agent: 'spiffe://platform.local/agent/acme/bot/*',
  tenant: 'spiffe://platform.local/agent/acme/*',
};

for (const engine of engines()) {
  let vault: TestVault;
  let database: Database;
  const test = vaultSuite(engine, 'use', (started) => {
    vault = started;
    database = started.database;
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
    await vault.operate('PUT', `${secrets}/db`, { value: 'v', scope: scope.agent });
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

  test('a service gets for an agent only what an operator wrote, the most specific first', async () => {
    const behalf = { 'x-platform-on-behalf-of': AGENTS.main };
    const read = async (query = '') => {
      const path = `${secrets}/db${query}`;
      const { body } = await vault.call(GATEWAY, 'GET', path, undefined, behalf);
      return body.value ?? body.code;
    };
    const operate = (value: string, of: string, more: JsonObject = {}) =>
      vault.operate('PUT', `${secrets}/db`, { value, scope: of, ...more });
    const within = encodeURIComponent(scope.tenant);
    await put(AGENTS.main, 'db', { value: 'own', scope: 'main' });
    await put(AGENTS.main, 'db', { value: 'own' });
    await put(AGENTS.keeper, 'db', { value: 'of an agent', scope: scope.tenant });
    assert.is(await read(), 'secret_denied');
    await operate('tenant', scope.tenant, { expires_at: '2026-01-01T00:01:00Z' });
    assert.is(await read(), 'tenant');
    assert.is(await read('?version=1'), 'secret_version_unknown');
    await operate('agent', scope.agent);
    assert.is(await read(), 'agent');
    await operate('process', AGENTS.main);
    assert.is(await read(), 'process');
    await put(AGENTS.main, 'db', { value: 'own again', scope: 'main' });
    assert.is(await read(), 'agent');
    // An old value that an agent makes current is the agent's choice, and so its own.
    const restored = await vault.call(AGENTS.worker, 'POST', `${secrets}/db/restore`, {
      version: 2,
    });
    assert.is(restored.status, 200);
    assert.is(await read(), 'tenant');
    const batch = { keys: ['db'] };
    const items = await vault.call(GATEWAY, 'POST', `${secrets}/batch`, batch, behalf);
    assert.is((items.body.secrets as JsonObject[])[0]!.value, 'tenant');
    vault.clock.now += 60_000;
    assert.is(
      await read(),
      'secret_denied',
      'the operator’s has expired, the agent’s are still there',
    );
    await operate('next', scope.tenant);
    assert.is(await read(), 'next');
    await vault.operate('DELETE', `${secrets}/db?scope=${within}`);
    assert.is(await read(), 'secret_denied');
    assert.is((await get(AGENTS.main, 'db')).body.value, 'own again');
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

  test('a scope of somebody else’s is said to be that, and the decision is about it', async () => {
    for (const [as, foreign] of [
      [AGENTS.keeper, scope.agent],
      [AGENTS.main, 'spiffe://platform.local/agent/other/*'],
      [AGENTS.main, AGENTS.stranger],
      [AGENTS.main, AGENTS.keeper],
    ] as const) {
      const { body, status } = await put(as, 'k', { value: 'v', scope: foreign });
      assert.is(status, 403);
      assert.equal(body.reason, { code: 'secret_denied', message: 'this scope is not yours' });
      const row = (await vault.rows()).at(-1)!;
      assert.equal(row.reason, body.reason);
      const judged = row.decisions.find(({ id }) => id === body.decision_id)!;
      assert.is(judged.module, 'scope');
      const asked = foreign.endsWith('/*')
        ? { scope: foreign, spiffe_id: as }
        : { scope: as.replace(/[^/]*$/, '*'), spiffe_id: foreign };
      assert.equal(judged.input, asked);
    }
  });

  test('an agent names a scope only where it writes, and only in the body', async () => {
    await put(AGENTS.main, 'k', { value: 'v' });
    const query = `scope=${encodeURIComponent(scope.agent)}`;
    for (const [method, path, body] of [
      ['GET', `/k?${query}`],
      ['GET', `?${query}`],
      ['GET', `/k/versions?${query}`],
      ['DELETE', `/k?${query}`],
      ['PUT', `/k?${query}`, { value: 'w' }],
      ['POST', `/k/restore?${query}`, {}],
      ['POST', '/k/restore', { scope: scope.agent }],
      ['POST', '/batch', { keys: ['k'], scope: scope.agent }],
    ] as [string, string, JsonObject?][]) {
      const answer = await vault.call(AGENTS.main, method, `${secrets}${path}`, body);
      assert.is(answer.status, 400, `${method} ${path} ${answer.text}`);
      assert.is(answer.body.code, 'secret_invalid');
    }
    assert.is((await get(AGENTS.main, 'k')).body.version, 1);
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

  test.run();
}
