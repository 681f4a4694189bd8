// The contract's checks on who may connect at all.
import { connect } from 'node:net';
import * as assert from 'uvu/assert';
import { testCa } from '../../runtime/testing/certificates.ts';
import type { AddCheck } from './contract.ts';
import {
  agentId,
  callingServiceId,
  connectTls,
  get,
  jsonOf,
  trustDomain,
  until,
} from './testing/world.ts';

const hourMs = 3_600_000;

/** Adds what has to hold of identities: who may connect, who is believed, and until when. */
export function identityChecks(check: AddCheck): void {
  check('names the peer to the service', async ({ world, subject }) => {
    const answer = await get(world, subject.address, '/echo');
    assert.match(answer, /^HTTP\/1\.1 200/);
    const headers = Object.fromEntries(world.web.seen[0]!.headers);
    assert.is(headers['x-platform-spiffe-id'], agentId);
    assert.match(headers['x-platform-request-id']!, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.match(headers['x-platform-time']!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.match(headers['x-platform-salt']!, /^[0-9a-f]{64}$/);
    assert.match(headers['x-platform-mesh-decision']!, /^[0-9a-f]{64}$/);
  });

  check('shows the identity of the service that SNI names', async ({ world, subject }) => {
    for (const { name, spiffeId } of world.services) {
      const servername = `${name}.platform-system`;
      const socket = await connectTls(world, subject.address, { servername });
      assert.is(socket.getProtocol(), 'TLSv1.3');
      assert.is(socket.getPeerX509Certificate()?.subjectAltName, `URI:${spiffeId}`);
      socket.destroy();
    }
  });

  check('refuses a server name that is nobody’s', async ({ world, subject }) => {
    for (const servername of ['nobody.platform-system', 'platform-system', '']) {
      assert.is(await get(world, subject.address, '/echo', [], { servername }), '', servername);
    }
    assert.is(world.web.seen.length, 0);
  });

  check('refuses TLS 1.2', async ({ world, subject }) => {
    assert.is(await get(world, subject.address, '/echo', [], { maxVersion: 'TLSv1.2' }), '');
    assert.is(world.web.seen.length, 0);
  });

  check('refuses a peer without a certificate', async ({ world, subject }) => {
    assert.is(await get(world, subject.address, '/echo', [], { svid: null }), '');
    assert.is(world.web.seen.length, 0);
  });

  check('refuses garbage in place of TLS, and lives on', async ({ world, subject }) => {
    for (const text of [
      'GET / HTTP/1.1\r\nhost: x\r\n\r\n',
      '\x16\x03\x01\xff\xff',
      '\0'.repeat(99),
    ]) {
      const socket = connect(subject.address);
      let answer = '';
      socket.on('data', (chunk) => {
        answer += chunk.toString('latin1');
      });
      socket.on('error', () => {});
      socket.end(text, 'latin1');
      await new Promise((resolve) => socket.once('close', resolve));
      assert.not.match(answer, 'HTTP/1.1 200');
    }
    assert.match(await get(world, subject.address, '/echo'), /^HTTP\/1\.1 200/);
  });

  check('refuses an SVID that another CA signed', async ({ world, subject }) => {
    const svid = await world.foreignCa.issue(agentId);
    assert.is(await get(world, subject.address, '/echo', [], { svid }), '');
    assert.is(world.web.seen.length, 0);
  });

  check('refuses an SVID of another trust domain', async ({ world, subject }) => {
    const other = await testCa('other.example');
    const id = 'spiffe://other.example/agent/acme/bot/writer';
    for (const svid of [await other.issue(id), await world.ca.issue(id)]) {
      assert.is(await get(world, subject.address, '/echo', [], { svid }), '');
    }
    assert.is(world.web.seen.length, 0);
  });

  check('refuses an SVID that has expired', async ({ world, subject }) => {
    const now = new Date(Date.now() - 2 * hourMs);
    const svid = await world.ca.issue(agentId, { now, ttlSeconds: 3600 });
    assert.is(await get(world, subject.address, '/echo', [], { svid }), '');
    assert.is(world.web.seen.length, 0);
  });

  check('refuses an SVID that is not valid yet', async ({ world, subject }) => {
    const svid = await world.ca.issue(agentId, { now: new Date(Date.now() + hourMs) });
    assert.is(await get(world, subject.address, '/echo', [], { svid }), '');
    assert.is(world.web.seen.length, 0);
  });

  check('takes SVIDs of a CA whose clock is five minutes off', async ({ world, subject }) => {
    for (const minutes of [-5, 5]) {
      // A second less: what was issued "now" must not become "from the future" on the way.
      const now = new Date(Date.now() + minutes * 60_000 - 1000);
      const svid = await world.ca.issue(agentId, { now });
      assert.match(await get(world, subject.address, '/echo', [], { svid }), /^HTTP\/1\.1 200/);
    }
  });

  check('refuses certificates that are no SVIDs', async ({ world, subject }) => {
    const shapes = [
      { names: [] },
      { names: [{ type: 'dns' as const, value: 'web.platform-system' }] },
      {
        names: [
          { type: 'url' as const, value: agentId },
          { type: 'url' as const, value: callingServiceId },
        ],
      },
      { names: [{ type: 'url' as const, value: `spiffe://${trustDomain}` }] },
      { names: [{ type: 'url' as const, value: `https://${trustDomain}/agent` }] },
    ];
    for (const shape of shapes) {
      const svid = await world.ca.issue(agentId, shape);
      assert.is(
        await get(world, subject.address, '/echo', [], { svid }),
        '',
        JSON.stringify(shape),
      );
    }
    assert.is(world.web.seen.length, 0);
  });

  check('refuses an identity that was taken away', async ({ world, subject }) => {
    world.denied.deny(agentId);
    assert.is(await get(world, subject.address, '/echo'), '');
    assert.is(world.web.seen.length, 0);
    const later = { now: new Date(Date.now() + 2000) };
    const svid = await world.ca.issue(agentId, later);
    assert.match(await get(world, subject.address, '/echo', [], { svid }), /^HTTP\/1\.1 200/);
  });

  check('closes the connections of an identity that is taken away', async ({ world, subject }) => {
    const socket = await connectTls(world, subject.address);
    socket.write('GET /hang HTTP/1.1\r\nhost: x\r\n\r\n');
    await until(() => world.web.seen.length === 1);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    world.denied.deny(agentId);
    await closed;
  });

  check('closes a connection when its SVID expires', async ({ world, subject }) => {
    const svid = await world.ca.issue(agentId, { ttlSeconds: 2 });
    const socket = await connectTls(world, subject.address, { svid });
    const closed = new Promise<number>((resolve) =>
      socket.once('close', () => resolve(Date.now())),
    );
    socket.resume();
    assert.ok((await closed) >= svid.notAfter.getTime());
  });

  check(
    'passes on whom a service acts for, and nobody else’s claim',
    async ({ world, subject }) => {
      const claim = [`x-platform-on-behalf-of: ${agentId}`, 'x-platform-approval: abc'];
      await get(world, subject.address, '/echo', claim);
      const service = await world.ca.issue(callingServiceId);
      const answer = await get(world, subject.address, '/echo', claim, { svid: service });
      const [agents, services] = world.web.seen.map(({ headers }) => Object.fromEntries(headers));
      assert.is(agents!['x-platform-on-behalf-of'], undefined);
      assert.is(agents!['x-platform-approval'], 'abc');
      assert.is(services!['x-platform-on-behalf-of'], agentId);
      assert.is(services!['x-platform-spiffe-id'], callingServiceId);
      assert.is(jsonOf(answer).method, 'GET');
    },
  );

  check('takes a new CA while the old one is still in use', async ({ world, subject }) => {
    const next = await testCa(trustDomain);
    const { svids } = world.source.current();
    const bundle = [world.ca.certificate, next.certificate];
    world.source.set({ svids, bundles: new Map([[trustDomain, bundle]]) });
    const svid = await next.issue(agentId);
    assert.match(await get(world, subject.address, '/echo', [], { svid }), /^HTTP\/1\.1 200/);
    assert.match(await get(world, subject.address, '/echo'), /^HTTP\/1\.1 200/);
  });
}
