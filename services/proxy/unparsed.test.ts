// What no parser can read at the inbound proxy: a row before the answer, and not more rows than a disk can take.
import * as assert from 'uvu/assert';
import { inboundSuite } from './testing/inbound.ts';
import { agentId, connectTls, jsonOf, speak, until } from './testing/world.ts';

const test = inboundSuite('mesh unparsed');

const smuggled =
  'POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n';

test('each is a row in the name of the peer, with the id that the answer has', async (context) => {
  const address = await context.start();
  const odd = Buffer.from('GET /\xff HTTP/1.1\r\nhost: x\r\n\r\n', 'latin1');
  for (const text of [smuggled, odd, 'GARBAGE\r\n\r\n']) {
    const answer = await speak(context.world, address, [text]);
    assert.match(answer, /^HTTP\/1\.1 400/);
    const row = context.refusals.pop();
    assert.equal(
      [row?.error.code, row?.spiffeId, row?.service],
      ['request_malformed', agentId, 'web'],
    );
    assert.is(jsonOf(answer).request_id, row?.requestId);
    assert.is(context.world.lines.pop()?.request_id, row?.requestId);
    assert.is(context.refusals.length, 0);
  }
});

test('garbage instead of HTTP/2 is a row too', async (context) => {
  const address = await context.start();
  const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
  // A DATA frame on stream 0 (RFC 9113, section 6.1).
  const frame = Buffer.from('00000100000000000061', 'hex');
  const settings = Buffer.from('000000040000000000', 'hex');
  await speak(context.world, address, [preface, settings, frame], { alpn: ['h2'] });
  await until(() => context.refusals.length === 1);
  assert.is(context.refusals[0]?.spiffeId, agentId);
});

test('without evidence the answer says so', async (context) => {
  context.refusals.push = () => {
    throw new Error('no disk');
  };
  const address = await context.start();
  const answer = await speak(context.world, address, [smuggled]);
  assert.match(answer, /^HTTP\/1\.1 503/);
  assert.is(jsonOf(answer).code, 'evidence_unavailable');
});

test('a flood of it makes a bounded number of rows, and the rest is cut and counted', async (context) => {
  const address = await context.start();
  const count = 300;
  let unanswered = 0;
  const worker = async () => {
    for (let index = 0; index < count / 10; index += 1) {
      if ((await speak(context.world, address, [smuggled])) === '') unanswered += 1;
    }
  };
  const from = performance.now();
  await Promise.all(Array.from({ length: 10 }, worker));
  const seconds = (performance.now() - from) / 1000;
  assert.ok(context.refusals.length <= 100 + 10 * (seconds + 1), `${context.refusals.length} rows`);
  assert.is(context.refusals.length + unanswered, count);
  assert.ok(unanswered > 0);
  assert.match(context.proxy.metrics(), `reason="request_malformed"} ${count}`);
});

test('a client that leaves is no refusal', async (context) => {
  const address = await context.start();
  const socket = await connectTls(context.world, address);
  socket.write('GET /large?bytes=10000000 HTTP/1.1\r\nhost: x\r\n\r\n');
  socket.pause();
  await until(() => context.world.web.seen.length === 1);
  socket.destroy();
  await until(() => context.world.lines.length > 0);
  await until(() =>
    context.proxy.metrics().includes('platform_proxy_connections{direction="inbound"} 0'),
  );
  assert.is(context.refusals.length, 0);
  assert.equal(
    context.world.lines.map(({ reason }) => reason),
    ['client_left'],
  );
});

test.run();
