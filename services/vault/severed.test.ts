// A real PostgreSQL ends the connection in the middle of a write of a secret: old or new, and a retry ends well.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../runtime/json.ts';
import { needs } from '../../runtime/testing/needs.ts';
import { type Cut, SeverablePostgres } from '../common/database/testing/severed.ts';
import { AGENTS, startVault } from './testing.ts';
import { emptyTables } from './testing-suites.ts';

const secret = '/api/v1/secrets/k';
let database: SeverablePostgres;

const test = suite('vault with connections that the server ends');
test.before(() => {
  database = new SeverablePostgres();
});
test.after(() => database.close());

interface Change {
  name: string;
  method: string;
  path: string;
  body?: JsonObject;
  /** The value after it; the value before is `old`. */
  after: unknown;
}

const changes: Change[] = [
  { name: 'put', method: 'PUT', path: secret, body: { value: 'new' }, after: 'new' },
  { name: 'delete', method: 'DELETE', path: secret, after: undefined },
  { name: 'purge', method: 'DELETE', path: `${secret}?purge=true`, after: undefined },
  {
    ...{ name: 'restore', method: 'POST', path: `${secret}/restore` },
    ...{ body: { version: 1 }, after: 'first' },
  },
];

/** One change cut at one step; whether there was such a step, and whether the change said it failed. */
async function cutOnce(change: Change, step: number, cut: Cut) {
  await emptyTables(database.admin);
  const vault = await startVault(database, { soleWriter: false });
  const valueNow = async () => (await vault.call(AGENTS.main, 'GET', secret)).body.value;
  const act = () => vault.call(AGENTS.main, change.method, change.path, change.body);
  try {
    for (const value of ['first', 'old']) {
      assert.ok((await vault.call(AGENTS.main, 'PUT', secret, { value })).status < 300);
    }
    database.cutAt(step, cut);
    const answer = await act();
    const { steps } = database;
    await database.heal();
    const hasFailed = answer.status >= 400;
    if (hasFailed) assert.is(answer.body.code, 'database_unavailable', answer.text);
    const found = await valueNow();
    assert.ok(
      hasFailed ? ['old', change.after].includes(found as never) : found === change.after,
      `${change.name}, ${cut} step ${step}: ${found}`,
    );
    const again = await act();
    assert.ok(again.status < 400 || found === change.after, again.text);
    assert.is(await valueNow(), change.after);
    return { isOver: steps < step, hasFailed };
  } finally {
    await database.heal();
    await vault.close();
  }
}

for (const change of changes) {
  for (const cut of ['before', 'during'] satisfies Cut[]) {
    test(`${change.name}: the server ends the connection ${cut} each statement`, async () => {
      let failures = 0;
      for (let step = 1; ; step += 1) {
        const { isOver, hasFailed } = await cutOnce(change, step, cut);
        if (hasFailed) failures += 1;
        if (isOver) break;
      }
      if (cut === 'before') assert.ok(failures >= 1, `${failures}`);
    });
  }
}

if (needs('postgres')) test.run();
