// Taking identities away: to the second, for good, bounded, and never at the cost of a newer SVID.
import { compactVerify, importJWK } from 'jose';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { deniedKey } from '../../../runtime/identity/workload/denied-key.ts';
import { backdateSeconds, type X509Svid } from '../../../runtime/identity/workload/x509.ts';
import { openPglite } from '../../common/database/pglite.ts';
import type { Database } from '../../common/database/port.ts';
import { denyLimits } from './denied.ts';
import type { Authority, AuthorityEvent } from './port.ts';
import { botId, failure, hourMs, openAuthority, TestClock, trustDomain } from './testing.ts';

const test = suite<{ database: Database; clock: TestClock; authority: Authority }>('denied');
const otherId = 'spiffe://platform.local/agent/acme/other/main';
const audience = ['vault'];

test.before(async (context) => {
  context.database = await openPglite();
});
test.before.each(async (context) => {
  const tables = ['identity_authorities', 'identity_keys', 'identity_denied'];
  await context.database.script(tables.map((table) => `drop table if exists ${table};`).join(''));
  context.clock = new TestClock();
  context.authority = await openAuthority(context.database, context.clock);
});
test.after.each(({ authority }) => authority.close());
test.after(({ database }) => database.close());

const secondOf = (clock: TestClock) => Math.floor(clock.now / 1000);
const issuedAt = (svid: X509Svid) => svid.notBefore.getTime() / 1000 + backdateSeconds;

/** What a reader of the signed list finds, once it trusts the keys of the JWT bundle. */
async function readList(authority: Authority) {
  const jws = authority.denyList();
  const keys = authority.jwtBundle().keys;
  const { payload, protectedHeader } = await compactVerify(
    jws,
    async ({ kid }) => importJWK(keys.find((key) => key.kid === kid) as never, 'RS256'),
    { algorithms: ['RS256'] },
  );
  assert.equal(Object.keys(protectedHeader).sort(), ['alg', 'kid', 'typ']);
  assert.is(protectedHeader.typ, 'platform-deny-list');
  return JSON.parse(Buffer.from(payload).toString());
}

test('at any instant of a second, what was issued is refused and what comes next is not', async ({
  authority,
  clock,
}) => {
  for (const milliseconds of [0, 1, 250, 999]) {
    clock.now = (secondOf(clock) + 10) * 1000 + milliseconds;
    const before = await authority.issueX509({ spiffeId: botId });
    const token = await authority.issueJwt({ spiffeId: botId, audience });
    const { issuedBefore } = await authority.deny(botId);
    assert.is(issuedBefore, secondOf(clock) + 1);
    assert.ok(authority.denied.isDenied(botId, issuedAt(before)));
    assert.is(await failure(authority.validateJwt(token.token, 'vault')), 'svid_denied');
    const pending = Promise.all([
      authority.issueX509({ spiffeId: botId }),
      authority.issueJwt({ spiffeId: botId, audience }),
      authority.issueWit({ spiffeId: botId }),
    ]);
    // Others need not wait, and this one does until the second has come.
    await authority.issueX509({ spiffeId: otherId });
    clock.now = issuedBefore * 1000 - 1;
    let isDone = false;
    pending.then(() => {
      isDone = true;
    });
    await authority.issueWit({ spiffeId: otherId });
    assert.not.ok(isDone);
    clock.now = issuedBefore * 1000;
    const [x509, jwt] = await pending;
    assert.is(issuedAt(x509), issuedBefore);
    assert.not.ok(authority.denied.isDenied(botId, issuedAt(x509)));
    assert.is((await authority.validateJwt(jwt.token, 'vault')).spiffeId, botId);
  }
});

test('denied twice within a second is denied once more', async ({ authority, clock }) => {
  const first = await authority.deny(botId);
  assert.equal(await authority.deny(botId), first);
  clock.advance(1000);
  assert.is((await authority.deny(botId)).issuedBefore, first.issuedBefore + 1);
});

test('a clock that was set back does not leave newer SVIDs good', async ({ authority, clock }) => {
  const svid = await authority.issueX509({ spiffeId: botId });
  clock.advance(-300_000);
  await authority.deny(botId);
  assert.ok(authority.denied.isDenied(botId, issuedAt(svid)));
  // Five minutes are not waited for.
  assert.is(await failure(authority.issueX509({ spiffeId: botId })), 'identity_unavailable');
  clock.advance(301_000);
  const next = await authority.issueX509({ spiffeId: botId });
  assert.not.ok(authority.denied.isDenied(botId, issuedAt(next)));
});

test('the list outlives the authority and reaches another one', async (context) => {
  const { authority, clock, database } = context;
  const other = await openAuthority(database, clock);
  const { issuedBefore } = await authority.deny(botId);
  let changes = 0;
  other.onDenyChange(() => {
    changes += 1;
  });
  assert.not.ok(other.denied.isDenied(botId, issuedBefore - 1));
  await other.refresh();
  await other.refresh();
  assert.is(changes, 1);
  const later = await openAuthority(database, clock);
  for (const each of [other, later]) {
    assert.ok(each.denied.isDenied(botId, issuedBefore - 1));
    assert.not.ok(each.denied.isDenied(botId, issuedBefore));
    assert.not.ok(each.denied.isDenied(otherId, 0));
    await each.close();
  }
});

test('a denial does not hide what another authority changed just before', async (context) => {
  const { authority, clock, database } = context;
  const other = await openAuthority(database, clock);
  await other.rotateNow('x509');
  await other.deny(otherId);
  const { issuedBefore } = await authority.deny(botId);
  await authority.refresh();
  assert.equal(authority.x509Bundle(), other.x509Bundle());
  assert.ok(authority.denied.isDenied(otherId, issuedBefore - 1));
  await other.close();
});

test('the signed list says what is in force, and its number rises with each change', async ({
  authority,
  clock,
}) => {
  assert.equal(await readList(authority), {
    trust_domain: trustDomain,
    sequence: 0,
    issued_at: secondOf(clock),
    denied: {},
  });
  const { issuedBefore } = await authority.deny(botId);
  assert.equal((await readList(authority)).denied, { [deniedKey(botId)]: issuedBefore });
  const [, payload = ''] = authority.denyList().split('.');
  assert.not.match(Buffer.from(payload, 'base64url').toString(), 'acme');
  assert.is((await readList(authority)).sequence, 1);
  clock.advance(5000);
  assert.is((await readList(authority)).issued_at, secondOf(clock));
  await authority.rotateNow('jwt');
  assert.is((await readList(authority)).sequence, 1);
  await authority.deny(otherId);
  assert.is((await readList(authority)).sequence, 2);
});

test('an entry goes when all that it refuses has run out, and no sooner', async (context) => {
  const { authority, clock } = context;
  const longest = await authority.issueX509({ spiffeId: botId, ttlSeconds: 24 * 3600 });
  await authority.deny(botId);
  clock.now = longest.notAfter.getTime();
  await authority.refresh();
  assert.ok(authority.denied.isDenied(botId, issuedAt(longest)));
  clock.advance(hourMs);
  await authority.refresh();
  assert.not.ok(authority.denied.isDenied(botId, issuedAt(longest)));
  assert.equal((await readList(authority)).denied, {});
  assert.is((await readList(authority)).sequence, 2);
});

test('a full list takes no more, and nothing is issued that could not be taken away', async ({
  authority,
  clock,
  database,
}) => {
  const forgetAt = clock.now + hourMs;
  const fill = `insert into identity_denied select '${trustDomain}',
    '${botId}-' || n, 1, ${forgetAt} from generate_series(1, ${denyLimits.entries - 1}) as n`;
  await database.query(fill);
  await database.query('update identity_authorities set version = version + 1, deny_sequence = 7');
  await authority.refresh();
  await authority.issueX509({ spiffeId: botId });
  const { issuedBefore } = await authority.deny(botId);
  clock.advance(1000);
  assert.ok(authority.state().denied.isFull);
  assert.is(await failure(authority.deny(otherId)), 'identity_unavailable');
  assert.is(authority.state().denied.entries, denyLimits.entries);
  // Who is on the list already can be denied again.
  assert.is((await authority.deny(botId)).issuedBefore, issuedBefore + 1);
  for (const spiffeId of [botId, otherId]) {
    clock.advance(1000);
    assert.is(await failure(authority.issueX509({ spiffeId })), 'identity_unavailable');
    assert.is(await failure(authority.issueJwt({ spiffeId, audience })), 'identity_unavailable');
    assert.is(await failure(authority.issueWit({ spiffeId })), 'identity_unavailable');
  }
  assert.is(Object.keys((await readList(authority)).denied).length, denyLimits.entries);
  clock.now = forgetAt;
  await authority.refresh();
  await authority.issueX509({ spiffeId: otherId });
  assert.is(authority.state().denied.entries, 1);
});

test('long names fill the list as well', async ({ authority, database, clock }) => {
  const long = `spiffe://platform.local/${'x'.repeat(2000)}`;
  const count = Math.ceil(denyLimits.nameBytes / 2020);
  const fill = `insert into identity_denied select '${trustDomain}',
    '${long}' || n, 1, ${clock.now + hourMs} from generate_series(1, ${count}) as n`;
  await database.query(fill);
  await database.query('update identity_authorities set version = version + 1, deny_sequence = 7');
  assert.is(await failure(authority.deny(otherId)), 'identity_unavailable');
  await authority.refresh();
  assert.ok(authority.state().denied.isFull);
});

test('who is told of a denial is told of what is in force by then', async (context) => {
  const events: AuthorityEvent[] = [];
  const { database, clock } = context;
  const authority = await openAuthority(database, clock, { onEvent: (e) => events.push(e) });
  let seen = false;
  const stop = authority.onDenyChange(() => {
    seen = authority.denied.isDenied(botId, secondOf(clock));
  });
  await authority.deny(botId);
  stop();
  assert.ok(seen);
  assert.equal(events.at(-1), {
    type: 'denied',
    spiffeId: botId,
    issuedBefore: secondOf(clock) + 1,
  });
  seen = false;
  await authority.deny(otherId);
  assert.not.ok(seen);
  const foreign = authority.deny('spiffe://other.example/a');
  assert.is(await failure(foreign), 'svid_foreign');
  await authority.close();
});

test.run();
