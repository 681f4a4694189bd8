// The database goes away in the middle, at every statement in turn, and the master key changes meanwhile.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf, DatabaseError } from '../../runtime/errors.ts';
import type { JsonObject } from '../../runtime/json.ts';
import type { Database, Queries } from '../common/database/port.ts';
import { masterKeysFromText } from './master-keys.ts';
import {
  AGENTS,
  emptyTables,
  engines,
  KEY_A,
  KEY_B,
  startVault,
  type TestVault,
} from './testing.ts';

const secrets = '/api/v1/secrets';

/** Counts steps (statements and commits) and fails the one that it is told to. */
interface Faulty {
  database: Database;
  steps: number;
  /** The step to fail, from 1; `lost` runs a commit and loses its answer. */
  failAt: number;
  lost: boolean;
}

function faulty(database: Database): Faulty {
  const state: Faulty = { database, steps: 0, failAt: 0, lost: false };
  const gone = () => new DatabaseError('database_unavailable', 'the database cannot be reached');
  const step = () => {
    state.steps += 1;
    if (state.steps === state.failAt && !state.lost) throw gone();
  };
  const failing = (queries: Queries): Queries => ({
    async query(text, values) {
      step();
      return queries.query(text, values);
    },
  });
  state.database = {
    ...database,
    ...failing(database),
    async transaction(work) {
      const result = await database.transaction(async (queries) => {
        const done = await work(failing(queries));
        step();
        return done;
      });
      if (state.steps === state.failAt && state.lost) throw gone();
      return result;
    },
  };
  return state;
}

for (const engine of engines()) {
  const test = suite(`${engine.name}: faults`);
  let database: Database;
  let remove: () => Promise<void>;
  test.before(async () => {
    ({ database, remove } = await engine.open());
  });
  test.after(() => remove());
  test.before.each(() => emptyTables(database));

  const value = async (vault: TestVault) =>
    (await vault.call(AGENTS.main, 'GET', `${secrets}/k`)).body.value;

  const changes: {
    name: string;
    body?: JsonObject;
    method: string;
    path: string;
    after: unknown;
  }[] = [
    { name: 'put', method: 'PUT', path: 'k', body: { value: 'new' }, after: 'new' },
    { name: 'delete', method: 'DELETE', path: 'k', after: undefined },
    { name: 'purge', method: 'DELETE', path: 'k?purge=true', after: undefined },
    { name: 'restore', method: 'POST', path: 'k/restore', body: { version: 1 }, after: 'first' },
  ];
  for (const { name, method, path, body, after } of changes) {
    test(`${name}: cut off at any step it is the old or the new state, told as unknown`, async () => {
      let cuts = 0;
      for (const lost of [false, true]) {
        for (let at = 1; ; at++) {
          await emptyTables(database);
          const fault = faulty(database);
          const vault = await startVault(fault.database, { soleWriter: engine.soleWriter });
          try {
            const put = (text: string) =>
              vault.call(AGENTS.main, 'PUT', `${secrets}/k`, { value: text });
            await put('first');
            await put('old');
            Object.assign(fault, { steps: 0, failAt: at, lost });
            const act = () => vault.call(AGENTS.main, method, `${secrets}/${path}`, body);
            const cut = await act();
            const steps = fault.steps;
            fault.failAt = 0;
            if (steps < at) break;
            if (cut.status < 400) continue;
            cuts += 1;
            assert.is(cut.body.code, 'database_unavailable', cut.text);
            const rows = await vault.rows();
            const begun = rows.some(
              ({ kind, subject }, index) =>
                index > 3 && kind === 'intent' && subject.secret === 'k',
            );
            if (begun) assert.is(rows.at(-1)?.outcome, 'unknown');
            const now = await value(vault);
            assert.is(now, lost && begun ? after : 'old', `step ${at}, lost: ${lost}`);
            // Tried again it ends in the new state, whichever of the two it was.
            const again = await act();
            assert.ok(again.status < 400 || now === after, again.text);
            assert.is(await value(vault), after);
          } finally {
            await vault.close();
          }
        }
      }
      assert.ok(cuts >= 3, `${cuts}`);
    });
  }

  test('a read without a database releases nothing, and goes on when it is back', async () => {
    const fault = faulty(database);
    const vault = await startVault(fault.database);
    await vault.call(AGENTS.main, 'PUT', `${secrets}/k`, { value: 'v' });
    Object.assign(fault, { steps: 0, failAt: 1 });
    const cut = await vault.call(AGENTS.main, 'GET', `${secrets}/k`);
    assert.is(cut.status, 503);
    assert.is((await vault.rows()).at(-1)?.kind, 'denial');
    assert.is(await value(vault), 'v');
    await vault.close();
  });

  test('a rotation killed at every step is ended by the next start, and no read fails', async () => {
    const both = () => masterKeysFromText(KEY_B, KEY_A);
    let steps = 0;
    for (let at = 1; at <= Math.max(steps, 1); at++) {
      await emptyTables(database);
      const before = await startVault(database);
      for (let i = 0; i < 5; i++) {
        await before.call(AGENTS.main, 'PUT', `${secrets}/k${i}`, { value: `v${i}` });
      }
      await before.close();
      const fault = faulty(database);
      const options = { keys: both(), rotationBatch: 2, soleWriter: engine.soleWriter };
      const dying = await startVault(fault.database, options);
      const readAll = async (vault: TestVault) => {
        for (let i = 0; i < 5; i++) {
          const { body } = await vault.call(AGENTS.main, 'GET', `${secrets}/k${i}`);
          assert.is(body.value, `v${i}`, `step ${at}`);
        }
      };
      if (at === 1) {
        Object.assign(fault, { steps: 0 });
        await dying.operate('POST', `${secrets}/rotate-master-key`);
        await dying.vault.rotation.settled();
        steps = fault.steps;
        assert.ok(steps > 8, `${steps}`);
        await readAll(dying);
        await dying.close();
        continue;
      }
      // From this step on everything fails, as if the process had been killed.
      let dead = false;
      const { database: inner } = fault;
      const kill: Database = {
        ...inner,
        async query(text, values) {
          if (dead || ++killed >= at) dead = true;
          if (dead) throw new DatabaseError('database_unavailable', 'killed');
          return database.query(text, values);
        },
        async transaction(work) {
          return database.transaction((queries) =>
            work({
              async query(text, values) {
                if (dead || ++killed >= at) dead = true;
                if (dead) throw new DatabaseError('database_unavailable', 'killed');
                return queries.query(text, values);
              },
            }),
          );
        },
      };
      await dying.close();
      let killed = Number.NEGATIVE_INFINITY;
      const victim = await startVault(kill, { ...options, rotationRetryMs: 10_000 });
      killed = 0;
      const asked = victim.vault.rotation.rotate().catch((error: unknown) => codeOf(error));
      await asked;
      await victim.vault.close();
      await victim.close();
      const next = await startVault(database, { ...options, keys: both() });
      await readAll(next);
      await next.operate('POST', `${secrets}/rotate-master-key`);
      await next.vault.rotation.settled();
      await readAll(next);
      const progress = await next.operate('GET', `${secrets}/rotation`);
      assert.is(progress.body.state, 'idle', progress.text);
      assert.is(progress.body.remaining, 0);
      const [newest] = both().held();
      assert.is(progress.body.master_key, newest?.id);
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
