// The outbound proxy between real processes, which the kernel names, and a real service, with requests written byte by byte.
import { statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { attestedCaller } from '../../runtime/identity/attested-caller.ts';
import { requireProcess } from '../../runtime/identity/process.ts';
import { createEntryRegistry } from '../../runtime/identity/registry.ts';
import { Caller } from '../../runtime/testing/caller.ts';
import { createInboundProxy, type MeshProxy } from './inbound.ts';
import type { TcpAddress } from './listen.ts';
import { createOutboundProxy, type OutboundRefusal } from './outbound.ts';
import { testFilter } from './testing/filter.ts';
import { contextOf, TestSource } from './testing/source.ts';
import { createWorld, scope, trustDomain, until, type World } from './testing/world.ts';

interface Context {
  world: World;
  inbound: MeshProxy;
  outbound: MeshProxy;
  path: string;
  agent: Caller;
  stranger: Caller;
  registry: ReturnType<typeof createEntryRegistry>;
  entryId: string;
  refusals: OutboundRefusal[];
  record: (refusal: OutboundRefusal) => void;
  /** Runs when a request has passed the outbound proxy. */
  onPassed: () => void;
}

const writer = `spiffe://${trustDomain}/agent/acme/bot/writer`;
const test = suite<Context>('outbound');

test.before.each(async (context) => {
  const world = await createWorld();
  context.refusals = [];
  context.onPassed = () => {};
  context.record = (refusal) => void context.refusals.push(refusal);
  context.agent = new Caller({ environment: { PLATFORM_ROLE: 'writer' } });
  context.stranger = new Caller();
  const registry = createEntryRegistry();
  const entry = registry.create({
    ...{ trustDomain, tenant: 'acme', agent: 'bot', roles: [{ name: 'writer' }] },
    process: requireProcess(context.agent.pid),
    launcher: requireProcess(process.pid),
    uid: process.getuid?.() ?? 0,
  });
  const common = { trustDomain, scope, denied: world.denied };
  const inbound = createInboundProxy({
    ...common,
    listen: { host: '127.0.0.1', port: 0 },
    source: world.source,
    services: world.services,
    filterFor: () => testFilter({ before: () => context.onPassed() }),
    accessLog: () => {},
  });
  await inbound.listen();
  const svids = [await world.ca.issue(writer)];
  const source = new TestSource(contextOf(trustDomain, svids, [world.ca]));
  const path = join(world.folder, 'agent.sock');
  const [{ name, spiffeId, serverNames }] = world.services as [World['services'][0]];
  const address = inbound.address() as TcpAddress;
  const outbound = createOutboundProxy({
    ...common,
    listen: { path },
    attest: (socket) => attestedCaller(socket, entry.id, registry),
    sourceFor: () => source,
    routes: [
      {
        paths: ['/echo', '/mirror'],
        service: { name, spiffeId, serverName: serverNames[0]!, address },
        bodyBytes: 1000,
      },
    ],
    accessLog: (line) => void world.lines.push(line),
    onRefused: async (refusal) => context.record(refusal),
    limits: { headTimeoutMs: 1000 },
  });
  await outbound.listen();
  Object.assign(context, { world, inbound, outbound, path, registry, entryId: entry.id });
});
test.after.each(async (context) => {
  await context.agent.end();
  await context.stranger.end();
  await context.outbound.drain(100);
  await context.inbound.drain(100);
  await context.world.close();
});

const get = (headers = '', target = '/echo'): string =>
  `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`;

test('the service hears who calls from the platform and from nobody else', async (context) => {
  const forged =
    'X-Platform-Spiffe-Id: spiffe://platform.local/agent/acme/bot/admin\r\n' +
    'x_platform_spiffe_id: a\r\nX-PLATFORM-SPIFFE-ROLE: b\r\nx-platform-salt: e\r\n';
  const answer = await context.agent.send(context.path, get(forged));
  assert.match(answer, 'HTTP/1.1 200');
  const headers = context.world.web.seen[0]!.headers.filter(([name]) => /platform/i.test(name));
  assert.is(Object.fromEntries(headers)['x-platform-spiffe-id'], writer);
  assert.is(headers.length, 5);
});

test('an unknown process gets a problem document and leaves a refusal', async (context) => {
  const answer = await context.stranger.send(context.path, get());
  assert.match(answer, 'HTTP/1.1 403');
  assert.match(answer, 'application/problem+json');
  assert.match(answer, '"code":"caller_unknown"');
  assert.is(context.world.web.seen.length, 0);
  assert.is(context.refusals[0]?.error.code, 'caller_unknown');
  assert.is(context.refusals[0]?.pid, context.stranger.pid);
});

test('another agent may not use this agent’s socket', async (context) => {
  context.registry.create({
    ...{ trustDomain, tenant: 'acme', agent: 'other', roles: [] },
    process: requireProcess(context.stranger.pid),
    launcher: requireProcess(process.pid),
    uid: process.getuid?.() ?? 0,
  });
  assert.match(await context.stranger.send(context.path, get()), '"code":"caller_unknown"');
  assert.is(context.world.web.seen.length, 0);
});

test('a role that the agent does not declare is refused with its own code', async (context) => {
  const childEnvironment = { PLATFORM_ROLE: 'admin' };
  const answer = await context.agent.send(context.path, get(), { childEnvironment });
  assert.match(answer, '"code":"role_not_allowed"');
  assert.is(context.refusals.length, 1);
});

test('an entry deleted between two requests of one connection is refused at once', async (context) => {
  const first = 'GET /echo HTTP/1.1\r\nHost: x\r\n\r\n';
  context.onPassed = () => void context.registry.delete(context.entryId);
  const answer = await context.agent.send(context.path, first, { next: get() });
  assert.match(answer, /200 OK[\s\S]*403 Forbidden[\s\S]*caller_unknown/);
  assert.is(context.world.web.seen.length, 1);
});

test('no smuggled second request reaches the service', async (context) => {
  const smuggled = 'GET /echo?smuggled HTTP/1.1\r\nHost: x\r\n\r\n';
  const post = 'POST /echo HTTP/1.1\r\nHost: x\r\n';
  const attempts = [
    `${post}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    `${post}Content-Length: 0\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
    `${post}Content-Length: +0\r\n\r\n${smuggled}`,
    `${post}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    `${post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${smuggled}`,
    `${post}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${smuggled}`,
    `${post}Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n${smuggled}`,
    `${post}Transfer-Encoding: chunked\r\n\r\n5\n\r\nabcde\r\n0\r\n\r\n${smuggled}`,
    'GET /echo HTTP/1.1\r\nHost: x\r\n X-Folded: a\r\nContent-Length: 0\r\n\r\n',
    `GET /echo HTTP/1.1\nHost: x\n\n${smuggled}`,
  ];
  for (const attempt of attempts) {
    const answer = await context.agent.send(context.path, attempt);
    assert.match(answer, /^HTTP\/1\.1 4\d\d /, attempt);
    assert.not.ok(
      context.world.web.seen.some(({ target }) => target.includes('smuggled')),
      attempt,
    );
  }
});

test('what an attested caller is refused leaves a refusal in its name', async (context) => {
  await context.agent.send(context.path, get('', '/elsewhere'));
  await context.agent.send(context.path, get('', '/echo/%2e%2e/elsewhere'));
  await context.agent.send(context.path, get('content-type: a\r\nContent-Type: b\r\n'));
  assert.equal(
    context.refusals.map(({ error, spiffeId, pid }) => [error.code, spiffeId, pid]),
    ['route_unknown', 'request_malformed', 'request_malformed'].map((code) => [
      code,
      writer,
      context.agent.pid,
    ]),
  );
  assert.is(context.world.web.seen.length, 0);
});

const unreadable = [
  'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'GET /echo/\x01 HTTP/1.1\r\nHost: x\r\n\r\n',
  'CONNECT web:443 HTTP/1.1\r\nHost: web:443\r\n\r\n',
];

test('what no parser can read is a row in the name of whoever sent it', async (context) => {
  for (const text of unreadable) {
    for (const [caller, spiffeId] of [
      [context.agent, writer],
      [context.stranger, undefined],
    ] as const) {
      const answer = await caller.send(context.path, text);
      assert.match(answer, /^HTTP\/1\.1 400[\s\S]*"code":"request_malformed"/, text);
      const row = context.refusals.pop();
      assert.equal(
        [row?.error.code, row?.spiffeId, row?.pid],
        ['request_malformed', spiffeId, caller.pid],
      );
      const said = answer.match(/x-platform-request-id: (\S+)/i)?.[1];
      assert.is(said, row?.requestId);
      assert.is(context.refusals.length, 0);
    }
  }
});

test('a client that leaves was refused nothing and is not in the log for it', async (context) => {
  const socket = connect(context.path);
  // With bytes unread the other side is told by a reset, not by an end.
  socket.pause();
  socket.write(get('', '/elsewhere').replace('Connection: close\r\n', ''));
  const { lines } = context.world;
  await until(() => lines.length === 1);
  const before = context.outbound.metrics();
  socket.destroy();
  await until(() => context.outbound.metrics().includes('connections{direction="outbound"} 0'));
  const refused = (text: string) => text.split('\n').filter((line) => /refused/.test(line));
  assert.equal(refused(context.outbound.metrics()), refused(before));
  assert.is(lines.length, 1);
});

test('a refusal that cannot be recorded is answered as such', async (context) => {
  context.record = () => {
    throw new Error('no disk');
  };
  for (const caller of [context.agent, context.stranger]) {
    const answer = await caller.send(context.path, get('', '/elsewhere'));
    assert.match(answer, /^HTTP\/1\.1 503[\s\S]*"code":"evidence_unavailable"/);
    for (const text of unreadable) {
      const unread = await caller.send(context.path, text);
      assert.match(unread, /^HTTP\/1\.1 503[\s\S]*"code":"evidence_unavailable"/);
    }
  }
});

test('bodies up to the limit of their route pass, longer ones never', async (context) => {
  const head = 'POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n';
  const send = (rest: string) => context.agent.send(context.path, head + rest);
  assert.match(await send(`Content-Length: 1000\r\n\r\n${'a'.repeat(1000)}`), 'HTTP/1.1 200');
  assert.match(await send('Content-Length: 1001\r\n\r\n'), '"code":"body_too_large"');
  const chunk = `3e9\r\n${'a'.repeat(1001)}\r\n0\r\n\r\n`;
  assert.match(await send(`Transfer-Encoding: chunked\r\n\r\n${chunk}`), '"code":"body_too_large"');
  assert.is(context.world.web.seen.filter(({ isComplete }) => isComplete).length, 1);
});

test('an inbound proxy that is away is a clear answer', async (context) => {
  await context.inbound.drain(0);
  const answer = await context.agent.send(context.path, get());
  assert.match(answer, /^HTTP\/1\.1 503[\s\S]*"code":"service_unavailable"/);
  assert.is(context.world.lines.at(-1)!.upstream_error, 'ECONNREFUSED');
  assert.is(context.refusals.length, 0);
});

test('who says nothing, or half of a preface, is cut', async (context) => {
  for (const text of ['', 'PRI * HTTP/2.0\r\n\r\nSM']) {
    const socket = connect(context.path);
    socket.write(text);
    await new Promise((resolve) => socket.once('close', resolve).resume());
  }
});

test('the socket is for its owner only and goes when the proxy goes', async (context) => {
  assert.is(statSync(context.path).mode & 0o777, 0o600);
  await context.outbound.drain(100);
  assert.throws(() => statSync(context.path), /ENOENT/);
});

test.run();
