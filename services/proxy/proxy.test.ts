// The proxy between real processes and a real service, with requests written byte by byte.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf } from '../../runtime/errors.ts';
import { requireProcess } from '../../runtime/identity/process.ts';
import { createEntryRegistry } from '../../runtime/identity/registry.ts';
import { Caller } from '../../runtime/testing/caller.ts';
import { serviceHeaders } from './headers.ts';
import { type AgentProxy, createProxy, type Refusal } from './proxy.ts';
import { checkTarget, isBelow } from './target.ts';

interface Seen {
  method: string | undefined;
  url: string | undefined;
  headers: [string, string][];
  body: string;
}

interface World {
  folder: string;
  socketPath: string;
  agent: Caller;
  stranger: Caller;
  entryId: string;
  proxy: AgentProxy;
  service: Server;
  registry: ReturnType<typeof createEntryRegistry>;
  seen: Seen[];
  refusals: Refusal[];
}

const test = suite<World>('proxy');

test.before.each(async (world) => {
  world.folder = mkdtempSync(join(tmpdir(), 'proxy-'));
  world.socketPath = join(world.folder, 'agent.sock');
  world.seen = [];
  world.refusals = [];
  world.registry = createEntryRegistry();
  world.agent = new Caller({ environment: { PLATFORM_ROLE: 'writer' } });
  world.stranger = new Caller();
  const self = requireProcess(process.pid);
  world.entryId = world.registry.create({
    trustDomain: 'platform.local',
    tenant: 'acme',
    agent: 'bot',
    roles: [{ name: 'writer' }],
    process: requireProcess(world.agent.pid),
    launcher: self,
    uid: process.getuid?.() ?? 0,
  }).id;
  const serviceSocketPath = join(world.folder, 'service.sock');
  world.service = echo(world.seen);
  await new Promise<void>((resolve) => world.service.listen(serviceSocketPath, resolve));
  world.proxy = createProxy({
    entryId: world.entryId,
    entries: world.registry,
    socketPath: world.socketPath,
    serviceSocketPath,
    paths: ['/api/v1/tools', '/health'],
    onRefused: async (refusal) => void world.refusals.push(refusal),
    clock: () => new Date('2026-01-02T03:04:05.006Z'),
    limits: { bodyBytes: 1000, responseTimeoutMs: 2000 },
  });
  await world.proxy.listen();
});
test.after.each(async (world) => {
  await world.agent.end();
  await world.stranger.end();
  await world.proxy.close(100);
  world.service.closeAllConnections();
  await new Promise((resolve) => world.service.close(resolve));
  rmSync(world.folder, { recursive: true });
});

/** Answers with 200 and keeps what arrived; the path /api/v1/tools/hang is never answered. */
function echo(seen: Seen[]): Server {
  return createServer((request, response) => {
    const headers: [string, string][] = [];
    for (let index = 0; index < request.rawHeaders.length; index += 2) {
      headers.push([request.rawHeaders[index] ?? '', request.rawHeaders[index + 1] ?? '']);
    }
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      seen.push({ method: request.method, url: request.url, headers, body });
      if (request.url === '/api/v1/tools/hang') return;
      response.setHeader('keep-alive', 'timeout=9');
      response.end('{"ok":true}');
    });
  });
}

const get = (headers: string): string =>
  `GET /api/v1/tools HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`;

test('the service hears who calls from the proxy and from nobody else', async (world) => {
  const answer = await world.agent.send(
    world.socketPath,
    get(
      'X-Platform-Spiffe-Id: spiffe://platform.local/agent/acme/bot/admin\r\n' +
        'x-platform-spiffe-id: spiffe://platform.local/operator/local\r\n' +
        'x_platform_spiffe_id: a\r\nX-PLATFORM-SPIFFE-ROLE: b\r\nx-platform-request-id: c\r\n' +
        'x-platform-time: d\r\nx-platform-salt: e\r\nCookie: f\r\nauthorization: g\r\n' +
        'Connection: x-platform-approval\r\nX-Forwarded-For: h\r\nAccept: application/json\r\n',
    ),
  );
  assert.match(answer, 'HTTP/1.1 200');
  assert.not.match(answer, 'timeout=9');
  const names = world.seen[0]?.headers.map(([name]) => name.toLowerCase()).sort();
  assert.equal(names, [
    'accept',
    'host',
    'x-platform-request-id',
    'x-platform-salt',
    'x-platform-spiffe-id',
    'x-platform-time',
  ]);
  const headers = Object.fromEntries(world.seen[0]?.headers ?? []);
  assert.is(headers['x-platform-spiffe-id'], 'spiffe://platform.local/agent/acme/bot/writer');
  assert.is(headers['x-platform-time'], '2026-01-02T03:04:05.006Z');
  assert.match(headers['x-platform-salt'] ?? '', /^[0-9a-f]{64}$/);
  assert.match(headers['x-platform-request-id'] ?? '', /^[0-9a-f-]{36}$/);
});

test('an unknown process gets a problem document and leaves a refusal', async (world) => {
  const answer = await world.stranger.send(world.socketPath, get(''));
  assert.match(answer, 'HTTP/1.1 403');
  assert.match(answer, 'application/problem+json');
  assert.match(answer, '"code":"caller_unknown"');
  assert.is(world.seen.length, 0);
  assert.is(world.refusals[0]?.error.code, 'caller_unknown');
  assert.is(world.refusals[0]?.pid, world.stranger.pid);
});

test('another agent may not use this agent’s socket', async (world) => {
  world.registry.create({
    trustDomain: 'platform.local',
    tenant: 'acme',
    agent: 'other',
    roles: [],
    process: requireProcess(world.stranger.pid),
    launcher: requireProcess(process.pid),
    uid: process.getuid?.() ?? 0,
  });
  const answer = await world.stranger.send(world.socketPath, get(''));
  assert.match(answer, '"code":"caller_unknown"');
  assert.is(world.seen.length, 0);
});

test('a role that the agent does not declare is refused with its own code', async (world) => {
  const answer = await world.agent.send(world.socketPath, get(''), {
    childEnvironment: { PLATFORM_ROLE: 'admin' },
  });
  assert.match(answer, '"code":"role_not_allowed"');
  assert.is(world.refusals.length, 1);
});

test('an entry deleted between two requests of one connection is refused at once', async (world) => {
  world.service.once('request', () => world.registry.delete(world.entryId));
  const first = 'GET /api/v1/tools HTTP/1.1\r\nHost: x\r\n\r\n';
  const answer = await world.agent.send(world.socketPath, first, { next: get('') });
  assert.match(answer, /200 OK[\s\S]*403 Forbidden[\s\S]*caller_unknown/);
  assert.is(world.seen.length, 1);
});

test('no smuggled second request reaches the service', async (world) => {
  const smuggled = 'GET /api/v1/tools/smuggled HTTP/1.1\r\nHost: x\r\n\r\n';
  const attempts = [
    `POST /api/v1/tools HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    `POST /api/v1/tools HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
    `POST /api/v1/tools HTTP/1.1\r\nHost: x\r\nContent-Length: +0\r\n\r\n${smuggled}`,
    `POST /api/v1/tools HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    `POST /api/v1/tools HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${smuggled}`,
    `POST /api/v1/tools HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${smuggled}`,
    `POST /api/v1/tools HTTP/1.1\r\nHost: x\r\nTransfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n${smuggled}`,
    `POST /api/v1/tools HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\n\r\nabcde\r\n0\r\n\r\n${smuggled}`,
    `GET /api/v1/tools HTTP/1.1\r\nHost: x\r\n X-Folded: a\r\nContent-Length: 0\r\n\r\n`,
    `GET /api/v1/tools HTTP/1.1\nHost: x\n\n${smuggled}`,
  ];
  for (const attempt of attempts) {
    const answer = await world.agent.send(world.socketPath, attempt);
    assert.match(answer, /^HTTP\/1\.1 4\d\d /, attempt);
    assert.is(world.seen.length, 0, attempt);
  }
});

test('targets that readers could take differently are refused', async (world) => {
  const targets = [
    '/api/v1/approvals',
    '/api/v1/tools/../approvals',
    '/api/v1/tools/%2e%2e/approvals',
    '/api/v1/tools%2f..%2fapprovals',
    '/api/v1//tools',
    '/api/v1/toolsx',
    'http://x/api/v1/tools',
    '/api/v1/tools/a\\b',
    '/api/v1/tools/a#b',
    '/api/v1/tools/%00',
    '/api/v1/tools/%zz',
    '*',
  ];
  for (const target of targets) {
    const raw = `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    assert.match(await world.agent.send(world.socketPath, raw), /^HTTP\/1\.1 40[04] /, target);
  }
  assert.is(world.seen.length, 0);
});

test('what an attested caller is refused leaves a refusal in its name', async (world) => {
  const from = (target: string) =>
    world.agent.send(world.socketPath, get('').replace('/api/v1/tools', target));
  await from('/api/v1/approvals');
  await from('/api/v1/tools/%2e%2e/approvals');
  await world.agent.send(world.socketPath, get('accept: a\r\nAccept: b\r\n'));
  const writer = 'spiffe://platform.local/agent/acme/bot/writer';
  assert.equal(
    world.refusals.map(({ error, spiffeId }) => [error.code, spiffeId]),
    [
      ['route_unknown', writer],
      ['request_malformed', writer],
      ['request_malformed', writer],
    ],
  );
});

test('a refusal that cannot be recorded is answered as such', async (world) => {
  world.refusals.push = () => {
    throw new Error('no disk');
  };
  for (const caller of [world.agent, world.stranger]) {
    const raw = get('').replace('/api/v1/tools', '/api/v1/approvals');
    const answer = await caller.send(world.socketPath, raw);
    assert.match(answer, /^HTTP\/1\.1 503[\s\S]*"code":"evidence_unavailable"/);
  }
});

test('a repeated header that travels on is refused', async (world) => {
  const approvals = get('x-platform-approval: a\r\nX-Platform-Approval: b\r\n');
  assert.match(await world.agent.send(world.socketPath, approvals), '"code":"request_malformed"');
  assert.is(world.seen.length, 0);
});

test('bodies over the limit are refused, declared or streamed', async (world) => {
  const head = 'POST /api/v1/tools/a/execute HTTP/1.1\r\nHost: x\r\nConnection: close\r\n';
  const fits = await world.agent.send(
    world.socketPath,
    `${head}Content-Length: 1000\r\n\r\n${'a'.repeat(1000)}`,
  );
  assert.match(fits, 'HTTP/1.1 200');
  assert.is(world.seen[0]?.body.length, 1000);
  const declared = await world.agent.send(world.socketPath, `${head}Content-Length: 1001\r\n\r\n`);
  assert.match(declared, '"code":"body_too_large"');
  const chunk = `3e9\r\n${'a'.repeat(1001)}\r\n0\r\n\r\n`;
  const streamed = await world.agent.send(
    world.socketPath,
    `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`,
  );
  assert.match(streamed, '"code":"body_too_large"');
  assert.is(world.seen.length, 1);
});

test('a service that hangs or is not there is a clear answer', async (world) => {
  const hang = 'GET /api/v1/tools/hang HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  assert.match(await world.agent.send(world.socketPath, hang), '"code":"service_unavailable"');
  world.service.closeAllConnections();
  await new Promise((resolve) => world.service.close(resolve));
  const answer = await world.agent.send(world.socketPath, get(''));
  assert.match(answer, /^HTTP\/1\.1 503[\s\S]*"code":"service_unavailable"/);
  await new Promise<void>((resolve) =>
    world.service.listen(join(world.folder, 'service.sock'), resolve),
  );
  assert.match(await world.agent.send(world.socketPath, get('')), 'HTTP/1.1 200');
});

test('the socket is for its owner only and goes when the proxy goes', async (world) => {
  assert.is(statSync(world.socketPath).mode & 0o777, 0o600);
  await world.proxy.close(100);
  assert.throws(() => statSync(world.socketPath), /ENOENT/);
});

test('whatever headers a client sends, identity and facts are the proxy’s', () => {
  const facts = { spiffeId: 'S', requestId: 'R', time: 'T', salt: 'X' };
  const name = fc.oneof(
    fc.constantFrom('x-platform-spiffe-id', 'X-Platform-Salt', 'x-platform-time', 'Accept'),
    fc.string({ maxLength: 20 }),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(name, fc.string({ maxLength: 20 }))), (pairs) => {
      let headers: Record<string, string>;
      try {
        headers = serviceHeaders(pairs.flat(), facts);
      } catch (error) {
        return codeOf(error) === 'request_malformed';
      }
      const platform = Object.entries(headers).filter(([key]) => key.startsWith('x-platform-'));
      return (
        platform.every(
          ([key, value]) => key === 'x-platform-approval' || Object.values(facts).includes(value),
        ) && headers['x-platform-spiffe-id'] === 'S'
      );
    }),
    { numRuns: 2000 },
  );
});

test('whatever passes as a target is the path that a strict reader sees', () => {
  const part = fc.constantFrom('/', '.', '..', '%2e', '%2F', '%5c', 'tools', 'api', 'v1', '?', '#');
  const target = fc.array(fc.oneof(part, fc.string({ maxLength: 3 })), { maxLength: 8 });
  fc.assert(
    fc.property(target, (parts) => {
      const text = `/api/v1/tools${parts.join('')}`;
      try {
        if (!isBelow(checkTarget('GET', text), '/api/v1/tools')) return true;
      } catch (error) {
        return ['request_malformed', 'route_unknown'].includes(codeOf(error));
      }
      const path = text.split('?')[0] ?? '';
      const url = new URL(text, 'http://x');
      return url.pathname === path && `${path}/`.startsWith('/api/v1/tools/');
    }),
    { numRuns: 5000 },
  );
});

test.run();
