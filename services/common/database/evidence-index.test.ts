import { suite, test } from 'uvu';
import * as assert from 'uvu/assert';
import type { DatabaseError } from '../../../runtime/errors.ts';
import { DatabaseIndex } from '../../../runtime/evidence/database-index.ts';
import { openEvidenceLog } from '../../../runtime/evidence/log.ts';
import { memoryEvidenceLog } from '../../../runtime/evidence/memory.ts';
import {
  decision,
  draft,
  record,
  signer,
  temporaryState,
} from '../../../runtime/evidence/testing/drafts.ts';
import { hex } from '../../../runtime/hex.ts';
import { needs } from '../../../runtime/testing/needs.ts';
import { openPg } from './pg.ts';
import { openPglite } from './pglite.ts';
import type { Database } from './port.ts';
import { startPostgres } from './testing/postgres.ts';

/** What the index of evidence must be on every engine. */
function contract(name: string, open: () => Promise<{ database: Database; done: () => void }>) {
  const check = suite(name);
  let database: Database;
  let done = () => {};
  check.before(async () => {
    ({ database, done } = await open());
  });
  check.after(async () => {
    await database.close();
    done();
  });

  check('every row is found by its facts, byte for byte', async () => {
    const index = new DatabaseIndex(database);
    const { log } = await memoryEvidenceLog(record, { index });
    const row = await log.append(
      draft({
        subject: { tool: 'a\u0000b', 'k\u0000': ['\u0000'] },
        request: 'r\u0000',
        decisions: [decision({ allow: false, rule: 'tool.default' })],
        reason: { code: 'denied', message: 'no' },
        outcome: 'denied',
      }),
    );
    await log.append(draft({ kind: 'event' }));
    await log.flushIndex();
    const found = await database.query(
      `select * from evidence_rows where log = $1 and decision_ids @> array[$2::text]
         and controls @> array['SOC2:CC6.1']`,
      [row.log, 'a'.repeat(64)],
    );
    assert.is(found.length, 1);
    const [indexed] = found;
    assert.is(indexed?.row, Buffer.from(row.bytes).toString('utf8'));
    assert.is(indexed?.leaf, row.leaf);
    assert.is(indexed?.allow, false);
    assert.is(indexed?.rule, 'tool.default');
    assert.is(indexed?.reason_code, 'denied');
    assert.equal(indexed?.subject, { tool: 'a\ufffdb', 'k\ufffd': ['\ufffd'] });
    const [checkpoint] = await database.query(
      'select size, note from evidence_checkpoints where log = $1',
      [row.log],
    );
    assert.is(checkpoint?.size, 2);
    assert.is(checkpoint?.note, log.status().checkpoint);
    await log.close();
  });

  check('an index that was lost, cut, or changed is built again from the segment', async () => {
    const state = temporaryState();
    const options = { ...state, signer, record, index: new DatabaseIndex(database) };
    let log = await openEvidenceLog(options);
    await Promise.all(Array.from({ length: 600 }, () => log.append(draft())));
    await log.close();
    const id = log.status().log;
    const digest = async () => {
      const rows = await database.query(
        'select sequence, row from evidence_rows where log = $1 order by sequence',
        [id],
      );
      return hex(record.sha256(Buffer.from(JSON.stringify(rows))));
    };
    const whole = await digest();
    const damages = [
      'delete from evidence_rows where log = $1',
      'delete from evidence_rows where log = $1 and sequence >= 300',
      'delete from evidence_rows where log = $1 and sequence = 77',
      "update evidence_rows set leaf = 'ff' where log = $1 and sequence = 599",
    ];
    for (const damage of damages) {
      await database.query(damage, [id]);
      log = await openEvidenceLog(options);
      await log.flushIndex();
      assert.is(await digest(), whole, damage);
      assert.equal(log.status().index, { indexed: 600, away: false });
      await log.close();
    }
    state.remove();
  });

  check('an index whose tables are gone makes them anew and fills them', async () => {
    const { log } = await memoryEvidenceLog(record, {
      index: new DatabaseIndex(database),
      retryMs: 1,
    });
    await log.append(draft());
    await log.flushIndex();
    await database.script('drop table evidence_rows; drop table evidence_checkpoints');
    await log.append(draft());
    await log.flushIndex();
    await log.flushIndex();
    assert.equal(log.status().index, { indexed: 2, away: false });
    await log.close();
  });

  check.run();
}

contract('pglite', async () => ({ database: await openPglite(), done: () => {} }));

if (needs('postgres')) {
  const server = startPostgres();
  process.on('exit', () => server.remove());
  contract('postgresql', async () => ({ database: openPg({ url: server.url }), done: () => {} }));

  test('calls go on while the database server is down, and it catches up when it is back', async () => {
    const database = openPg({ url: server.url, connectTimeoutMs: 1000 });
    const troubles: unknown[] = [];
    const { log } = await memoryEvidenceLog(record, {
      index: new DatabaseIndex(database),
      retryMs: 20,
      onTrouble: (error) => troubles.push(error),
    });
    await log.append(draft());
    await log.flushIndex();
    server.stop();
    await log.append(draft());
    await log.append(draft());
    await log.flushIndex();
    assert.is(log.status().index?.away, true);
    assert.is((troubles[0] as DatabaseError).code, 'database_unavailable');
    server.start();
    await log.flushIndex();
    assert.equal(log.status().index, { indexed: 3, away: false });
    const [row] = await database.query(
      'select count(*)::int as n from evidence_rows where log = $1',
      [log.status().log],
    );
    assert.is(row?.n, 3);
    await log.close();
    await database.close();
  });
}

test.run();
