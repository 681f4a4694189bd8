// What goes wrong on purpose: floods, slow peers, broken filters, identities that run out; nothing fails open.
import { connect, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Filter } from '../../runtime/proxywasm/filter.ts';
import { createInboundProxy, type InboundRefusal, type MeshProxy } from './inbound.ts';
import type { ProxyLimits } from './limits.ts';
import type { TcpAddress } from './listen.ts';
import { testFilter } from './testing/filter.ts';
import {
  agentId,
  connectTls,
  createWorld,
  get,
  jsonOf,
  openHttp2,
  scope,
  speak,
  trustDomain,
  until,
  type World,
} from './testing/world.ts';

interface Context {
  world: World;
  filter: Filter;
  refusals: InboundRefusal[];
  now: () => Date;
  start(limits?: Partial<ProxyLimits>): Promise<TcpAddress>;
  proxy: MeshProxy;
}

const test = suite<Context>('mesh faults');

test.before.each(async (context) => {
  const world = await createWorld();
  Object.assign(context, { world, filter: testFilter(), refusals: [], now: () => new Date() });
  context.start = async (limits = {}) => {
    context.proxy = createInboundProxy({
      listen: { host: '127.0.0.1', port: 0 },
      trustDomain,
      scope,
      source: world.source,
      denied: world.denied,
      services: world.services,
      filterFor: () => context.filter,
      accessLog: (line) => void world.lines.push(line),
      onRefused: async (refusal) => void context.refusals.push(refusal),
      clock: () => context.now(),
      limits,
      healthListen: { host: '127.0.0.1', port: 0 },
      metricsListen: { host: '127.0.0.1', port: 0 },
    });
    await context.proxy.listen();
    return context.proxy.address() as TcpAddress;
  };
});
test.after.each(async ({ proxy, world }) => {
  world.release();
  await proxy.drain(50);
  await world.close();
});

const close = (socket: Socket) =>
  new Promise<void>((resolve) => {
    if (socket.destroyed) resolve();
    else socket.once('close', () => resolve());
    socket.resume();
  });

test('three thousand connections of one machine are bounded, and others are served after them', async (context) => {
  const address = await context.start({ connections: 500 });
  const sockets: Socket[] = [];
  let closed = 0;
  for (let index = 0; index < 3000; index += 1) {
    const socket = connect(address);
    socket
      .on('error', () => {})
      .once('close', () => {
        closed += 1;
      });
    sockets.push(socket);
    if (index % 100 === 99) await new Promise((resolve) => setImmediate(resolve));
  }
  await until(() => closed === 2500, 'the end of what is too much');
  for (const socket of sockets) socket.destroy();
  await until(() => closed === 3000);
  await until(() => context.proxy.metrics().includes('reason="service_unavailable"} 2500'));
  assert.match(await get(context.world, address, '/echo'), /^HTTP\/1\.1 200/);
});

test('one identity cannot take all connections', async (context) => {
  const address = await context.start({ connectionsPerPeer: 10 });
  const sockets = await Promise.all(
    Array.from({ length: 12 }, () => connectTls(context.world, address)),
  );
  for (const socket of sockets) socket.resume();
  await until(() => sockets.filter(({ destroyed }) => destroyed).length === 2);
  const other = await context.world.ca.issue(`spiffe://${trustDomain}/service/caller`);
  assert.match(await get(context.world, address, '/echo', [], { svid: other }), /^HTTP\/1\.1 200/);
  for (const socket of sockets) socket.destroy();
});

test('a handshake that never comes to its end is cut', async (context) => {
  const address = await context.start({ headTimeoutMs: 200 });
  const silent = connect(address);
  silent.on('error', () => {});
  const half = connect(address);
  half.on('error', () => {});
  half.write(Buffer.from('160301020001', 'hex'));
  await Promise.all([close(silent), close(half)]);
});

test('a head that comes letter by letter is cut', async (context) => {
  const address = await context.start({ headTimeoutMs: 300 });
  const socket = await connectTls(context.world, address);
  const drip = setInterval(() => socket.write('x'), 20);
  socket.write('GET /echo HTTP/1.1\r\nhost: x\r\nx-slow: ');
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  await close(socket);
  clearInterval(drip);
  assert.match(text, /^HTTP\/1\.1 408/);
  assert.is(context.world.web.seen.length, 0);
});

test('a body that comes letter by letter is cut', async (context) => {
  const address = await context.start({ bodyTimeoutMs: 300 });
  const socket = await connectTls(context.world, address);
  socket.write('POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n');
  const drip = setInterval(() => socket.write('x'), 20);
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  await close(socket);
  clearInterval(drip);
  assert.match(text, /^HTTP\/1\.1 408/);
  assert.not.ok(context.world.web.seen.some(({ isComplete }) => isComplete));
});

test('an HTTP/2 session without streams ends, whatever it sends meanwhile', async (context) => {
  const address = await context.start({ idleTimeoutMs: 200 });
  const session = await openHttp2(context.world, address);
  const pings = setInterval(() => session.ping(() => {}), 20);
  await new Promise((resolve) => session.once('close', resolve));
  clearInterval(pings);
});

test('a connection that is closed on one side leaves nothing behind', async (context) => {
  const address = await context.start();
  const socket = await connectTls(context.world, address);
  socket.end('POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nhello');
  await close(socket);
  await until(() =>
    context.proxy.metrics().includes('platform_proxy_connections{direction="inbound"} 0'),
  );
  assert.not.ok(context.world.web.seen.some(({ isComplete }) => isComplete));
});

test('a gigabyte to a route with a limit is refused early, with little memory', async (context) => {
  const address = await context.start();
  const socket = await connectTls(context.world, address);
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const before = process.memoryUsage.rss();
  let sent = 0;
  const chunk = Buffer.alloc(256 * 1024, 0x61);
  const framed = Buffer.concat([Buffer.from('40000\r\n'), chunk, Buffer.from('\r\n')]);
  const gigabyte = 1024 ** 3;
  const more = () => {
    while (sent < gigabyte && !socket.destroyed) {
      sent += chunk.length;
      if (!socket.write(framed)) {
        socket.once('drain', more);
        return;
      }
    }
  };
  socket.write('POST /echo HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n');
  more();
  await close(socket);
  assert.match(text, /^HTTP\/1\.1 413/);
  assert.ok(sent < gigabyte);
  assert.ok(process.memoryUsage.rss() - before < 256 * 1024 * 1024);
  assert.not.ok(context.world.web.seen.some(({ isComplete }) => isComplete));
});

test('a filter that throws, answers nonsense or names another peer lets nothing pass', async (context) => {
  const address = await context.start();
  const honest = testFilter();
  const broken: Filter[] = [
    testFilter({
      before() {
        throw new Error('trap');
      },
    }),
    {
      stream() {
        throw new Error('no memory');
      },
      close() {},
    },
    changed((headers) => headers.filter(([name]) => name !== 'x-platform-spiffe-id')),
    changed((headers) => [...headers, ['x-platform-spiffe-id', agentId]]),
    changed((headers) =>
      headers.map(([name, value]) => [
        name,
        name === 'x-platform-spiffe-id' ? 'spiffe://platform.local/operator/local' : value,
      ]),
    ),
  ];
  for (const filter of broken) {
    context.filter = filter;
    const answer = await get(context.world, address, '/echo');
    assert.match(answer, /^HTTP\/1\.1 503/);
    assert.match(String(jsonOf(answer).code), /^module_/);
  }
  assert.is(context.world.web.seen.length, 0);
  assert.is(context.refusals.length, broken.length);

  function changed(change: (headers: [string, string][]) => [string, string][]): Filter {
    return {
      stream(properties) {
        const stream = honest.stream(properties);
        return {
          requestHeaders(headers, end) {
            const verdict = stream.requestHeaders(headers, end);
            return { ...verdict, headers: change(verdict.headers) };
          },
          responseHeaders: (headers, end) => stream.responseHeaders(headers, end),
          facts: () => stream.facts(),
          end: () => stream.end(),
        };
      },
      close() {},
    };
  }
});

test('what the filter denies is answered with its words, recorded and logged', async (context) => {
  context.filter = testFilter({ allows: () => false });
  const address = await context.start();
  const answer = await get(context.world, address, '/echo?secret=1');
  assert.match(answer, /^HTTP\/1\.1 403/);
  const { decision_id } = jsonOf(answer);
  const [refusal] = context.refusals;
  assert.is(refusal!.decisionId, decision_id);
  assert.is(refusal!.error.code, 'denied');
  assert.is(refusal!.spiffeId, agentId);
  const [line] = context.world.lines;
  assert.is(line!.decision_id, decision_id);
  assert.is(line!.reason, 'denied');
  assert.is(line!.path, '/echo');
  assert.not.match(JSON.stringify(line), 'secret');
});

test('a refusal that cannot be recorded is answered as such', async (context) => {
  context.filter = testFilter({ allows: () => false });
  context.refusals.push = () => {
    throw new Error('no disk');
  };
  const address = await context.start();
  const answer = await get(context.world, address, '/echo');
  assert.match(answer, /^HTTP\/1\.1 503/);
  assert.is(jsonOf(answer).code, 'evidence_unavailable');
});

test('with the identity server away for too long, new requests are refused and say why', async (context) => {
  const address = await context.start();
  const agent = await context.world.ca.issue(agentId, { ttlSeconds: 7200 });
  const socket = await connectTls(context.world, address, { svid: agent });
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  socket.write('GET /events HTTP/1.1\r\nhost: x\r\n\r\n');
  await until(() => text.includes('data: two'));
  assert.is((await health(context)).status, 200);
  context.world.source.isConnected = false;
  context.now = () => new Date(Date.now() + 50 * 60_000);
  const near = await health(context);
  assert.is(near.status, 200);
  assert.is(near.body.svid_near_expiry, true);
  assert.is(near.body.identity_server.connected, false);
  context.now = () => new Date(Date.now() + 61 * 60_000);
  assert.is((await health(context)).status, 503);
  // A running answer goes on to its end.
  context.world.release();
  await until(() => text.includes('data: three'));
  text = '';
  socket.write('GET /echo HTTP/1.1\r\nhost: x\r\n\r\n');
  await until(() => text.includes('\r\n\r\n'));
  assert.match(text, /^HTTP\/1\.1 503/);
  assert.is(jsonOf(text).code, 'svid_expired');
  assert.is(jsonOf(text).status, 503);
  socket.destroy();
});

async function health(context: Context) {
  const { port } = context.proxy.healthAddress() as TcpAddress;
  const answer = await fetch(`http://127.0.0.1:${port}/healthz/ready`);
  return {
    status: answer.status,
    body: (await answer.json()) as {
      svid_near_expiry: boolean;
      identity_server: { connected: boolean };
    },
  };
}

test('a clock that is five minutes off takes fresh SVIDs', async (context) => {
  const address = await context.start();
  for (const minutes of [-4.9, 5]) {
    context.now = () => new Date(Date.now() + minutes * 60_000);
    const svid = await context.world.ca.issue(agentId);
    assert.match(await get(context.world, address, '/echo', [], { svid }), /^HTTP\/1\.1 200/);
  }
});

test('an SVID that expires between two requests of one connection is refused', async (context) => {
  const address = await context.start();
  const svid = await context.world.ca.issue(agentId, { ttlSeconds: 600 });
  const socket = await connectTls(context.world, address, { svid });
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  socket.write('GET /echo HTTP/1.1\r\nhost: x\r\n\r\n');
  await until(() => text.includes('isComplete'));
  text = '';
  context.now = () => new Date(Date.now() + 11 * 60_000);
  socket.write('GET /echo HTTP/1.1\r\nhost: x\r\n\r\n');
  await until(() => text.includes('\r\n\r\n'));
  assert.is(jsonOf(text).code, 'svid_expired');
  assert.is(context.world.web.seen.length, 1);
  socket.destroy();
});

test('a service that is gone is 503 with what failed in the log, and 200 once it is back', async (context) => {
  const address = await context.start();
  const upstream = context.world.services[0]!.upstream as { path: string };
  const { path } = upstream;
  upstream.path = `${path}.gone`;
  await context.proxy.drain(0);
  const again = await context.start();
  assert.not.equal(again, address);
  const answer = await get(context.world, again, '/echo');
  assert.is(jsonOf(answer).code, 'service_unavailable');
  assert.is(context.world.lines.at(-1)!.upstream_error, 'ENOENT');
  assert.is(context.refusals.length, 0);
});

test('draining lets running streams finish and takes nothing new', async (context) => {
  const address = await context.start();
  const socket = await connectTls(context.world, address);
  const session = await openHttp2(context.world, address);
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  socket.write('GET /events HTTP/1.1\r\nhost: x\r\n\r\n');
  const stream = session.request({ ':path': '/events' });
  let second = '';
  stream.on('data', (chunk: Buffer) => {
    second += chunk.toString();
  });
  await until(() => text.includes('two') && second.includes('two'));
  const drained = context.proxy.drain(10_000);
  const code = await new Promise((resolve) => {
    connect(address).once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
  });
  assert.is(code, 'ECONNREFUSED');
  context.world.release();
  await drained;
  assert.match(text, 'three');
  assert.match(second, 'three');
});

test('no session is resumed: each connection is judged afresh', async (context) => {
  const address = await context.start();
  const first = await connectTls(context.world, address);
  let session: Buffer | undefined;
  first.on('session', (ticket: Buffer) => {
    session = ticket;
  });
  first.end('GET /echo HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  await close(first);
  const second = await connectTls(context.world, address, { session });
  assert.not.ok(second.isSessionReused());
  second.destroy();
});

test('metrics and the log say what happened, in Prometheus’ format', async (context) => {
  const address = await context.start();
  await get(context.world, address, '/echo');
  await speak(context.world, address, ['GARBAGE\r\n\r\n']);
  const { port } = context.proxy.metricsAddress() as TcpAddress;
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  const text = await answer.text();
  assert.match(
    text,
    'platform_proxy_requests_total{direction="inbound",service="web",status="200"} 1',
  );
  assert.match(
    text,
    'platform_proxy_refused_total{direction="inbound",reason="request_malformed"} 1',
  );
  const line = /^(# (TYPE|HELP) .+|[a-z_]+(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? [0-9.e+-]+)$/;
  for (const each of text.trim().split('\n')) assert.match(each, line);
});

test.run();
