// Clients that leave at the worst moment: the process goes on, and so does everybody else.
import { constants } from 'node:http2';
import * as assert from 'uvu/assert';
import { inboundSuite } from './testing/inbound.ts';
import { get, openHttp2, until } from './testing/world.ts';

const test = inboundSuite('resets');

test('a stream that is reset while its refusal is put on record ends nothing but itself', async (context) => {
  const address = await context.start();
  const release: (() => void)[] = [];
  context.record = () => new Promise<void>((resolve) => void release.push(resolve));
  const session = await openHttp2(context.world, address);
  session.on('error', () => {});
  const paths = ['//x', '/a/../b', '/%2e'];
  for (const path of paths) {
    const stream = session.request({ ':path': path, ':method': 'GET' });
    stream.on('error', () => {});
    await until(() => release.length > 0, 'a refusal to be put on record');
    stream.close(constants.NGHTTP2_CANCEL);
    await new Promise((resolve) => stream.once('close', resolve));
    // The reset has to arrive before the row is there.
    await new Promise((resolve) => session.ping(resolve));
    release.shift()?.();
  }
  session.destroy();
  assert.match(await get(context.world, address, '/echo'), /^HTTP\/1\.1 200/);
  assert.is(context.refusals.length, paths.length);
});

test('streams that are reset in the packet that opens them end nothing but themselves', async (context) => {
  const address = await context.start();
  const session = await openHttp2(context.world, address);
  session.on('error', () => {});
  const asked = [
    { ':path': '/echo', ':method': 'GET' },
    { ':path': '//x', ':method': 'GET' },
    { ':path': '/echo', ':method': 'POST', 'content-length': '5', expect: '100-continue' },
    { ':path': '/nothing', ':method': 'POST' },
  ];
  for (let round = 0; round < 25; round += 1) {
    for (const headers of asked) {
      const stream = session.request(headers);
      stream.on('error', () => {});
      stream.close(constants.NGHTTP2_CANCEL);
    }
    await new Promise((resolve) => session.ping(resolve));
  }
  session.destroy();
  assert.match(await get(context.world, address, '/echo'), /^HTTP\/1\.1 200/);
});

test.run();
