// Both roles in a row: what an application says reaches the service as its identity's word, and nothing else.
import { type IncomingMessage, request } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { IdentityError } from '../../runtime/errors.ts';
import type { JsonObject } from '../../runtime/json.ts';
import { testCa } from '../../runtime/testing/certificates.ts';
import { createInboundProxy, type InboundConfig, type MeshProxy } from './inbound.ts';
import type { TcpAddress } from './listen.ts';
import { createOutboundProxy, type OutboundConfig, type OutboundRefusal } from './outbound.ts';
import { testFilter } from './testing/filter.ts';
import { contextOf, TestSource } from './testing/source.ts';
import { agentId, createWorld, scope, trustDomain, until, type World } from './testing/world.ts';

interface Mesh extends World {
  inbound: MeshProxy;
  outbound: MeshProxy;
  inboundConfig: InboundConfig;
  outboundConfig: OutboundConfig;
  path: string;
  callers: TestSource;
}

const test = suite<{ mesh: Mesh }>('mesh');

test.before.each(async (context) => {
  const world = await createWorld();
  const common = { trustDomain, scope, denied: world.denied };
  const accessLog = (line: JsonObject) => void world.lines.push(line);
  const inboundConfig: InboundConfig = {
    ...common,
    listen: { host: '127.0.0.1', port: 0 },
    source: world.source,
    services: world.services,
    filterFor: () => testFilter(),
    accessLog,
  };
  const inbound = createInboundProxy(inboundConfig);
  await inbound.listen();
  const address = inbound.address() as TcpAddress;
  const callers = new TestSource(contextOf(trustDomain, [world.agent], [world.ca]));
  const path = join(world.folder, 'out.sock');
  const outboundConfig: OutboundConfig = {
    ...common,
    listen: { path },
    sourceFor: () => callers,
    routes: world.services.map(({ name, spiffeId, serverNames, bodyBytes }) => ({
      paths: ['/'],
      authorities: [name],
      service: { name, spiffeId, serverName: serverNames[0]!, address },
      bodyBytes,
    })),
    accessLog,
  };
  const outbound = createOutboundProxy(outboundConfig);
  await outbound.listen();
  context.mesh = { ...world, inbound, outbound, inboundConfig, outboundConfig, path, callers };
});
test.after.each(async ({ mesh }) => {
  await mesh.outbound.drain(200);
  await mesh.inbound.drain(200);
  await mesh.close();
});

function call(
  mesh: Mesh,
  host: string,
  path: string,
  body?: string,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const headers = { host, 'x-platform-spiffe-id': 'spiffe://platform.local/operator/local' };
    const sent = request(
      { socketPath: mesh.path, path, method, headers, agent: false },
      (answer) => {
        let text = '';
        answer.on('data', (chunk) => {
          text += chunk;
        });
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

test('a request passes both proxies under the identity of its caller', async ({ mesh }) => {
  const answer = await call(mesh, 'web', '/echo?secret=1', 'hello');
  assert.is(answer.status, 200);
  const headers = Object.fromEntries(mesh.web.seen[0]!.headers);
  assert.is(headers['x-platform-spiffe-id'], agentId);
  assert.is(mesh.web.seen[0]!.target, '/echo?secret=1');
  assert.is(mesh.lines.length, 2);
  assert.not.match(JSON.stringify(mesh.lines), 'secret');
});

test('both ends write down the same request and decision, which the service cannot forge', async ({
  mesh,
}) => {
  let allows = true;
  const inbound = createInboundProxy({
    ...mesh.inboundConfig,
    filterFor: () => testFilter({ allows: () => allows }),
    onRefused: async () => {},
  });
  await inbound.listen();
  const address = inbound.address() as TcpAddress;
  const [web] = mesh.outboundConfig.routes;
  const path = join(mesh.folder, 'ids.sock');
  const routes = [{ ...web!, service: { ...web!.service, address } }];
  const outbound = createOutboundProxy({ ...mesh.outboundConfig, listen: { path }, routes });
  await outbound.listen();
  const ask = async (target: string) => {
    const answer = await fetchOver(path, target);
    await until(() => mesh.lines.length === 2);
    const [first, second] = mesh.lines.splice(0);
    assert.match(String(first!.decision_id), /^[0-9a-f]{64}$/);
    assert.match(String(first!.request_id), /^[0-9a-f-]{36}$/);
    assert.is(first!.decision_id, second!.decision_id);
    assert.is(first!.request_id, second!.request_id);
    assert.is(answer.headers['x-platform-request-id'], first!.request_id);
    assert.is(answer.headers['x-platform-mesh-decision'], undefined);
    return answer.statusCode;
  };
  assert.is(await ask('/echo'), 200);
  assert.is(await ask('/forged'), 200);
  allows = false;
  assert.is(await ask('/echo'), 403);
  await outbound.drain(100);
  await inbound.drain(100);
});

test('an answer of the outbound proxy itself has its request id in the head', async ({ mesh }) => {
  const path = mesh.path;
  const answer = await fetchOver(path, '/echo', 'nowhere');
  assert.is(answer.statusCode, 404);
  assert.is(answer.headers['x-platform-request-id'], mesh.lines[0]!.request_id);
});

function fetchOver(socketPath: string, path: string, host = 'web'): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, path, headers: { host }, agent: false }, (answer) => {
      answer.resume().once('end', () => resolve(answer));
    });
    sent.on('error', reject).end();
  });
}

test('HTTP/2 stays HTTP/2 with its trailers', async ({ mesh }) => {
  const session = connectHttp2('http://grpc', { createConnection: () => connect(mesh.path) });
  const stream = session.request({ ':method': 'POST', ':path': '/test.Echo/Say', te: 'trailers' });
  const trailers = new Promise<Record<string, unknown>>((resolve) =>
    stream.once('trailers', resolve),
  );
  let text = '';
  stream.on('data', (chunk) => {
    text += chunk;
  });
  stream.end('one message');
  assert.is((await trailers)['grpc-status'], '0');
  assert.is(text, 'one message');
  session.close();
});

test('a new CA and new SVIDs in the middle of traffic fail no request', async ({ mesh }) => {
  const next = await testCa(trustDomain);
  const both = [mesh.ca, next];
  const renewed = await next.issue(agentId);
  const services = await Promise.all(mesh.services.map(({ spiffeId }) => next.issue(spiffeId)));
  const statuses: number[] = [];
  const workers = Array.from({ length: 4 }, async () => {
    for (let round = 0; round < 50; round += 1) {
      const body = round % 2 === 0 ? undefined : 'hello';
      statuses.push((await call(mesh, 'web', '/echo', body)).status);
    }
  });
  const oldServices = mesh.source.current().svids;
  await until(() => statuses.length > 40);
  mesh.callers.set(contextOf(trustDomain, [mesh.agent], both));
  mesh.source.set({ ...contextOf(trustDomain, [], both), svids: oldServices });
  await until(() => statuses.length > 80);
  mesh.callers.set(contextOf(trustDomain, [renewed], both));
  await until(() => statuses.length > 120);
  mesh.source.set(contextOf(trustDomain, services, both));
  await Promise.all(workers);
  assert.equal(
    statuses.filter((status) => status !== 200),
    [],
  );
  assert.is(statuses.length, 200);
  // What began under the old SVID is gone; the new connections show the new one.
  mesh.callers.set(contextOf(trustDomain, [renewed], [next]));
  assert.is((await call(mesh, 'web', '/echo')).status, 200);
});

test('two callers never share a connection', async ({ mesh }) => {
  const other = `spiffe://${trustDomain}/agent/acme/other/writer`;
  const sources = new Map([
    [agentId, mesh.callers],
    [other, new TestSource(contextOf(trustDomain, [await mesh.ca.issue(other)], [mesh.ca]))],
  ]);
  const turns = [agentId, other];
  let turn = 0;
  const closed: string[] = [];
  const proxy = createOutboundProxy({
    ...mesh.outboundConfig,
    listen: { path: join(mesh.folder, 'two.sock') },
    attest: () => {
      const spiffeId = turns[turn++ % 2]!;
      return { spiffeId, stillThere: () => true, close: () => void closed.push(spiffeId) };
    },
    sourceFor: (id) => sources.get(id ?? '')!,
  });
  await proxy.listen();
  const two = { ...mesh, path: join(mesh.folder, 'two.sock') };
  for (let round = 0; round < 10; round += 1) {
    assert.is((await call(two, 'web', '/echo')).status, 200);
    const seen = Object.fromEntries(mesh.web.seen.at(-1)!.headers);
    assert.is(seen['x-platform-spiffe-id'], turns[round % 2]);
  }
  await proxy.drain(100);
  assert.is(closed.length, 10);
});

test('whom nobody knows, and who is gone, gets a problem and leaves a refusal', async ({
  mesh,
}) => {
  const refusals: OutboundRefusal[] = [];
  let knows = false;
  let isThere = true;
  const proxy = createOutboundProxy({
    ...mesh.outboundConfig,
    listen: { path: join(mesh.folder, 'who.sock') },
    attest() {
      if (knows) return { spiffeId: agentId, pid: 7, uid: 8, stillThere: () => isThere };
      throw new IdentityError('caller_unknown', 'nobody', { data: { pid: 5, uid: 6 } });
    },
    onRefused: async (refusal) => void refusals.push(refusal),
  });
  await proxy.listen();
  const who = { ...mesh, path: join(mesh.folder, 'who.sock') };
  const codes = async () => JSON.parse((await call(who, 'web', '/echo')).text).code;
  assert.is(await codes(), 'caller_unknown');
  knows = true;
  assert.is(await codes(), undefined);
  isThere = false;
  assert.is(await codes(), 'caller_unknown');
  isThere = true;
  assert.is(JSON.parse((await call(who, 'nowhere', '/echo')).text).code, 'route_unknown');
  mesh.denied.deny(agentId);
  assert.is(await codes(), 'svid_denied');
  assert.equal(
    refusals.map(({ pid, uid, spiffeId, error }) => [pid, uid, spiffeId, error.code]),
    [
      [5, 6, undefined, 'caller_unknown'],
      [7, 8, agentId, 'caller_unknown'],
      [7, 8, agentId, 'route_unknown'],
      [7, 8, agentId, 'svid_denied'],
    ],
  );
  assert.is(mesh.web.seen.length, 1);
  await proxy.drain(100);
});

test('an answer from whoever is not the service is not believed', async ({ mesh }) => {
  const [web] = mesh.services;
  const impostor = createInboundProxy({
    ...mesh.inboundConfig,
    services: [{ ...web!, spiffeId: mesh.services[2]!.spiffeId }],
  });
  await impostor.listen();
  const path = join(mesh.folder, 'impostor.sock');
  const proxy = createOutboundProxy({
    ...mesh.outboundConfig,
    listen: { path },
    routes: [
      {
        paths: ['/'],
        service: {
          ...{ name: 'web', spiffeId: web!.spiffeId, serverName: web!.serverNames[0]! },
          address: impostor.address() as TcpAddress,
        },
      },
    ],
  });
  await proxy.listen();
  const answer = await call({ ...mesh, path }, 'web', '/echo');
  assert.is(answer.status, 503);
  assert.is(mesh.lines.at(-1)!.upstream_error, 'svid_invalid');
  assert.is(mesh.web.seen.length, 0);
  await proxy.drain(100);
  await impostor.drain(100);
});

test('an own SVID that has expired is 503, and says so', async ({ mesh }) => {
  const now = new Date(Date.now() - 7_200_000);
  const expired = await mesh.ca.issue(agentId, { now, ttlSeconds: 3600 });
  mesh.callers.set(contextOf(trustDomain, [expired], [mesh.ca]));
  const answer = await call(mesh, 'web', '/echo');
  assert.is(answer.status, 503);
  assert.is(JSON.parse(answer.text).code, 'svid_expired');
});

test('WebSockets pass both proxies', async ({ mesh }) => {
  const socket = new WebSocket(`ws+unix:${mesh.path}:/websocket`, { headers: { host: 'web' } });
  const heard = new Promise<string>((resolve) =>
    socket.once('message', (data) => resolve(data.toString())),
  );
  socket.once('open', () => socket.send('hello'));
  assert.is(await heard, 'hello');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  mesh.denied.deny(agentId);
  await closed;
});

test('what an application may say for itself, and what not', async ({ mesh }) => {
  const headers = {
    ...{ host: 'web', 'x-platform-approval': 'a', 'x-platform-on-behalf-of': agentId },
    ...{ 'x-platform-time': 'b', x_platform_salt: 'c', 'x-mine': 'd' },
  };
  await new Promise((resolve) => {
    const sent = request({ socketPath: mesh.path, path: '/echo', headers }, resolve);
    sent.end();
  });
  const seen = Object.fromEntries(mesh.web.seen[0]!.headers);
  assert.is(seen['x-platform-approval'], 'a');
  assert.is(seen['x-platform-on-behalf-of'], undefined);
  assert.is(seen['x-mine'], 'd');
  assert.is(seen.x_platform_salt, undefined);
  assert.not.equal(seen['x-platform-time'], 'b');
});

test.run();
