// The contract's checks on long and large traffic: streams, events, WebSockets, readers that are slow.
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import type { AddCheck } from './contract.ts';
import { connectTls, openHttp2, until } from './testing/world.ts';

const largeBytes = 64 * 1024 * 1024;

/** Adds what has to hold of traffic: bodies, streams, trailers, upgrades and ends. */
export function trafficChecks(check: AddCheck): void {
  check('keeps a connection for many requests, in order', async ({ world, subject }) => {
    const socket = await connectTls(world, subject.address);
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    for (let index = 0; index < 20; index += 1) {
      socket.write(`GET /echo?n=${index} HTTP/1.1\r\nhost: x\r\n\r\n`);
    }
    await until(() => text.split('HTTP/1.1 200').length === 21, 'twenty answers');
    const order = [...text.matchAll(/echo\?n=(\d+)/g)].map(([, n]) => Number(n));
    assert.equal(order, [...Array(20).keys()]);
    socket.destroy();
  });

  check('carries many HTTP/2 streams at once', async ({ world, subject }) => {
    const session = await openHttp2(world, subject.address);
    const bodies = await Promise.all(
      Array.from({ length: 50 }, (_, index) => post(session, `/echo?n=${index}`, 'x'.repeat(1000))),
    );
    assert.ok(bodies.every((text) => JSON.parse(text).bytes === 1000));
    session.destroy();
  });

  check('translates HTTP/2 for a service that speaks HTTP/1.1', async ({ world, subject }) => {
    const session = await openHttp2(world, subject.address);
    const stream = session.request({
      ...{ ':method': 'POST', ':path': '/echo' },
      cookie: ['a=1', 'b=2'],
    });
    stream.end('hello');
    await textOf(stream);
    const [seen] = world.web.seen;
    assert.is(seen!.bytes, 5);
    const headers = Object.fromEntries(seen!.headers);
    assert.is(headers.cookie, 'a=1; b=2');
    assert.is(seen!.headers.filter(([name]) => name === 'cookie').length, 1);
    session.destroy();
  });

  check('carries gRPC both ways at once, with trailers', async ({ world, subject }) => {
    const session = await openHttp2(world, subject.address, { servername: 'grpc.platform-system' });
    const stream = session.request({
      ...{ ':method': 'POST', ':path': '/test.Echo/Talk', te: 'trailers' },
      'content-type': 'application/grpc',
    });
    let heard = '';
    stream.on('data', (chunk: Buffer) => {
      heard += chunk.toString();
    });
    const trailers = new Promise<Record<string, unknown>>((resolve) =>
      stream.once('trailers', resolve),
    );
    for (const word of ['one', 'two', 'three']) {
      stream.write(word);
      await until(() => heard.endsWith(word), `the answer to ${word}`);
    }
    stream.end();
    const last = await trailers;
    assert.is(last['grpc-status'], '0');
    assert.is(last['x-last'], 'yes');
    session.destroy();
  });

  check('carries a gRPC answer of trailers only', async ({ world, subject }) => {
    const session = await openHttp2(world, subject.address, { servername: 'grpc.platform-system' });
    const stream = session.request({
      ...{ ':method': 'POST', ':path': '/test.Echo/Refuse', te: 'trailers' },
      'content-type': 'application/grpc',
    });
    const head = new Promise<Record<string, unknown>>((resolve) =>
      stream.once('response', resolve),
    );
    stream.resume().end();
    assert.is((await head)['grpc-status'], '7');
    session.destroy();
  });

  check('passes each server-sent event at once', async ({ world, subject }) => {
    const socket = await connectTls(world, subject.address);
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    socket.write('GET /events HTTP/1.1\r\nhost: x\r\n\r\n');
    await until(() => text.includes('data: two'), 'the second event');
    assert.not.match(text, 'data: three');
    world.release();
    await until(() => text.includes('data: three'), 'the last event');
    socket.destroy();
  });

  check('carries WebSockets, both ways, text and bytes', async ({ world, subject }) => {
    const socket = await openWebSocket(await connectTls(world, subject.address));
    const heard: (string | Buffer)[] = [];
    socket.on('message', (data, isBinary) => {
      heard.push(isBinary ? (data as Buffer) : data.toString());
    });
    const large = Buffer.alloc(2 * 1024 * 1024, 7);
    socket.send('hello');
    socket.send(large);
    await until(() => heard.length === 2, 'two messages');
    assert.is(heard[0], 'hello');
    assert.is(Buffer.compare(heard[1] as Buffer, large), 0);
    const closed = new Promise<number>((resolve) => socket.once('close', resolve));
    world.web.sockets[0]!.close(4001, 'enough');
    assert.is(await closed, 4001);
  });

  check('answers a handshake that the service refuses', async ({ world, subject }) => {
    const tls = await connectTls(world, subject.address);
    const socket = new WebSocket('ws://x/echo', { createConnection: () => tls } as never);
    const message = await new Promise<string>((resolve) =>
      socket.once('error', (error) => resolve(error.message)),
    );
    assert.match(message, /Unexpected server response/);
  });

  check('reads from the service only as fast as the peer reads', async ({ world, subject }) => {
    const socket = await connectTls(world, subject.address, { servername: 'open.platform-system' });
    let bytes = 0;
    socket.pause();
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    socket.pause();
    socket.write(`GET /large?bytes=${largeBytes} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    await until(() => world.web.seen.length === 1);
    const before = process.memoryUsage();
    await quiet(() => bytes);
    const after = process.memoryUsage();
    const grown = after.external + after.heapUsed - before.external - before.heapUsed;
    assert.ok(grown < largeBytes / 2, `${grown} bytes`);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.resume();
    await closed;
    assert.ok(bytes > largeBytes, `${bytes} bytes`);
  });

  check('reads from the peer only as fast as the service reads', async ({ world, subject }) => {
    const socket = await connectTls(world, subject.address, { servername: 'open.platform-system' });
    const head = `POST /later HTTP/1.1\r\nhost: x\r\ncontent-length: ${largeBytes}\r\n\r\n`;
    socket.write(head);
    await until(() => world.web.seen.length === 1);
    const entry = world.web.seen[0]!;
    const chunk = Buffer.alloc(256 * 1024, 1);
    let sent = 0;
    const more = () => {
      do sent += chunk.length;
      while (socket.write(chunk) && sent < largeBytes);
      if (sent < largeBytes) socket.once('drain', more);
    };
    more();
    await quiet(() => sent);
    assert.ok(sent < largeBytes / 2, `${sent} bytes are on the way to a service that reads none`);
    world.release();
    await until(() => entry.isComplete, 'the whole body');
    assert.is(entry.bytes, largeBytes);
    socket.destroy();
  });

  check('tells the service that the peer went away', async ({ world, subject }) => {
    const socket = await connectTls(world, subject.address, { servername: 'open.platform-system' });
    socket.write('POST /mirror HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nhello');
    await until(() => world.web.seen[0]?.bytes === 5);
    socket.destroy();
    await until(() => world.web.aborted() === 1, 'the abort at the service');
    assert.not.ok(world.web.seen[0]!.isComplete);
  });

  check('lets a peer that has said all go on reading', async ({ world, subject }) => {
    const session = await openHttp2(world, subject.address);
    const stream = session.request({ ':path': '/events' }, { endStream: true });
    let text = '';
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    const ended = new Promise((resolve) => stream.once('end', resolve));
    await until(() => text.includes('data: two'), 'the second event');
    world.release();
    await ended;
    assert.match(text, 'data: three');
    session.destroy();
  });
}

function openWebSocket(tls: unknown): Promise<WebSocket> {
  const socket = new WebSocket('ws://x/websocket', { createConnection: () => tls } as never);
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket));
    socket.once('error', reject);
  });
}

function textOf(stream: ClientHttp2Stream): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    stream.once('end', () => resolve(text));
    stream.once('error', reject);
  });
}

function post(session: ClientHttp2Session, path: string, body: string): Promise<string> {
  const stream = session.request({ ':method': 'POST', ':path': path });
  stream.end(body);
  return textOf(stream);
}

/** Resolves when a number has stopped changing: everything on the way is full. */
async function quiet(read: () => number): Promise<void> {
  let last = -1;
  for (let same = 0; same < 20; ) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    same = read() === last ? same + 1 : 0;
    last = read();
  }
}
