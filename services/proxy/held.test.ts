// Bodies that wait for a decision: how many, how long, for whom, and what is left of them.
import * as assert from 'uvu/assert';
import { readsListing, testFilter } from './testing/filter.ts';
import { closed, inboundSuite } from './testing/inbound.ts';
import { agentId, connectTls, jsonOf, speak, until } from './testing/world.ts';

const test = inboundSuite('held bodies');
const listing = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
const head = (length: number) =>
  `POST /mcp HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: ${length}\r\n\r\n`;

test.before.each((context) => {
  context.filter = testFilter({ reads: readsListing });
});

test('a body that does not arrive in time is answered, and nothing of it was passed on', async (context) => {
  const address = await context.start({ bodyTimeoutMs: 300 });
  const answer = await speak(context.world, address, [head(listing.length), '{"json']);
  assert.match(answer, /^HTTP\/1\.1 408/);
  assert.is(jsonOf(answer).code, 'request_timeout');
  assert.is(context.world.web.seen.length, 0);
  assert.is(context.refusals[0]!.error.code, 'request_timeout');
});

test('the bodies of one agent, on however many connections, and of all are held within their bounds and no longer than needed', async (context) => {
  for (const limits of [{ heldBytes: 150_000 }, { heldBytesPerAgent: 150_000 }]) {
    const address = await context.start(limits);
    const text = listing.padEnd(90_000);
    const waiting = await connectTls(context.world, address);
    waiting.write(head(text.length));
    waiting.write(text.slice(0, 70_000));
    await new Promise((resolve) => setTimeout(resolve, 100));
    const refused = await speak(context.world, address, [head(text.length), text]);
    assert.match(refused, /^HTTP\/1\.1 503/);
    assert.is(jsonOf(refused).code, 'service_unavailable');
    assert.is(context.world.web.seen.length, 0);
    waiting.destroy();
    await until(() => context.world.lines.some((line) => line.bytes_received === 70_000));
    for (let time = 0; time < 3; time += 1) {
      const short = listing.padEnd(60_000);
      const answer = await speak(context.world, address, [head(short.length), short]);
      assert.match(answer, /^HTTP\/1\.1 200/);
    }
    assert.is(context.world.web.seen.splice(0).length, 3);
    context.world.lines.splice(0);
    await context.proxy.drain(50);
  }
});

test('a body that a filter lets pass by its beginning goes on whole', async (context) => {
  context.filter = testFilter({ reads: readsListing, glances: true });
  const address = await context.start();
  const text = listing.padEnd(100_000);
  const waiting = await connectTls(context.world, address);
  waiting.write(head(text.length));
  waiting.write(text.slice(0, 40_000));
  await new Promise((resolve) => setTimeout(resolve, 100));
  waiting.write(text.slice(40_000));
  await until(() => context.world.web.seen[0]?.isComplete === true, 'the whole body');
  assert.is(context.world.web.seen[0]!.bytes, text.length);
  waiting.destroy();
});

test('an identity that is taken away while its body waits reaches nothing', async (context) => {
  const address = await context.start();
  const waiting = await connectTls(context.world, address);
  waiting.write(head(listing.length));
  waiting.write(listing.slice(0, 5));
  await new Promise((resolve) => setTimeout(resolve, 50));
  context.world.denied.deny(agentId);
  waiting.write(listing.slice(5));
  await closed(waiting);
  assert.is(context.world.web.seen.length, 0);
});

test('what is refused by its body is told with the body that was read, and the line names the message', async (context) => {
  const address = await context.start();
  const text = '{"jsonrpc":"2.0","id":1,"method":"tools/drop"}';
  await speak(context.world, address, [head(text.length), text]);
  const [refusal] = context.refusals;
  assert.is(Buffer.from(refusal!.message!.request.body).toString(), text);
  assert.is(refusal!.message!.request.target, '/mcp');
  assert.is(refusal!.message!.salt.length, 32);
  assert.is(context.world.lines[0]!.bytes_received, text.length);
  assert.not.match(JSON.stringify(context.world.lines), 'drop');
});

test('what is refused before its body came is told as what the filter decided on', async (context) => {
  context.filter = testFilter({ allows: () => false });
  const address = await context.start();
  const ask = (request: string) => speak(context.world, address, [request]);
  assert.match(await ask(head(5_000_000)), /^HTTP\/1\.1 403/);
  assert.match(await ask(head(listing.length)), /^HTTP\/1\.1 403/);
  // That the body broke off is another refusal, which nothing was decided about.
  const told = context.refusals.filter(({ decisionId }) => decisionId !== undefined);
  const [large, small, ...more] = told.map(({ message }) => message!.request.body.length);
  assert.ok(large! > 1 << 20);
  assert.is(small, 0);
  assert.is(more.length, 0);
});

test.run();
