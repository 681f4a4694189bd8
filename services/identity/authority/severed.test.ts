// A real PostgreSQL ends the connection in the middle of the authority's writes: old or new, and a retry ends well.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { backdateSeconds } from '../../../runtime/identity/workload/x509.ts';
import { needs } from '../../../runtime/testing/needs.ts';
import { SeverablePostgres } from '../../common/database/testing/severed.ts';
import type { Authority } from './port.ts';
import { botId, failure, hourMs, openAuthority, TestClock } from './testing.ts';

const test = suite<{ database: SeverablePostgres; clock: TestClock; authority: Authority }>(
  'authority with connections that the server ends',
);

test.before(async (context) => {
  context.database = new SeverablePostgres();
  context.clock = new TestClock();
  context.authority = await openAuthority(context.database, context.clock);
});
test.after(async ({ database, authority }) => {
  await authority.close();
  await database.close();
});

/** Runs `change` cut at each of its steps; returns how often it said that it had failed. */
async function atEveryStep(
  database: SeverablePostgres,
  cut: 'before' | 'during',
  run: (change: (work: () => Promise<unknown>) => Promise<string>) => Promise<void>,
): Promise<number> {
  let failures = 0;
  for (let step = 1; ; step += 1) {
    let steps = 0;
    await run(async (work) => {
      database.cutAt(step, cut);
      const outcome = await failure(work);
      steps = database.steps;
      await database.heal();
      if (outcome !== 'none') failures += 1;
      return outcome;
    });
    if (steps < step) return failures;
  }
}

for (const cut of ['before', 'during'] as const) {
  test(`a denial, cut ${cut} each statement`, async ({ database, clock, authority }) => {
    let number = 0;
    const failures = await atEveryStep(database, cut, async (change) => {
      clock.advance(2000);
      number += 1;
      const spiffeId = `${botId}-${cut}-${number}`;
      const svid = await authority.issueX509({ spiffeId });
      const issuedAt = svid.notBefore.getTime() / 1000 + backdateSeconds;
      const outcome = await change(() => authority.deny(spiffeId));
      assert.ok(['none', 'database_unavailable'].includes(outcome), outcome);
      await authority.refresh();
      const restarted = await openAuthority(database.admin, clock);
      const isDenied = authority.denied.isDenied(spiffeId, issuedAt);
      assert.is(restarted.denied.isDenied(spiffeId, issuedAt), isDenied);
      assert.is(authority.denyList(), restarted.denyList());
      if (outcome === 'none') assert.ok(isDenied);
      await restarted.close();
      await authority.deny(spiffeId);
      assert.ok(authority.denied.isDenied(spiffeId, issuedAt));
    });
    if (cut === 'before') assert.ok(failures >= 3, `${failures}`);
  });

  test(`a rotation, cut ${cut} each statement`, async ({ database, clock, authority }) => {
    const failures = await atEveryStep(database, cut, async (change) => {
      clock.advance(2 * hourMs);
      await authority.refresh();
      const before = authority.state().keys.x509.map(({ id }) => id);
      const outcome = await change(() => authority.rotateNow('x509'));
      assert.ok(['none', 'database_unavailable'].includes(outcome), outcome);
      await authority.refresh();
      const restarted = await openAuthority(database.admin, clock);
      assert.equal(authority.state().keys, restarted.state().keys);
      const after = restarted.state().keys.x509;
      assert.ok(
        before.every((id) => after.some((key) => key.id === id)),
        'no key is lost',
      );
      assert.ok(after.length <= before.length + 1, 'at most one is made');
      assert.is(after.filter(({ isActive }) => isActive).length, 1);
      await restarted.close();
      await authority.rotateNow('x509');
      await authority.issueX509({ spiffeId: botId });
    });
    if (cut === 'before') assert.ok(failures >= 3, `${failures}`);
  });
}

if (needs('postgres')) test.run();
