// The master key changes while secrets are read and written, and the process dies at every step of it.
import * as assert from 'uvu/assert';
import { codeOf, DatabaseError } from '../../runtime/errors.ts';
import type { Database, Queries } from '../common/database/port.ts';
import { masterKeysFromText } from './master-keys.ts';
import { AGENTS, KEY_A, KEY_B, startVault, type TestVault } from './testing.ts';
import { databaseSuite, emptyTables, engines } from './testing-suites.ts';
import type { VaultConfig } from './vault.ts';

const secrets = '/api/v1/secrets';

for (const engine of engines()) {
  let database: Database;
  const test = databaseSuite(engine, 'rotation', (opened) => {
    database = opened;
  });

  const readAll = async (vault: TestVault) => {
    for (let i = 0; i < 5; i++) {
      const { body } = await vault.call(AGENTS.main, 'GET', `${secrets}/k${i}`);
      assert.is(body.value, `v${i}`, JSON.stringify(body));
    }
  };

  /** Starts a rotation whose database is gone from the given statement on; resolves to how many ran. */
  const rotateUntil = async (last: number, options: Partial<VaultConfig>): Promise<number> => {
    let statements = Number.NEGATIVE_INFINITY;
    const dying = (queries: Queries): Queries => ({
      async query(text, values) {
        statements += 1;
        if (statements > last) throw new DatabaseError('database_unavailable', 'killed');
        return queries.query(text, values);
      },
    });
    const transaction: Database['transaction'] = (work) =>
      database.transaction((queries) => work(dying(queries)));
    const mortal = { ...database, ...dying(database), transaction };
    const victim = await startVault(mortal, { ...options, rotationRetryMs: 10_000 });
    statements = 0;
    const code = await victim.vault.rotation.rotate().then(() => 'begun', codeOf);
    assert.ok(['begun', 'database_unavailable'].includes(code), code);
    if (last === Number.POSITIVE_INFINITY) await victim.vault.rotation.settled();
    await victim.close();
    return statements;
  };

  test('a rotation killed at every step is ended by the next start, and no read fails', async () => {
    const options = { rotationBatch: 2, soleWriter: engine.soleWriter };
    const both = () => masterKeysFromText(KEY_B, KEY_A);
    const begin = async () => {
      await emptyTables(database);
      const before = await startVault(database);
      for (let i = 0; i < 5; i++) {
        await before.call(AGENTS.main, 'PUT', `${secrets}/k${i}`, { value: `v${i}` });
      }
      await before.close();
    };
    await begin();
    const all = { ...options, masterKeys: both() };
    const steps = await rotateUntil(Number.POSITIVE_INFINITY, all);
    assert.ok(steps > 8, `${steps}`);
    for (let last = 0; last < steps; last++) {
      await begin();
      await rotateUntil(last, { ...options, masterKeys: both() });
      const next = await startVault(database, { ...options, keys: both() });
      await readAll(next);
      await next.operate('POST', `${secrets}/rotate-master-key`);
      await next.vault.rotation.settled();
      await readAll(next);
      const { body } = await next.operate('GET', `${secrets}/rotation`);
      assert.is(body.state, 'idle', `${last}: ${JSON.stringify(body)}`);
      assert.is(body.master_key, both().held()[0]?.id);
      await next.close();
      // The old key is not needed any more, and alone it is the wrong one.
      const alone = await startVault(database, { keys: masterKeysFromText(KEY_B) });
      await readAll(alone);
      await alone.close();
      const wrong = startVault(database, { keys: masterKeysFromText(KEY_A) });
      assert.is(await wrong.then(() => 'started', codeOf), 'master_key_wrong');
    }
  });

  test('reads and writes go on while the key changes, and the old key is dropped at the end', async () => {
    const keys = masterKeysFromText(KEY_A);
    const held = [...keys.held()];
    const dropped: string[] = [];
    const growing = {
      held: () => held,
      reload: async () => {},
      async add() {
        const [added] = masterKeysFromText(KEY_B).held();
        held.unshift(added!);
        return added!;
      },
      async drop(id: string) {
        dropped.push(id);
        held.splice(
          held.findIndex((key) => key.id === id),
          1,
        );
      },
    };
    const options = { keys: growing, rotationBatch: 3, soleWriter: engine.soleWriter };
    const vault = await startVault(database, options);
    const put = (key: string, text: string) =>
      vault.call(AGENTS.main, 'PUT', `${secrets}/${key}`, { value: text });
    for (let i = 0; i < 20; i++) await put(`k${i}`, `v${i}`);
    const [old] = keys.held();
    const started = await vault.operate('POST', `${secrets}/rotate-master-key`);
    assert.is(started.status, 202, started.text);
    let rotating = true;
    const settled = vault.vault.rotation.settled().then(() => {
      rotating = false;
    });
    let reads = 0;
    while (rotating) {
      const i = reads % 20;
      const [read, written] = await Promise.all([
        vault.call(AGENTS.main, 'GET', `${secrets}/k${i}`),
        put(`new${reads}`, 'x'),
      ]);
      assert.is(read.body.value, `v${i}`, read.text);
      assert.is(written.status, 201, written.text);
      reads += 1;
    }
    await settled;
    assert.equal(dropped, [old?.id]);
    const [row] = await database.query(
      'select count(distinct master_key) as n from vault_versions',
    );
    assert.is(row?.n, 1);
    for (let i = 0; i < reads; i++) {
      assert.is((await vault.call(AGENTS.main, 'GET', `${secrets}/new${i}`)).body.value, 'x');
    }
    const rows = await vault.rows();
    const rotated = rows.find(
      ({ kind, subject }) => kind === 'outcome' && subject.vault === 'master key',
    );
    assert.equal(rotated?.detail, { from: old?.id, to: held[0]?.id });
    await vault.close();
  });

  test('without another key to go to a rotation says so', async () => {
    const vault = await startVault(database);
    const { body } = await vault.operate('POST', `${secrets}/rotate-master-key`);
    assert.is(body.code, 'configuration_invalid');
    assert.is((await vault.rows()).at(-1)?.outcome, 'error');
    await vault.close();
  });

  test('a version that does not unwrap keeps its key, and the rest is rewrapped', async () => {
    const vault = await startVault(database, { keys: masterKeysFromText(KEY_A) });
    for (const key of ['a', 'b', 'c']) {
      await vault.call(AGENTS.main, 'PUT', `${secrets}/${key}`, { value: key });
    }
    await vault.close();
    await database.query("update vault_versions set wrapped_key = $1 where key = 'b'", [
      new Uint8Array(40),
    ]);
    const next = await startVault(database, { keys: masterKeysFromText(KEY_B, KEY_A) });
    await next.operate('POST', `${secrets}/rotate-master-key`);
    await next.vault.rotation.settled();
    const { body } = await next.operate('GET', `${secrets}/rotation`);
    assert.is(body.state, 'incomplete');
    assert.is(body.remaining, 1);
    assert.is(body.failed, 1);
    assert.is((await next.call(AGENTS.main, 'GET', `${secrets}/c`)).body.value, 'c');
    assert.is((await next.call(AGENTS.main, 'GET', `${secrets}/b`)).body.code, 'secret_corrupt');
    const [row] = await database.query('select count(*) as n from vault_master_keys');
    assert.is(row?.n, 2);
    await next.close();
  });

  test.run();
}
