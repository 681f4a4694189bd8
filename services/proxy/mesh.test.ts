// Both roles in a row: what an application says reaches the service as its identity's word, and nothing else.
import { request } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { X509Context } from '../../runtime/identity/workload/x509.ts';
import { createInboundProxy, type MeshProxy } from './inbound.ts';
import type { TcpAddress } from './listen.ts';
import { createOutboundProxy } from './outbound.ts';
import { testFilter } from './testing/filter.ts';
import { contextOf, TestSource } from './testing/source.ts';
import { agentId, createWorld, scope, trustDomain, type World } from './testing/world.ts';

interface Mesh extends World {
  inbound: MeshProxy;
  outbound: MeshProxy;
  path: string;
  callers: TestSource;
}

const test = suite<{ mesh: Mesh }>('mesh');

test.before.each(async (context) => {
  const world = await createWorld();
  const common = { trustDomain, scope, denied: world.denied };
  const accessLog = (line: X509Context | object) => void world.lines.push(line as never);
  const inbound = createInboundProxy({
    ...common,
    listen: { host: '127.0.0.1', port: 0 },
    source: world.source,
    services: world.services,
    filterFor: () => testFilter(),
    accessLog,
  });
  await inbound.listen();
  const address = inbound.address() as TcpAddress;
  const callers = new TestSource(contextOf(trustDomain, [world.agent], [world.ca]));
  const path = join(world.folder, 'out.sock');
  const outbound = createOutboundProxy({
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
  });
  await outbound.listen();
  context.mesh = { ...world, inbound, outbound, path, callers };
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
    const sent = request({ socketPath: mesh.path, path, method, headers }, (answer) => {
      let text = '';
      answer.on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
    });
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

test.run();
