// The database goes away in the middle of anything: afterwards all is as before or as asked, never half.
import { X509Certificate } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { backdateSeconds } from '../../../runtime/identity/workload/x509.ts';
import { openPglite } from '../../common/database/pglite.ts';
import type { Authority, AuthorityEvent } from './port.ts';
import {
  botId,
  type FaultTiming,
  FaultyDatabase,
  failure,
  hourMs,
  openAuthority,
  TestClock,
} from './testing.ts';

const test = suite<{ database: FaultyDatabase }>('faults');
const audience = ['vault'];

test.before(async (context) => {
  context.database = new FaultyDatabase(await openPglite());
});
test.before.each(async ({ database }) => {
  database.heal();
  const tables = ['identity_authorities', 'identity_keys', 'identity_denied'];
  await database.script(tables.map((table) => `drop table if exists ${table};`).join(''));
});
test.after(({ database }) => database.close());

/** Whoever holds the bundle of `trusting` takes what `authority` issues. */
async function checkIssues(authority: Authority, trusting: Authority): Promise<void> {
  const svid = await authority.issueX509({ spiffeId: botId });
  const leaf = new X509Certificate(Buffer.from(svid.certificates[0]!));
  const bundle = trusting.x509Bundle().map((der) => new X509Certificate(Buffer.from(der)));
  assert.ok(bundle.some((ca) => leaf.checkIssued(ca) && leaf.verify(ca.publicKey)));
  const { token } = await authority.issueJwt({ spiffeId: botId, audience });
  await trusting.validateJwt(token, 'vault');
}

/**
 * Runs an action with every statement of it failing in turn, each time in a fresh state; returns how
 * many statements there were.
 */
async function atEveryStatement(
  database: FaultyDatabase,
  timing: FaultTiming,
  run: (fail: () => void) => Promise<void>,
): Promise<number> {
  for (let statement = 1; ; statement += 1) {
    await run(() => database.failAt(statement, timing));
    const { hasFailed } = database;
    database.heal();
    if (!hasFailed) return statement - 1;
  }
}

for (const timing of ['before', 'after'] as const) {
  test(`rotation with each statement lost ${timing} it ran`, async ({ database }) => {
    const clock = new TestClock();
    let authority = await openAuthority(database, clock);
    const count = await atEveryStatement(database, timing, async (fail) => {
      clock.advance(12 * hourMs);
      const [before] = [authority.state()];
      fail();
      const outcome = await failure(authority.refresh());
      assert.is(outcome, database.hasFailed ? 'database_unavailable' : 'none');
      assert.is(authority.state().isInTrouble, database.hasFailed);
      // It goes on signing with what it has, the old or the new.
      await checkIssues(authority, authority);
      database.heal();
      const restarted = await openAuthority(database, clock);
      await authority.refresh();
      assert.equal(authority.state().keys, restarted.state().keys);
      for (const kind of ['x509', 'jwt', 'wit'] as const) {
        const ids = restarted.state().keys[kind].map(({ id }) => id);
        const living = before.keys[kind].filter(({ expiresAt }) => expiresAt > clock.read());
        for (const { id } of living) assert.ok(ids.includes(id), 'no key was lost');
        assert.is(ids.length, living.length + 1, 'one was made');
      }
      await checkIssues(restarted, authority);
      await authority.close();
      authority = restarted;
      // The fault is over; what it did is looked at by whoever counts.
      if (outcome !== 'none') database.hasFailed = true;
    });
    assert.ok(count >= 8, `${count} statements`);
    await authority.close();
  });

  test(`a denial with each statement lost ${timing} it ran`, async ({ database }) => {
    const clock = new TestClock();
    const authority = await openAuthority(database, clock);
    let number = 0;
    const count = await atEveryStatement(database, timing, async (fail) => {
      clock.advance(2000);
      number += 1;
      const spiffeId = `${botId}-${number}`;
      const svid = await authority.issueX509({ spiffeId });
      const issuedAt = svid.notBefore.getTime() / 1000 + backdateSeconds;
      fail();
      const outcome = await failure(authority.deny(spiffeId));
      assert.is(outcome, database.hasFailed ? 'database_unavailable' : 'none');
      assert.is(authority.state().isInTrouble, database.hasFailed);
      if (outcome === 'none') assert.ok(authority.denied.isDenied(spiffeId, issuedAt));
      const { hasFailed } = database;
      database.heal();
      const restarted = await openAuthority(database, clock);
      await authority.refresh();
      const isDenied = restarted.denied.isDenied(spiffeId, issuedAt);
      assert.is(authority.denied.isDenied(spiffeId, issuedAt), isDenied);
      assert.is(authority.denyList(), restarted.denyList());
      if (outcome === 'none') assert.ok(isDenied);
      await restarted.close();
      // Asked again it is denied, whatever became of the first time.
      await authority.deny(spiffeId);
      assert.ok(authority.denied.isDenied(spiffeId, issuedAt));
      database.hasFailed = hasFailed;
    });
    assert.ok(count >= 4, `${count} statements`);
    await authority.close();
  });

  test(`the first start with each statement lost ${timing} it ran`, async ({ database }) => {
    const clock = new TestClock();
    const count = await atEveryStatement(database, timing, async (fail) => {
      await database.script(
        'drop table if exists identity_authorities; drop table if exists identity_keys; drop table if exists identity_denied;',
      );
      fail();
      const outcome = await failure(openAuthority(database, clock).then((each) => each.close()));
      assert.is(outcome, database.hasFailed ? 'database_unavailable' : 'none');
      const { hasFailed } = database;
      database.heal();
      const authority = await openAuthority(database, clock);
      const { keys } = authority.state();
      assert.equal([keys.x509.length, keys.jwt.length, keys.wit.length], [1, 1, 1]);
      await checkIssues(authority, authority);
      await authority.close();
      database.hasFailed = hasFailed;
    });
    assert.ok(count >= 10, `${count} statements`);
  });

  test(`a rotation by the operator with each statement lost ${timing} it ran`, async (context) => {
    const { database } = context;
    const clock = new TestClock();
    const authority = await openAuthority(database, clock, { caTtlMs: 24 * hourMs });
    const count = await atEveryStatement(database, timing, async (fail) => {
      clock.advance(2 * hourMs);
      fail();
      const outcome = await failure(authority.rotateNow('x509'));
      assert.is(outcome, database.hasFailed ? 'database_unavailable' : 'none');
      await checkIssues(authority, authority);
      const { hasFailed } = database;
      database.heal();
      const restarted = await openAuthority(database, clock);
      await authority.refresh();
      assert.equal(authority.state().keys, restarted.state().keys);
      await checkIssues(restarted, authority);
      await restarted.close();
      // Asked again it ends well.
      await authority.rotateNow('x509');
      await checkIssues(authority, authority);
      database.hasFailed = hasFailed;
    });
    assert.ok(count >= 8, `${count} statements`);
    await authority.close();
  });
}

test('with the database away it signs until the CA ends, says so, and then not at all', async ({
  database,
}) => {
  const clock = new TestClock();
  const events: AuthorityEvent[] = [];
  const authority = await openAuthority(database, clock, { onEvent: (e) => events.push(e) });
  await authority.deny(botId);
  clock.advance(1000);
  const staleBefore = authority.denied.staleForMs();
  for (let hour = 1; hour < 24; hour += 1) {
    clock.advance(hourMs);
    database.failAt(1, 'before');
    assert.is(await failure(authority.refresh()), 'database_unavailable');
    await checkIssues(authority, authority);
  }
  assert.is(authority.denied.staleForMs(), staleBefore + 23 * hourMs);
  assert.is(events.filter(({ type }) => type === 'trouble').length, 1);
  const last = await authority.issueX509({ spiffeId: botId, ttlSeconds: 24 * 3600 });
  clock.advance(hourMs);
  assert.ok(last.notAfter <= clock.read());
  database.failAt(1, 'before');
  assert.is(await failure(authority.issueX509({ spiffeId: botId })), 'identity_unavailable');
  assert.equal(authority.x509Bundle(), []);
  assert.is(await failure(() => authority.denyList()), 'identity_unavailable');
  database.heal();
  await checkIssues(authority, authority);
  assert.is(events.filter(({ type }) => type === 'recovered').length, 1);
  await authority.close();
});

test('a key that was damaged meanwhile is told, and keeps no denial from being in force', async ({
  database,
}) => {
  const clock = new TestClock();
  const events: AuthorityEvent[] = [];
  const authority = await openAuthority(database, clock, { onEvent: (e) => events.push(e) });
  const other = await openAuthority(database, clock);
  const { issuedBefore } = await other.deny(botId);
  await database.query(
    `insert into identity_keys select trust_domain, kind, 'evil', prepared_at, activates_at,
       expires_at, public_part, sealed from identity_keys where kind = 'x509'`,
  );
  const bundle = authority.x509Bundle();
  for (let count = 0; count < 2; count += 1) {
    assert.is(await failure(authority.refresh()), 'identity_unavailable');
  }
  assert.is(events.filter(({ type }) => type === 'trouble').length, 1);
  assert.ok(authority.denied.isDenied(botId, issuedBefore - 1));
  assert.equal(authority.x509Bundle(), bundle);
  await database.query(`delete from identity_keys where id = 'evil'`);
  await authority.refresh();
  assert.is(events.at(-1)?.type, 'recovered');
  await Promise.all([authority.close(), other.close()]);
});

test('five minutes either way between the clocks of two authorities change nothing', async ({
  database,
}) => {
  const [clock, behind, ahead] = [new TestClock(), new TestClock(), new TestClock()];
  behind.advance(-300_000);
  ahead.advance(300_000);
  const clocks = [clock, behind, ahead];
  // The worst of the three makes the first keys.
  const first = await openAuthority(database, ahead);
  await first.close();
  const authorities = await Promise.all(clocks.map((each) => openAuthority(database, each)));
  for (let hour = 0; hour < 48; hour += 3) {
    for (const each of authorities) await each.refresh();
    for (const each of authorities) await each.refresh();
    for (const [index, issuing] of authorities.entries()) {
      const svid = await issuing.issueX509({ spiffeId: botId });
      const leaf = new X509Certificate(Buffer.from(svid.certificates[0]!));
      for (const [other, trusting] of authorities.entries()) {
        const at = clocks[other]!.read();
        const bundle = trusting.x509Bundle().map((der) => new X509Certificate(Buffer.from(der)));
        const issuer = bundle.find((ca) => leaf.checkIssued(ca) && leaf.verify(ca.publicKey));
        assert.ok(issuer !== undefined);
        // Ten minutes lie between the first and the last; five are what is promised.
        if (Math.abs(clocks[index]!.now - at.getTime()) > 300_000) continue;
        for (const each of [leaf, issuer]) {
          assert.ok(each.validFromDate <= at && at < each.validToDate, `hour ${hour}`);
        }
        const jwt = await issuing.issueJwt({ spiffeId: botId, audience, ttlSeconds: 600 });
        await trusting.validateJwt(jwt.token, 'vault');
      }
    }
    for (const each of clocks) each.advance(3 * hourMs);
  }
  await Promise.all(authorities.map((each) => each.close()));
});

test('an authority whose clock is ahead does not take a CA away from the others', async ({
  database,
}) => {
  const [behind, ahead] = [new TestClock(), new TestClock()];
  const one = await openAuthority(database, behind);
  const [first] = one.x509Bundle();
  const two = await openAuthority(database, ahead);
  for (const clock of [behind, ahead]) clock.advance(24 * hourMs - 1000);
  ahead.advance(300_000);
  await two.refresh();
  assert.is(two.x509Bundle().length, 1);
  await one.refresh();
  assert.equal(one.x509Bundle()[0], first);
  assert.equal((await openAuthority(database, behind)).x509Bundle()[0], first);
  behind.advance(1000);
  assert.not.equal(one.x509Bundle()[0], first);
  for (const clock of [behind, ahead]) clock.advance(301_000);
  await two.refresh();
  const rows = await database.query(`select id from identity_keys where kind = 'x509'`);
  assert.is(rows.length, 1);
  await Promise.all([one.close(), two.close()]);
});

test.run();
