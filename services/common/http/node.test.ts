// The Node adapter: the contract, and what only it offers (peers, half-sent headers).
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PlatformError } from '../../../runtime/errors.ts';
import { Record } from '../../../runtime/modules/record.ts';
import { moduleBytes } from '../../../runtime/modules/source.ts';
import { httpContract } from './contract.ts';
import { jsonResponse } from './json.ts';
import { createHttpServer, type HttpRequest, type HttpServerOptions } from './port.ts';

httpContract('node', Record.create(moduleBytes('record')));

const who = {
  method: 'GET',
  path: '/who',
  boundary: 'open',
  handler: async (request: HttpRequest) => jsonResponse(200, { uid: request.peer?.uid ?? null }),
} as const;

async function onSocket(
  options: Omit<HttpServerOptions, 'routes'>,
  use: (path: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'http-'));
  const server = createHttpServer({ routes: [who], ...options });
  const path = join(folder, 's.sock');
  await server.listen({ path });
  await use(path);
  await server.close(100);
  assert.not.ok(existsSync(path));
  rmSync(folder, { recursive: true });
}

test('a CONNECT whose client resets the connection at once does not end the process', async () => {
  const server = createHttpServer({ routes: [who], adapter: 'node' });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const address = server.address() as { host: string; port: number };
  for (let index = 0; index < 100; index += 1) {
    const socket = connect(address);
    socket.on('error', () => {});
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.write('CONNECT x:1 HTTP/1.1\r\nhost: x\r\n\r\n');
    socket.resetAndDestroy();
  }
  const answer = await fetch(`http://127.0.0.1:${address.port}/who`);
  assert.is(answer.status, 200);
  await server.close(100);
});

const request = 'GET /who HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';

test('the connection hook sees the accepted socket and attests its requests', async () => {
  const sockets: Socket[] = [];
  const onConnection = async (socket: Socket) => {
    sockets.push(socket);
    return { pid: 1, uid: 42 };
  };
  await onSocket({ onConnection }, async (path) => {
    assert.match(await talk(path, request), /"uid":42/);
  });
  assert.is(sockets.length, 1);
});

test('a connection that the hook refuses gets the reason, whatever it asks', async () => {
  const onConnection = () => {
    throw new PlatformError('caller_unknown', 'this process is not registered');
  };
  await onSocket({ onConnection }, async (path) => {
    assert.match(await talk(path, request), /^HTTP\/1\.1 403[\s\S]*"code":"caller_unknown"/);
    const unknown = request.replace('/who', '/nothing');
    assert.match(await talk(path, unknown), /"code":"caller_unknown"/);
  });
});

test('a hook cannot be asked of an adapter that has none', () => {
  const create = () =>
    createHttpServer({ routes: [], adapter: 'hyper-express', onConnection: () => undefined });
  assert.throws(create, (error: PlatformError) => error.code === 'configuration_invalid');
});

test('falls back to Node where the native library is a placeholder', async () => {
  const server = createHttpServer({ routes: [who] });
  await server.listen({ host: '127.0.0.1', port: 0 });
  assert.is(server.adapter(), 'node');
  await server.close(0);
  const wanted = createHttpServer({ routes: [who], adapter: 'hyper-express' });
  const code = await wanted
    .listen({ host: '127.0.0.1', port: 0 })
    .catch((error: PlatformError) => error.code);
  assert.is(code, 'configuration_invalid');
});

test('headers that never end are answered and cut', async () => {
  await onSocket({ limits: { requestTimeoutMs: 300 } }, async (path) => {
    assert.match(await talk(path, 'GET /who HTTP/1.1\r\nhost: x\r\n'), /^HTTP\/1\.1 408/);
  });
});

test('a socket that a killed server left behind is replaced', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'http-'));
  const path = join(folder, 's.sock');
  const script = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 9))`;
  spawnSync(process.execPath, ['-e', script]);
  assert.ok(existsSync(path));
  const server = createHttpServer({ routes: [who] });
  await server.listen({ path });
  assert.match(await talk(path, request), /^HTTP\/1\.1 200/);
  await server.close(100);
  rmSync(folder, { recursive: true });
});

test('random bytes never get a success, and the server goes on serving', async () => {
  await onSocket({ limits: { requestTimeoutMs: 500 } }, async (path) => {
    const piece = fc.oneof(
      fc.constantFrom('GET', ' ', '/who', 'HTTP/1.1', '\r\n', ':', 'host', 'content-length', '\0'),
      fc.string({ unit: 'binary', maxLength: 8 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 30 }), async (pieces) => {
        const text = pieces.join('');
        fc.pre(!/^\s*GET +\/who/.test(text));
        assert.not.match(await talk(path, `${text}\r\n\r\n`, true), /^HTTP\/1\.1 2/m);
      }),
      { numRuns: 200 },
    );
    assert.match(await talk(path, request), /^HTTP\/1\.1 200/);
  });
});

function talk(path: string, text: string, halfClose = false): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect({ path, allowHalfOpen: true }, () => {
      if (halfClose) socket.end(text);
      else socket.write(text);
    });
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', () => undefined);
    socket.on('end', () => socket.end());
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
  });
}

test.run();
