// The database goes away in the middle of a change, at every statement in turn.
import * as assert from 'uvu/assert';
import { DatabaseError } from '../../runtime/errors.ts';
import type { JsonObject } from '../../runtime/json.ts';
import type { Database, Queries } from '../common/database/port.ts';
import { AGENTS, startVault, type TestVault } from './testing.ts';
import { databaseSuite, emptyTables, engines } from './testing-suites.ts';

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
  let database: Database;
  const test = databaseSuite(engine, 'faults', (opened) => {
    database = opened;
  });

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

  test.run();
}
