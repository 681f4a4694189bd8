// The contract's checks on bodies that are read: nothing of a request reaches the service before the decision.
import { createHash } from 'node:crypto';
import * as assert from 'uvu/assert';
import type { AddCheck } from './contract.ts';
import { connectTls, jsonOf, openHttp2, speak, until } from './testing/world.ts';

const servername = 'mcp.platform-system';
const listing = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
const dropping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/drop' });
const head = (length: number, ...more: string[]) =>
  `${[
    ...['POST /mcp HTTP/1.1', 'host: x', 'connection: close', 'content-type: application/json'],
    ...[`content-length: ${length}`, ...more],
  ].join('\r\n')}\r\n\r\n`;
const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** Adds what has to hold where the service's entry says that bodies are read. */
export function bodyChecks(check: AddCheck): void {
  check('passes a message on as it came, once all of it was read', async ({ world, subject }) => {
    const text = listing.padEnd(200_000);
    const socket = await connectTls(world, subject.address, { servername });
    let answer = '';
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1');
    });
    socket.write(head(text.length));
    socket.write(text.slice(0, 100_000));
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.is(world.web.seen.length, 0);
    socket.write(text.slice(100_000));
    await until(() => answer.includes('"digest"'), 'the answer');
    assert.match(answer, /^HTTP\/1\.1 200/);
    assert.is(jsonOf(answer).bytes, text.length);
    assert.is(world.web.seen[0]!.digest, digestOf(text));
    const headers = Object.fromEntries(world.web.seen[0]!.headers);
    assert.match(headers['x-platform-mesh-decision']!, /^[0-9a-f]{64}$/);
    socket.destroy();
  });

  check('keeps back every message that is not allowed', async ({ world, subject }) => {
    const refused: [string, string][] = [
      [dropping, ''],
      [`[${listing}]`, ''],
      ['not JSON', ''],
      [`{"method":"tools/list",${dropping.slice(1)}`, ''],
      [listing, 'content-encoding: gzip'],
    ];
    for (const [text, more] of refused) {
      const request = head(text.length, ...(more === '' ? [] : [more]));
      const answer = await speak(world, subject.address, [request, text], { servername });
      assert.match(answer, /^HTTP\/1\.1 403/, text);
      assert.match(String(jsonOf(answer).decision_id), /^[0-9a-f]{64}$/);
    }
    assert.is(world.web.seen.length, 0);
  });

  check('keeps back a body that is too large to be read', async ({ world, subject }) => {
    const text = listing.padEnd((1 << 20) + 1);
    const answer = await speak(world, subject.address, [head(text.length), text], { servername });
    assert.match(answer, /^HTTP\/1\.1 4(03|13)/);
    const chunked = head(0).replace('content-length: 0', 'transfer-encoding: chunked');
    const parts = Array.from({ length: 20 }, () => `10000\r\n${' '.repeat(1 << 16)}\r\n`);
    const streamed = await speak(world, subject.address, [chunked, ...parts], { servername });
    assert.match(streamed, /^HTTP\/1\.1 4(03|13)/);
    assert.is(world.web.seen.length, 0);
  });

  check('opens no WebSocket, whose messages nobody reads', async ({ world, subject }) => {
    const handshake = [
      ...['GET /mcp HTTP/1.1', 'host: x', 'connection: Upgrade', 'upgrade: websocket'],
      ...['sec-websocket-version: 13', 'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA=='],
    ];
    const request = `${handshake.join('\r\n')}\r\n\r\n`;
    const answer = await speak(world, subject.address, [request], { servername });
    assert.match(answer, /^HTTP\/1\.1 403/);
    assert.match(String(jsonOf(answer).decision_id), /^[0-9a-f]{64}$/);
    assert.is(world.web.seen.length, 0);
  });

  check('reads bodies over HTTP/2 as well', async ({ world, subject }) => {
    const session = await openHttp2(world, subject.address, { servername });
    const ask = async (text: string) => {
      const headers = { ':method': 'POST', ':path': '/mcp', 'content-type': 'application/json' };
      const stream = session.request(headers);
      for (let at = 0; at < text.length; at += 7) stream.write(text.slice(at, at + 7));
      stream.end();
      const answered = await new Promise<Record<string, unknown>>((resolve, reject) => {
        stream.once('response', resolve);
        stream.once('error', reject);
      });
      stream.resume();
      await new Promise((resolve) => stream.once('close', resolve));
      return answered[':status'];
    };
    assert.is(await ask(dropping), 403);
    assert.is(world.web.seen.length, 0);
    assert.is(await ask(listing), 200);
    assert.is(world.web.seen[0]!.digest, digestOf(listing));
    session.destroy();
  });

  check('forgets a body whose sender leaves', async ({ world, subject }) => {
    const socket = await connectTls(world, subject.address, { servername });
    socket.write(head(listing.length));
    socket.write(listing.slice(0, -1));
    await new Promise((resolve) => setTimeout(resolve, 100));
    socket.destroy();
    const answer = await speak(world, subject.address, [head(listing.length), listing], {
      servername,
    });
    assert.match(answer, /^HTTP\/1\.1 200/);
    assert.is(world.web.seen.length, 1);
  });

  check('passes bodies unread where nothing says otherwise', async ({ world, subject }) => {
    const answer = await speak(world, subject.address, [head(4), 'none']);
    assert.match(answer, /^HTTP\/1\.1 200/);
    assert.is(world.web.seen[0]!.bytes, 4);
  });
}
