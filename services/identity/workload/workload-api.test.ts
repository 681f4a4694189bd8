// The Workload API as a workload meets it: refusals, renewal, and what a stream learns when something changes.
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@connectrpc/connect';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DenyList } from '../../../runtime/identity/proto/platform/identity/v1/deny_list_pb.js';
import { SpiffeWorkloadAPI } from '../../../runtime/identity/proto/spiffe/workload/workload_pb.js';
import { deniedKey } from '../../../runtime/identity/workload/denied-key.ts';
import { failure, grpcTo } from '../testing/identity.ts';
import { startWithAuthority, type TestPlatform } from '../testing/platform.ts';
import { toPem } from './pem.ts';

const test = suite('Workload API');
const gateway = 'spiffe://example.org/service/gateway';
let now = Date.now();
let platform: TestPlatform;

test.before(async () => {
  platform = await startWithAuthority({ clock: () => new Date(now) });
});
test.after(() => platform.close());
test.after.each(async () => {
  const { entries } = await platform.entries.listEntries({});
  await platform.entries.batchDeleteEntry({ ids: entries.map(({ id }) => id) });
  // What was denied until the next second may be issued again.
  now += 2000;
});

/** A stream whose messages are asked for one by one. */
function follow<Message>(stream: AsyncIterable<Message>) {
  const iterator = stream[Symbol.asyncIterator]();
  return {
    async next(): Promise<Message> {
      const { value, done } = await iterator.next();
      if (done) throw new Error('the stream ended');
      return value as Message;
    },
    end: async () => void (await iterator.return?.()),
  };
}

const firstOf = async (stream: AsyncIterable<unknown>) => {
  const reader = follow(stream);
  const message = await reader.next();
  await reader.end();
  return message;
};

test('without the security header every call is INVALID_ARGUMENT', async () => {
  await platform.enter('/service/gateway', ['service:gateway']);
  const bare = createClient(SpiffeWorkloadAPI, grpcTo(platform.workloadSocket));
  const expected = 'InvalidArgument: security header missing from request';
  for (const stream of [
    bare.fetchX509SVID({}),
    bare.fetchX509Bundles({}),
    bare.fetchJWTBundles({}),
    bare.fetchWITSVID({}),
    bare.fetchWITBundles({}),
  ]) {
    assert.is(await failure(firstOf(stream)), expected);
  }
  assert.is(await failure(bare.fetchJWTSVID({ audience: ['a'] })), expected);
  assert.is(await failure(bare.validateJWTSVID({ audience: 'a', svid: 'b' })), expected);
});

test('without an identity every call is PERMISSION_DENIED', async () => {
  const { workload } = platform;
  const expected = 'PermissionDenied: no identity issued';
  for (const stream of [
    workload.fetchX509SVID({}),
    workload.fetchX509Bundles({}),
    workload.fetchJWTBundles({}),
    workload.fetchWITSVID({}),
    workload.fetchWITBundles({}),
  ]) {
    assert.is(await failure(firstOf(stream)), expected);
  }
  assert.is(await failure(workload.fetchJWTSVID({ audience: ['a'] })), expected);
  assert.is(await failure(workload.validateJWTSVID({ audience: 'a', svid: 'b' })), expected);
  await platform.enter('/service/gateway', ['service:gateway']);
  const other = { audience: ['a'], spiffeId: 'spiffe://example.org/service/vault' };
  assert.is(await failure(workload.fetchJWTSVID(other)), expected);
  assert.is(await failure(firstOf(workload.fetchWITSVID(other))), expected);
});

test('every chain that is served stands before openssl', async () => {
  await platform.enter('/service/gateway', ['service:gateway'], {
    ...{ dnsNames: ['gateway.platform-system.svc', 'gateway.platform-system'], x509SvidTtl: 300 },
  });
  await platform.enter('/service/vault', ['service:vault'], { hint: 'second' });
  const stream = follow(platform.workload.fetchX509SVID({}));
  for (let round = 0; round < 2; round += 1) {
    const { svids } = await stream.next();
    assert.equal(
      svids.map(({ spiffeId, hint }) => [spiffeId, hint]),
      [
        [gateway, ''],
        ['spiffe://example.org/service/vault', 'second'],
      ],
    );
    for (const { x509Svid } of svids) {
      const [file, roots] = [join(platform.folder, 'svid.pem'), join(platform.folder, 'ca.pem')];
      writeFileSync(file, toPem('CERTIFICATE', [x509Svid]));
      writeFileSync(roots, toPem('CERTIFICATE', platform.authority.x509Bundle()));
      for (const purpose of ['sslserver', 'sslclient']) {
        const args = ['verify', '-x509_strict', '-purpose', purpose, '-CAfile', roots, file];
        assert.match(execFileSync('openssl', args, { encoding: 'utf8' }), /OK$/m);
      }
    }
    if (round === 0) await platform.authority.rotateNow('x509');
  }
  await stream.end();
});

test('an SVID is shared until half its life, and then pushed anew', async () => {
  await platform.enter('/service/gateway', ['service:gateway'], { x509SvidTtl: 600 });
  const streams = [0, 1].map(() => follow(platform.workload.fetchX509SVID({})));
  const serials = async () => {
    const answers = await Promise.all(streams.map((each) => each.next()));
    return answers.map(({ svids }) => {
      const certificate = new X509Certificate(svids[0]?.x509Svid ?? '');
      assert.is(certificate.subjectAltName, `URI:${gateway}`);
      return certificate.serialNumber;
    });
  };
  const first = await serials();
  assert.is(first[0], first[1]);
  now += 0.44 * 600_000;
  const pending = serials();
  const issued = () => platform.events.filter(({ kind }) => kind === 'x509_svid_issued').length;
  const before = issued();
  // Not yet half: a further stream gets the same one.
  const third = follow(platform.workload.fetchX509SVID({}));
  await third.next();
  assert.is(issued(), before);
  await third.end();
  now += 0.12 * 600_000;
  const second = await pending;
  assert.is(second[0], second[1]);
  assert.is.not(second[0], first[0]);
  for (const stream of streams) await stream.end();
});

test('a stream learns of entries that come, change and go, and ends with the last', async () => {
  const first = await platform.enter('/service/gateway', ['service:gateway']);
  const stream = follow(platform.workload.fetchX509SVID({}));
  const ids = async () =>
    (await stream.next()).svids.map(({ spiffeId, hint }) => `${spiffeId}${hint}`);
  assert.equal(await ids(), [gateway]);
  const second = await platform.enter('/service/both', ['service:gateway', 'service:vault']);
  assert.equal(await ids(), [gateway, 'spiffe://example.org/service/both']);
  await platform.entries.batchUpdateEntry({
    ...{ entries: [{ id: first, hint: '#new' }], inputMask: { hint: true } },
  });
  assert.equal(await ids(), [`${gateway}#new`, 'spiffe://example.org/service/both']);
  await platform.enter('/service/other', ['service:other']);
  await platform.entries.batchDeleteEntry({ ids: [second] });
  assert.equal(await ids(), [`${gateway}#new`]);
  await platform.entries.batchDeleteEntry({ ids: [first] });
  assert.is(await failure(stream.next()), 'PermissionDenied: no identity issued');
});

test('when one of two entries with an identity goes, the other’s stream gets a new SVID that counts', async () => {
  const first = await platform.enter('/service/gateway', ['service:gateway']);
  await platform.enter('/service/gateway', ['service:vault']);
  const stream = follow(platform.workload.fetchX509SVID({}));
  assert.is((await stream.next()).svids.length, 2);
  const deleted = platform.entries.batchDeleteEntry({ ids: [first] });
  const next = stream.next();
  await deleted;
  now += 1000;
  const isDenied = (x509Svid: Uint8Array) => {
    const { validFromDate } = new X509Certificate(x509Svid);
    return platform.authority.denied.isDenied(gateway, validFromDate.getTime() / 1000 + 300);
  };
  let { svids } = await next;
  // A stream that wakes by chance between the entry's end and the denial shows the old one once more.
  if (isDenied(svids[0]!.x509Svid)) ({ svids } = await stream.next());
  assert.is(svids.length, 1);
  assert.not(isDenied(svids[0]!.x509Svid));
  await stream.end();
});

test('tokens are for their audience, shared until half their life, and bounded', async () => {
  await platform.enter('/service/gateway', ['service:gateway'], { jwtSvidTtl: 100, hint: 'h' });
  const { workload } = platform;
  const fetch = async (...audience: string[]) =>
    (await workload.fetchJWTSVID({ audience, spiffeId: gateway })).svids[0];
  const first = await fetch('a', 'b');
  assert.equal([first?.spiffeId, first?.hint], [gateway, 'h']);
  assert.is((await fetch('b', 'a', 'a'))?.svid, first?.svid);
  assert.is.not((await fetch('a'))?.svid, first?.svid);
  const valid = await workload.validateJWTSVID({ audience: 'b', svid: first?.svid ?? '' });
  assert.equal(
    [valid.spiffeId, valid.claims?.sub, valid.claims?.aud],
    [gateway, gateway, ['a', 'b']],
  );
  for (const [audience, svid] of [
    ['c', first?.svid ?? ''],
    ['a', 'not.a.token'],
    ['', 'x'],
    ['a', ''],
  ] as const) {
    assert.match(await failure(workload.validateJWTSVID({ audience, svid })), /^InvalidArgument/);
  }
  assert.match(await failure(workload.fetchJWTSVID({})), /audience must be specified/);
  const many = Array.from({ length: 17 }, (_, index) => `a${index}`);
  assert.match(await failure(workload.fetchJWTSVID({ audience: many })), /^InvalidArgument/);
  assert.match(await failure(fetch('x'.repeat(1025))), /^InvalidArgument/);
  assert.match(await failure(fetch('x'.repeat(70_000))), /^ResourceExhausted/);
  now += 56_000;
  assert.is.not((await fetch('a', 'b'))?.svid, first?.svid);
  now += 50_000;
  const late = await failure(workload.validateJWTSVID({ audience: 'b', svid: first?.svid ?? '' }));
  assert.match(late, /^InvalidArgument/);
});

test('WIT-SVIDs come with their key, and all bundles with their keys', async () => {
  await platform.enter('/service/gateway', ['service:gateway']);
  const { workload } = platform;
  const wit = await follow(workload.fetchWITSVID({})).next();
  assert.is(wit.svids[0]?.spiffeId, gateway);
  const key = JSON.parse(wit.svids[0]?.witSvidKey ?? '{}');
  assert.equal([key.kty, typeof key.d], ['EC', 'string']);
  const witKeys = JSON.parse(
    (await follow(workload.fetchWITBundles({})).next()).bundles['spiffe://example.org'] ?? '',
  );
  assert.ok(witKeys.keys.length > 0);
  const jwt = follow(workload.fetchJWTBundles({}));
  const keysOf = async () => {
    const { bundles } = await jwt.next();
    return JSON.parse(Buffer.from(bundles['spiffe://example.org'] ?? '').toString()).keys.length;
  };
  const before = await keysOf();
  await platform.authority.rotateNow('jwt');
  assert.ok((await keysOf()) > before);
  await jwt.end();
});

test('the deny-list is there at once and with every denial, also for who has no entry', async () => {
  const client = createClient(DenyList, grpcTo(platform.workloadSocket));
  const stream = follow(client.watch({}));
  const deniedIn = async () => {
    const { jws } = await stream.next();
    return JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString()).denied;
  };
  await deniedIn();
  const entry = await platform.enter('/service/short', ['service:other']);
  await platform.entries.batchDeleteEntry({ ids: [entry] });
  let denied = await deniedIn();
  const key = deniedKey('spiffe://example.org/service/short');
  while (!(key in denied)) denied = await deniedIn();
  assert.not.match(JSON.stringify(denied), 'short');
  assert.is(denied[key], Math.floor(now / 1000) + 1);
  await stream.end();
});

test('a source inside the process has the SVID while there is an entry, and no longer', async () => {
  const source = platform.server.sourceFor(gateway);
  assert.throws(() => source.current(), /there is no entry/);
  assert.is(await source.ready().catch((error) => error.code), 'svid_missing');
  await source.close();
  const entry = await platform.enter('/service/gateway', ['service:gateway'], { x509SvidTtl: 600 });
  const second = platform.server.sourceFor(gateway);
  await second.ready();
  const first = second.current().svids[0];
  assert.equal([first?.spiffeId, second.state().isConnected], [gateway, true]);
  const renewed = new Promise<string | undefined>((resolve) =>
    second.onChange(({ svids }) => resolve(svids[0]?.spiffeId)),
  );
  now += 0.56 * 600_000;
  assert.is(await renewed, gateway);
  assert.is.not(second.current().svids[0], first);
  await platform.entries.batchDeleteEntry({ ids: [entry] });
  assert.throws(() => second.current(), /there is no entry/);
  await second.close();
});

test.run();
