// The vault as its callers see it, on both databases: every path, every refusal, and what stays of it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Conduct } from '../../runtime/evidence/conduct.ts';
import type { JsonObject } from '../../runtime/json.ts';
import type { Database } from '../common/database/port.ts';
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

  test.run();
}
