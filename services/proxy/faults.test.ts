// Broken filters, identities that run out, services that are gone: nothing fails open, and it is told.
import { connect } from 'node:net';
import * as assert from 'uvu/assert';
import type { Filter } from '../../runtime/proxywasm/filter.ts';
import type { TcpAddress } from './listen.ts';
import { testFilter } from './testing/filter.ts';
import { type Context, closed, inboundSuite } from './testing/inbound.ts';
import { agentId, connectTls, get, jsonOf, openHttp2, speak, until } from './testing/world.ts';

const test = inboundSuite('mesh faults');

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
          requestBody: (chunk, end) => stream.requestBody(chunk, end),
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
  // Said and counted, and nothing more: running workloads go on until their SVIDs expire.
  context.world.denied.staleMs = 3_600_500;
  assert.is((await health(context)).body.deny_list_stale_seconds, 3600);
  assert.match(
    context.proxy.metrics(),
    'platform_proxy_deny_list_stale_seconds{direction="inbound"} 3600',
  );
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
      deny_list_stale_seconds: number;
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
  await closed(first);
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
