// The authority over real databases: what it issues, how it rotates, restarts and shares its tables.
import { X509Certificate } from 'node:crypto';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../../../runtime/testing/needs.ts';
import { openPg } from '../../common/database/pg.ts';
import { openPglite } from '../../common/database/pglite.ts';
import type { Database } from '../../common/database/port.ts';
import { startPostgres } from '../../common/database/testing/postgres.ts';
import type { Authority, AuthorityEvent } from './port.ts';
import {
  botId,
  failure,
  hourMs,
  keyEncryptionKey,
  openAuthority,
  opensslVerify,
  TestClock,
  trustDomain,
} from './testing.ts';

const withOpenssl = needs('openssl');
/** It is asked about one chain of every CA. */
const seenByOpenssl = new Set<string>();
const audience = ['spiffe://platform.local/service/gateway'];

/** Fails unless everybody who has this bundle takes what the authority issues now. */
async function checkIssues(authority: Authority, bundles: Authority, at: Date): Promise<string> {
  const svid = await authority.issueX509({ spiffeId: botId, dnsNames: ['bot.tenant-acme.svc'] });
  const leaf = new X509Certificate(Buffer.from(svid.certificates[0]!));
  const issuers = bundles.x509Bundle().map((der) => new X509Certificate(Buffer.from(der)));
  const issuer = issuers.find((each) => leaf.checkIssued(each) && leaf.verify(each.publicKey));
  assert.ok(issuer, 'a CA of the bundle issued it');
  assert.ok(leaf.validToDate <= issuer.validToDate);
  assert.ok(leaf.validFromDate.getTime() <= at.getTime() - 299_000);
  if (withOpenssl && !seenByOpenssl.has(issuer.fingerprint256)) {
    opensslVerify(svid.certificates[0]!, bundles.x509Bundle(), at);
    seenByOpenssl.add(issuer.fingerprint256);
  }
  const jwt = await authority.issueJwt({ spiffeId: botId, audience });
  assert.is((await bundles.validateJwt(jwt.token, audience[0]!)).spiffeId, botId);
  const wit = await authority.issueWit({ spiffeId: botId });
  // jose knows no `use` of SPIFFE's.
  const plain = bundles.witBundle().keys.map((key) => ({ ...key, use: 'sig' }));
  const keys = createLocalJWKSet({ keys: plain } as never);
  await jwtVerify(wit.token, keys, { currentDate: at, typ: 'wit+jwt' });
  return issuer.fingerprint256;
}

function contract(name: string, open: () => Database | Promise<Database>): void {
  const test = suite<{ database: Database; clock: TestClock; opened: Authority[] }>(name);
  test.before(async (context) => {
    context.database = await open();
  });
  test.before.each(async (context) => {
    const tables = ['identity_authorities', 'identity_keys', 'identity_denied'];
    await context.database.script(tables.map((table) => `drop table if exists ${table};`).join(''));
    context.clock = new TestClock();
  });
  test.after(({ database }) => database.close());

  test('rotates through several lifetimes, and what is issued is always good', async (context) => {
    const { database, clock } = context;
    const events: AuthorityEvent[] = [];
    const authority = await openAuthority(database, clock, { onEvent: (e) => events.push(e) });
    const issuers: string[] = [];
    const living: { leaf: Uint8Array; until: Date }[] = [];
    for (let hour = 0; hour < 4 * 24; hour += 3) {
      await authority.refresh();
      const issuer = await checkIssues(authority, authority, clock.read());
      if (issuers.at(-1) !== issuer) issuers.push(issuer);
      const svid = await authority.issueX509({ spiffeId: botId, ttlSeconds: 6 * 3600 });
      living.push({ leaf: svid.certificates[0]!, until: svid.notAfter });
      // Whatever is still within its time is taken with the bundle of now.
      for (const { leaf, until } of living.slice(-4)) {
        if (until <= clock.read()) continue;
        const read = new X509Certificate(Buffer.from(leaf));
        const bundle = authority.x509Bundle().map((der) => new X509Certificate(Buffer.from(der)));
        assert.ok(bundle.some((ca) => read.checkIssued(ca) && read.verify(ca.publicKey)));
      }
      assert.ok(authority.x509Bundle().length <= 3);
      clock.advance(3 * hourMs);
    }
    assert.is(new Set(issuers).size, issuers.length);
    assert.ok(issuers.length >= 7, `${issuers.length} CAs`);
    for (const change of ['published', 'activated', 'expired']) {
      const of = events.filter((event) => event.type === 'key' && event.change === change);
      assert.ok(of.length >= 15, `${change}: ${of.length}`);
    }
    const stored = await database.query('select count(*)::int as n from identity_keys');
    assert.ok((stored[0]!.n as number) <= 9);
    await authority.close();
  });

  test('a restart at any hour goes on where it was', async ({ database, clock }) => {
    for (let hour = 0; hour < 40; hour += 5) {
      const before = await openAuthority(database, clock);
      const issuer = await checkIssues(before, before, clock.read());
      const bundle = before.x509Bundle();
      const jwt = await before.issueJwt({ spiffeId: botId, audience });
      await before.close();
      const after = await openAuthority(database, clock);
      assert.equal(after.x509Bundle(), bundle);
      assert.is(await checkIssues(after, after, clock.read()), issuer);
      assert.is((await after.validateJwt(jwt.token, audience[0]!)).spiffeId, botId);
      await after.close();
      clock.advance(5 * hourMs);
    }
  });

  test('after a standstill longer than every key it starts anew', async ({ database, clock }) => {
    const before = await openAuthority(database, clock);
    const old = await checkIssues(before, before, clock.read());
    clock.advance(30 * 24 * hourMs);
    // Even one that was not asked to refresh issues nothing with a key that is over.
    assert.equal(before.x509Bundle(), []);
    assert.is.not(await checkIssues(before, before, clock.read()), old);
    assert.is(before.x509Bundle().length, 1);
    await before.close();
  });

  test('of two authorities one rotates, and both issue what both take', async (context) => {
    const { database, clock } = context;
    const [one, two] = await Promise.all([
      openAuthority(database, clock),
      openAuthority(database, clock),
    ]);
    for (let hour = 0; hour < 48; hour += 4) {
      await Promise.all([one.refresh(), two.refresh()]);
      await Promise.all([one.refresh(), two.refresh()]);
      assert.equal(one.x509Bundle(), two.x509Bundle());
      assert.equal(one.jwtBundle(), two.jwtBundle());
      await checkIssues(one, two, clock.read());
      await checkIssues(two, one, clock.read());
      clock.advance(4 * hourMs);
    }
    const [row] = await database.query('select version from identity_authorities');
    // The first keys, those made at 12, 24 and 36 h, and those dropped after 24 and 36 h.
    assert.is(row!.version, 6);
    await one.close();
    await two.close();
  });

  test('the operator rotates at once, and what the old keys signed stays good', async (context) => {
    const { database, clock } = context;
    const authority = await openAuthority(database, clock);
    const other = await openAuthority(database, clock);
    const first = await checkIssues(authority, authority, clock.read());
    const old = await authority.issueJwt({ spiffeId: botId, audience });
    const changes: string[] = [];
    const stop = authority.onBundleChange(({ kind, change }) => changes.push(`${kind} ${change}`));
    await authority.rotateNow('x509');
    await authority.rotateNow('jwt');
    stop();
    assert.equal(changes, [
      ...['x509 published', 'x509 activated', 'jwt published', 'wit published'],
      ...['jwt activated', 'wit activated'],
    ]);
    const second = await checkIssues(authority, authority, clock.read());
    assert.is.not(second, first);
    await other.refresh();
    assert.is(await checkIssues(other, authority, clock.read()), second);
    for (const each of [authority, other]) {
      assert.is((await each.validateJwt(old.token, audience[0]!)).spiffeId, botId);
      assert.is(each.x509Bundle().length, 2);
    }
    // A key that is prepared already is the one that signs, and the turn goes on from there.
    clock.advance(13 * hourMs);
    await authority.refresh();
    const prepared = authority.state().keys.x509.find((key) => key.activatesAt > clock.read());
    await authority.rotateNow('x509');
    assert.is(authority.state().keys.x509.find(({ isActive }) => isActive)?.id, prepared?.id);
    await Promise.all([authority.close(), other.close()]);
  });

  test('however often somebody rotates, the bundle stays small', async ({ database, clock }) => {
    const authority = await openAuthority(database, clock);
    for (let count = 1; count < 32; count += 1) await authority.rotateNow('x509');
    assert.is(await failure(authority.rotateNow('x509')), 'identity_unavailable');
    assert.is(authority.x509Bundle().length, 32);
    await checkIssues(authority, authority, clock.read());
    await authority.close();
  });

  test('another key-encryption key opens nothing and makes nothing', async (context) => {
    const { database, clock } = context;
    const authority = await openAuthority(database, clock);
    await authority.close();
    const before = await database.query('select * from identity_keys order by id');
    for (const later of [0, 30 * 24 * hourMs]) {
      clock.advance(later);
      const wrong = { keyEncryptionKey: Buffer.alloc(32, 9) };
      assert.is(await failure(openAuthority(database, clock, wrong)), 'configuration_invalid');
      assert.equal(await database.query('select * from identity_keys order by id'), before);
    }
  });

  test('the database holds no private key in clear', async ({ database, clock }) => {
    const authority = await openAuthority(database, clock);
    const rows = await database.query('select sealed, public_part from identity_keys');
    assert.is(rows.length, 3);
    for (const { sealed, public_part } of rows) {
      const bytes = Buffer.from(sealed as Uint8Array);
      // PKCS#8 begins with a sequence, the version and the algorithm, which the public part names too.
      assert.is(bytes.indexOf(Buffer.from('020100300d06092a864886f7', 'hex')), -1);
      assert.is(bytes.indexOf(Buffer.from('020100301306072a8648ce3d', 'hex')), -1);
      assert.ok((public_part as Uint8Array).length > 80);
    }
    await authority.close();
  });

  test('whoever only writes to the database cannot have a key of its own trusted', async (context) => {
    const { database, clock } = context;
    const authority = await openAuthority(database, clock);
    await authority.close();
    const elsewhere = await openPglite();
    const evil = await openAuthority(elsewhere, clock, { keyEncryptionKey: Buffer.alloc(32, 9) });
    const stolen = await elsewhere.query(
      `select public_part from identity_keys where kind = 'x509'`,
    );
    const evilKeys = [stolen[0]!.public_part];
    const attacks: [sql: string, values: unknown[]][] = [
      [`update identity_keys set public_part = $1 where kind = 'x509'`, evilKeys],
      [`update identity_keys set expires_at = expires_at + 1000 where kind = 'x509'`, []],
      [`update identity_keys set kind = 'wit' where kind = 'x509'`, []],
      [`update identity_keys set id = 'other' where kind = 'jwt'`, []],
      [
        `insert into identity_keys select trust_domain, kind, 'copy', prepared_at, activates_at,
           expires_at, public_part, sealed from identity_keys where kind = 'jwt'`,
        [],
      ],
      [
        `update identity_keys set sealed = (select sealed from identity_keys where kind = 'wit')
           where kind = 'x509'`,
        [],
      ],
    ];
    for (const [sql, values] of attacks) {
      await database.transaction(async (queries) => {
        await queries.query('create temporary table kept as select * from identity_keys');
      });
      await database.query(sql, values);
      assert.is(await failure(openAuthority(database, clock)), 'identity_unavailable', sql);
      await database.script(
        `delete from identity_keys; insert into identity_keys select * from kept; drop table kept`,
      );
    }
    await (await openAuthority(database, clock)).close();
    await evil.close();
    await elsewhere.close();
  });

  test('trust domains share the tables and nothing else', async ({ database, clock }) => {
    const one = await openAuthority(database, clock);
    const two = await openAuthority(database, clock, {
      trustDomain: 'other.example',
      keyEncryptionKey: Buffer.alloc(32, 3),
    });
    const theirs = 'spiffe://other.example/agent/acme/bot/main';
    const jwt = await two.issueJwt({ spiffeId: theirs, audience });
    assert.is(await failure(one.validateJwt(jwt.token, audience[0]!)), 'svid_foreign');
    assert.is(await failure(one.issueX509({ spiffeId: theirs })), 'svid_foreign');
    await two.deny(theirs);
    assert.is(one.state().denied.entries, 0);
    await Promise.all([one.close(), two.close()]);
  });

  test('what is asked for out of bounds is refused', async ({ database, clock }) => {
    const authority = await openAuthority(database, clock);
    const x509 = (change: object) => failure(authority.issueX509({ spiffeId: botId, ...change }));
    const jwt = (list: string[]) =>
      failure(authority.issueJwt({ spiffeId: botId, audience: list }));
    assert.is(await x509({ spiffeId: 'spiffe://platform.local' }), 'spiffe_id_invalid');
    assert.is(await x509({ spiffeId: `${botId}/` }), 'spiffe_path_trailing_slash');
    for (const ttlSeconds of [0, -1, 1.5, Number.NaN, 24 * 3600 + 1, Number.POSITIVE_INFINITY]) {
      assert.is(await x509({ ttlSeconds }), 'input_invalid', String(ttlSeconds));
    }
    const wrong = [
      '',
      '*.svc',
      'a..b',
      '-a',
      'a-',
      'ä',
      'a b',
      'a/b',
      `${'a'.repeat(64)}.b`,
      'a\0b',
    ];
    for (const name of wrong) assert.is(await x509({ dnsNames: [name] }), 'input_invalid', name);
    assert.is(await x509({ dnsNames: ['a', 'a'] }), 'input_invalid');
    assert.is(
      await x509({ dnsNames: Array.from({ length: 33 }, (_, i) => `a${i}`) }),
      'input_invalid',
    );
    assert.is(await x509({ dnsNames: ['a_1.B-2', `${'a'.repeat(63)}`] }), 'none');
    const wrongAudiences = [[], [''], ['a', 'a'], ['a\n'], ['\ud800'], ['a'.repeat(513)]];
    for (const list of wrongAudiences) assert.is(await jwt(list), 'input_invalid');
    assert.is(await jwt(Array.from({ length: 17 }, (_, i) => `a${i}`)), 'input_invalid');
    await authority.close();
    for (const name of ['', 'A', 'a/b', 'spiffe://a', 'a b', 'a:1', 'x'.repeat(256)]) {
      const opening = openAuthority(database, clock, { trustDomain: name });
      assert.is(await failure(opening), 'configuration_invalid', name);
    }
    const short = openAuthority(database, clock, {
      keyEncryptionKey: keyEncryptionKey.subarray(1),
    });
    assert.is(await failure(short), 'configuration_invalid');
    assert.is(authority.trustDomain, trustDomain);
  });

  test.run();
}

contract('authority on pglite', () => openPglite());
if (needs('postgres')) {
  const server = startPostgres();
  process.on('exit', () => server.remove());
  contract('authority on postgresql', () => openPg({ url: server.url }));
}
