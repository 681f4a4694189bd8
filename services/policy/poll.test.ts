// Bundles from a server: only changed ones, only signed ones, and the last good one for as long as needed.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { writeArchive } from '../../runtime/bundle/archive.ts';
import { type BundleKeyPair, createBundleKey } from '../../runtime/bundle/keys.ts';
import { type BundleKind, signBundle } from '../../runtime/bundle/sign.ts';
import type { JsonObject } from '../../runtime/json.ts';
import { type Polling, startPolling } from './poll.ts';
import { dataBundle, policyBundle, startService, type TestService } from './testing.ts';

interface World {
  service: TestService;
  server: ReturnType<typeof createServer>;
  /** Answers the next requests. */
  answer: (request: IncomingMessage, response: ServerResponse) => void;
  requests: IncomingMessage[];
  polling: Polling;
  keys: BundleKeyPair;
}

const policy = await policyBundle();
const trusted = await createBundleKey();

async function signed(kind: BundleKind, limit: number, keys = trusted): Promise<Uint8Array> {
  const { files } = kind === 'data' ? dataBundle({ limits: { agent_minute: limit } }) : policy;
  const copy = new Map(files);
  await signBundle(copy, kind, keys.privateKey);
  return writeArchive(copy);
}

const service = await startService({ policy });
const test = suite<World>('bundle polling');
test.after(() => service.stop());

test.before.each(async (world) => {
  world.requests = [];
  world.answer = (_request, response) => response.writeHead(404).end();
  world.server = createServer((request, response) => {
    world.requests.push(request);
    world.answer(request, response);
  });
  await new Promise<void>((resolve) => world.server.listen(0, '127.0.0.1', resolve));
  world.service = service;
  const { port } = world.server.address() as AddressInfo;
  world.polling = startPolling({
    kind: 'data',
    url: `http://127.0.0.1:${port}/data.tar.gz`,
    keys: [trusted.publicKey],
    // The tests say when to look.
    intervalMs: 3_600_000,
    engine: world.service.engine,
    board: world.service.bundles,
  });
});
test.after.each(async ({ polling, server }) => {
  await polling.close();
  server.closeAllConnections();
  server.close();
});

function serves(world: World, archive: Uint8Array, etag = '"1"'): void {
  world.answer = (request, response) => {
    if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
    else response.writeHead(200, { etag }).end(archive);
  };
}

async function limitOf({ service }: World): Promise<unknown> {
  const answer = await fetch(`${service.url}/v1/data/limits/agent_minute`);
  return ((await answer.json()) as JsonObject).result;
}

async function healthOf({ service }: World, query: string): Promise<[number, string]> {
  const answer = await fetch(`${service.url}/health?${query}`);
  return [answer.status, String(((await answer.json()) as JsonObject).error ?? '')];
}

test('a signed bundle is served, and asked for again by its ETag', async (world) => {
  assert.is((await healthOf(world, 'bundles'))[0], 500);
  serves(world, await signed('data', 7));
  await world.polling.look();
  assert.is(await limitOf(world), 7);
  assert.equal(await healthOf(world, 'bundles&plugins'), [200, '']);
  await world.polling.look();
  assert.is(world.requests.at(-1)?.headers['if-none-match'], '"1"');
  assert.is(await limitOf(world), 7);
  serves(world, await signed('data', 8), '"2"');
  await world.polling.look();
  assert.is(await limitOf(world), 8);
});

test('what is bad changes nothing, and health says what it was', async (world) => {
  const good = await signed('data', 7);
  serves(world, good);
  await world.polling.look();
  const other = await createBundleKey();
  const bombs = gzipSync(Buffer.alloc(80 << 20));
  const bad: [string, Uint8Array][] = [
    ['bundle_signature_invalid', await signed('data', 9, other)],
    ['bundle_signature_missing', await writeArchive(dataBundle({ limits: {} }).files)],
    ['bundle_signature_invalid', await signed('policy', 9)],
    ['bundle_truncated', good.subarray(0, good.length / 2)],
    ['bundle_truncated', Buffer.from('<html>not a bundle</html>')],
    ['bundle_too_large', bombs],
  ];
  for (const [index, [code, archive]] of bad.entries()) {
    serves(world, archive, `"bad-${index}"`);
    await world.polling.look();
    assert.is(await limitOf(world), 7, code);
    const [status, error] = await healthOf(world, 'plugins');
    assert.is(status, 500);
    assert.match(error, `bundle data: ${code}`);
    // It still decides: readiness does not depend on the newest bundle.
    assert.equal(await healthOf(world, 'bundles'), [200, '']);
    // A refused bundle's ETag is not sent: the server has to answer with a better one.
    assert.is(world.requests.at(-1)?.headers['if-none-match'], '"1"');
  }
  serves(world, await signed('data', 10), '"good"');
  await world.polling.look();
  assert.is(await limitOf(world), 10);
  assert.equal(await healthOf(world, 'plugins'), [200, '']);
});

test('a server that fails, cuts off or answers nonsense is told apart and outlived', async (world) => {
  serves(world, await signed('data', 7));
  await world.polling.look();
  const answers: [string, World['answer']][] = [
    ['bundle_missing', (_, response) => response.writeHead(500).end('no')],
    ['bundle_missing', (_, response) => response.writeHead(204).end()],
    ['bundle_truncated', (_, response) => response.writeHead(200, { etag: '"x"' }).end()],
    [
      'bundle_truncated',
      (_, response) => {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('short');
        setImmediate(() => response.destroy());
      },
    ],
    ['service_unavailable', (request) => request.socket.destroy()],
  ];
  for (const [code, answer] of answers) {
    world.answer = answer;
    await world.polling.look();
    assert.match((await healthOf(world, 'plugins'))[1], code);
    assert.is(await limitOf(world), 7);
  }
});

test('an answer without end is cut off at the size of a bundle', async (world) => {
  let sent = 0;
  world.answer = (_request, response) => {
    const chunk = Buffer.alloc(1 << 20);
    response.writeHead(200);
    const more = () => {
      while (!response.destroyed) {
        sent += chunk.length;
        if (!response.write(chunk)) {
          response.once('drain', more);
          return;
        }
      }
    };
    more();
  };
  await world.polling.look();
  assert.match((await healthOf(world, 'plugins'))[1], 'bundle_too_large');
  assert.ok(sent < 256 * 2 ** 20, `${sent} bytes`);
});

test('closing ends a fetch that hangs', async (world) => {
  world.answer = () => undefined;
  const looking = world.polling.look();
  await world.polling.close();
  await looking;
});

test.run();
