// Floods, slow peers and bodies without end: bounded, cut, and others are served meanwhile.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import * as assert from 'uvu/assert';
import { closed, inboundSuite } from './testing/inbound.ts';
import { connectTls, get, openHttp2, trustDomain, until } from './testing/world.ts';

const test = inboundSuite('mesh floods');

test('ten thousand connections of one peer are bounded, and another peer is served meanwhile', async (context) => {
  const address = await context.start();
  const count = Math.min(10_000, openFilesMax() - 1000);
  if (count < 10_000) console.log(`  only ${count}: the limit of open files is ${openFilesMax()}`);
  const other = await context.world.ca.issue(`spiffe://${trustDomain}/service/caller`);
  const before = process.memoryUsage.rss();
  const script = fileURLToPath(new URL('./testing/flood.ts', import.meta.url));
  const flood = spawn(process.execPath, [script, String(address.port), String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    let isDone = false;
    flood.stdout.once('data', () => {
      isDone = true;
    });
    let served = 0;
    while (!isDone) {
      // A handshake may be among the oldest that make way: whoever is honest connects once more.
      const answer = await get(context.world, address, '/echo', [], { svid: other });
      if (answer.startsWith('HTTP/1.1 200')) served += 1;
      assert.is(flood.exitCode, null);
    }
    assert.ok(served > 0, 'served while it came in');
    // All that the flood has opened and not lost is open still.
    for (let round = 0; round < 20; round += 1) {
      const answer = await get(context.world, address, '/echo', [], { svid: other });
      assert.match(answer, /^HTTP\/1\.1 200/);
    }
    const [, refused] = /reason="service_unavailable"} (\d+)/.exec(context.proxy.metrics()) ?? [];
    // The kernel's queue bounds what comes in before the proxy can.
    assert.ok(Number(refused) > 1000, `${refused} refused`);
    const grown = process.memoryUsage.rss() - before;
    assert.ok(grown < 256 * 1024 * 1024, `${grown} bytes`);
  } finally {
    flood.kill('SIGKILL');
  }
});

/** The soft limit of this process, which its children have too. */
function openFilesMax(): number {
  const limits = readFileSync('/proc/self/limits', 'utf8');
  return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? 1_000_000);
}

test('what is over the limit of connections is closed unread', async (context) => {
  const address = await context.start({ connections: 100 });
  let closed = 0;
  const sockets = Array.from({ length: 300 }, () =>
    connect(address)
      .on('error', () => {})
      .once('close', () => {
        closed += 1;
      }),
  );
  await until(() => closed === 200, 'the end of what is too much');
  for (const socket of sockets) socket.destroy();
  await until(() => closed === 300);
  await until(() => context.proxy.metrics().includes('reason="service_unavailable"} 200'));
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

test('one agent, in whatever roles, cannot take all of a service', async (context) => {
  const address = await context.start({ streamsPerAgent: 8, serviceStreams: 12 });
  const roles = ['main', 'writer'];
  const sessions = await Promise.all(
    roles.map(async (role) => {
      const svid = await context.world.ca.issue(
        `spiffe://${trustDomain}/agent/acme/greedy/${role}`,
      );
      return openHttp2(context.world, address, { svid });
    }),
  );
  const statuses: number[] = [];
  for (let index = 0; index < 40; index += 1) {
    const stream = sessions[index % 2]!.request({ ':path': '/hang', ':method': 'GET' });
    stream.on('error', () => {}).on('response', (head) => statuses.push(Number(head[':status'])));
    stream.resume();
  }
  await until(() => statuses.length === 32, 'the refusal of all but its share');
  assert.equal(new Set(statuses), new Set([503]));
  assert.match(await get(context.world, address, '/echo'), /^HTTP\/1\.1 200/, 'others are served');
  for (const session of sessions) session.destroy();
  const again = await context.world.ca.issue(`spiffe://${trustDomain}/agent/acme/greedy/main`);
  let answer = '';
  for (let attempt = 0; attempt < 50 && !answer.startsWith('HTTP/1.1 200'); attempt += 1) {
    answer = await get(context.world, address, '/echo', [], { svid: again });
  }
  assert.match(answer, /^HTTP\/1\.1 200/, 'what has ended counts no more');
});

test('handshakes that never end make way for others', async (context) => {
  const address = await context.start({ handshakes: 20, connections: 2000 });
  const silent = Array.from({ length: 200 }, () => connect(address).on('error', () => {}));
  const refused = () => context.proxy.metrics().includes('reason="service_unavailable"} 180');
  await until(refused, 'the oldest to make way');
  assert.match(await get(context.world, address, '/echo'), /^HTTP\/1\.1 200/);
  for (const socket of silent) socket.destroy();
});

test('a handshake that never comes to its end is cut', async (context) => {
  const address = await context.start({ headTimeoutMs: 200 });
  const silent = connect(address);
  silent.on('error', () => {});
  const half = connect(address);
  half.on('error', () => {});
  half.write(Buffer.from('160301020001', 'hex'));
  await Promise.all([closed(silent), closed(half)]);
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
  await closed(socket);
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
  await closed(socket);
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
  await closed(socket);
  await until(() =>
    context.proxy.metrics().includes('platform_proxy_connections{direction="inbound"} 0'),
  );
  assert.not.ok(context.world.web.seen.some(({ isComplete }) => isComplete));
});

test('a client that leaves was refused nothing', async (context) => {
  const address = await context.start();
  const socket = await connectTls(context.world, address);
  socket.write('GET /hang HTTP/1.1\r\nhost: x\r\n\r\n');
  await until(() => context.world.web.seen.length === 1);
  socket.destroy();
  await until(() => context.world.lines.length === 1);
  assert.is(context.world.lines[0]!.reason, 'client_left');
  assert.is(context.refusals.length, 0);
});

test('a gigabyte to a route with a limit is refused early, with little memory', async (context) => {
  const address = await context.start();
  const before = process.memoryUsage.rss();
  const { answer, sent } = await sendGigabyte(await connectTls(context.world, address));
  assert.match(answer, /^HTTP\/1\.1 413/);
  assert.ok(sent < gigabyte);
  assert.ok(process.memoryUsage.rss() - before < 256 * 1024 * 1024);
  assert.not.ok(context.world.web.seen.some(({ isComplete }) => isComplete));
});

test('a gigabyte to a route without a limit streams through, with little memory', async (context) => {
  const address = await context.start({ bodyTimeoutMs: 100 });
  const servername = 'open.platform-system';
  const before = process.memoryUsage.rss();
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss() - before);
  }, 20);
  const socket = await connectTls(context.world, address, { servername });
  const { answer, sent } = await sendGigabyte(socket);
  clearInterval(watch);
  assert.match(answer, /^HTTP\/1\.1 200/);
  assert.is(sent, gigabyte);
  assert.is(context.world.web.seen[0]?.bytes, gigabyte);
  assert.ok(most > 0 && most < 256 * 1024 * 1024, `${most} bytes`);
});

const gigabyte = 1024 ** 3;

/** Sends it in chunks, as fast as they are taken, until the other side closes. */
async function sendGigabyte(socket: Socket): Promise<{ answer: string; sent: number }> {
  let answer = '';
  socket.on('data', (chunk: Buffer) => {
    answer += chunk.toString();
  });
  let sent = 0;
  const chunk = Buffer.alloc(256 * 1024, 0x61);
  const framed = Buffer.concat([Buffer.from('40000\r\n'), chunk, Buffer.from('\r\n')]);
  const more = () => {
    while (sent < gigabyte && !socket.destroyed) {
      sent += chunk.length;
      if (!socket.write(framed)) {
        socket.once('drain', more);
        return;
      }
    }
    if (sent === gigabyte) socket.write('0\r\n\r\n');
  };
  const head = 'POST /echo HTTP/1.1\r\nhost: x\r\nconnection: close\r\n';
  socket.write(`${head}transfer-encoding: chunked\r\n\r\n`);
  more();
  await closed(socket);
  return { answer, sent };
}

test.run();
