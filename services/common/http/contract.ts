// The contract that every adapter of the HTTP port passes; run by node.test.ts and hyper-express.test.ts.
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { connect, createServer as createNetServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PlatformError } from '../../../runtime/errors.ts';
import type { JsonObject } from '../../../runtime/json.ts';
import { type Canonicalizer, jsonResponse, readJsonObject } from './json.ts';
import {
  type AdapterName,
  createHttpServer,
  type HttpRequest,
  type HttpServer,
  type ListenAddress,
  type Route,
} from './port.ts';

const bodyBytes = 1024 * 1024;

interface World {
  server: HttpServer;
  address: ListenAddress;
  seen: HttpRequest[];
  /** Released by tests that hold a request open. */
  release: () => void;
}

/** Adds the whole contract for one adapter and runs it. */
export function httpContract(adapter: AdapterName, record: Canonicalizer): void {
  const test = suite<World>(`http contract: ${adapter}`);
  test.before.each(async (world) => {
    world.seen = [];
    const held = new Promise<void>((resolve) => {
      world.release = resolve;
    });
    const routes = routesFor(world.seen, record, held);
    world.server = createHttpServer({
      routes,
      adapter,
      limits: { bodyBytes, requestTimeoutMs: 1500 },
    });
    await world.server.listen({ host: '127.0.0.1', port: 0 });
    world.address = world.server.address();
  });
  test.after.each(async (world) => {
    world.release();
    await world.server.close(100);
  });
  routing(test, adapter);
  bodies(test);
  framing(test, adapter);
  failures(test);
  lifecycle(test, adapter);
  test.run();
}

type Suite = ReturnType<typeof suite<World>>;

function routesFor(seen: HttpRequest[], record: Canonicalizer, held: Promise<void>): Route[] {
  const route = (method: string, path: string, handler: Route['handler']): Route => ({
    method,
    path,
    boundary: { boundary: 'tool', action: 'get' },
    handler: async (request) => {
      seen.push(request);
      return handler(request);
    },
  });
  return [
    route('GET', '/things/special', async () => jsonResponse(200, { special: true })),
    route('GET', '/things/:name', async (request) =>
      jsonResponse(200, { name: request.params.name!, q: request.query.getAll('q') }),
    ),
    route('POST', '/echo', async (request) => ({
      status: 200,
      headers: { 'content-type': 'application/octet-stream' },
      body: request.body,
    })),
    route('POST', '/json', async (request) => jsonResponse(200, readJsonObject(request, record))),
    route('GET', '/throws', async () => {
      throw new Error('the database password is hunter2');
    }),
    route('GET', '/refuses', async () => {
      throw new PlatformError('tool_unknown', 'no tool of this name');
    }),
    route('GET', '/held', async () => {
      await held;
      return jsonResponse(200, { held: true });
    }),
  ];
}

function routing(test: Suite, adapter: AdapterName): void {
  test('routes literals before parameters and decodes parameters once', async (world) => {
    assert.equal(world.server.adapter(), adapter);
    assert.equal((await call(world, 'GET', '/things/special')).json, { special: true });
    const found = await call(world, 'GET', '/things/a%20b%2525?q=1&q=%C3%A9');
    assert.equal(found.json, { name: 'a b%25', q: ['1', 'é'] });
    const spelled = await call(world, 'GET', '/things/%73pecial');
    assert.equal(spelled.json, { name: 'special', q: [] });
  });
  test('keeps every value of a repeated header', async (world) => {
    await call(world, 'GET', '/things/x', '', ['x-a: 1', 'X-A: 2']);
    assert.equal(world.seen[0]!.headers.get('x-a'), ['1', '2']);
  });
  test('unknown paths are problems', async (world) => {
    const paths = ['/', '/nothing', '/things/', '/things/a%2Fb', '/things/..', '/things/%2e%2e'];
    for (const path of [...paths, '/things/%00', '/things/%zz', '/things//x', '/Things/x']) {
      problem(await call(world, 'GET', path), 404, 'route_unknown');
    }
    assert.is(world.seen.length, 0);
  });
  test('wrong methods are problems that name the right ones', async (world) => {
    const answer = await call(world, 'DELETE', '/echo');
    problem(answer, 405, 'method_not_allowed');
    assert.is(answer.headers.get('allow'), 'POST');
    problem(await call(world, 'POST', '/things/x', 'body'), 405, 'method_not_allowed');
    assert.is(world.seen.length, 0);
  });
  test('serves several requests on one connection, in order', async (world) => {
    const get = (name: string, last: string) =>
      `GET /things/${name} HTTP/1.1\r\nhost: x\r\n${last}\r\n`;
    const text = await send(world.address, [get('one', ''), get('two', 'connection: close\r\n')]);
    const one = text.indexOf('"one"');
    assert.ok(one > 0 && text.indexOf('"two"') > one);
  });
}

function bodies(test: Suite): void {
  test('passes a body of exactly the limit, byte for byte', async (world) => {
    const body = Buffer.alloc(bodyBytes, 'platform');
    await call(world, 'POST', '/echo', body);
    assert.is(Buffer.compare(world.seen[0]!.body, body), 0);
  });
  test('refuses a longer body by its declared length', async (world) => {
    const head = ['content-length: 1048577'];
    problem(await call(world, 'POST', '/echo', undefined, head), 413, 'body_too_large');
    assert.is(world.seen.length, 0);
  });
  test('refuses a longer chunked body while it streams in', async (world) => {
    const chunk = `10000\r\n${'a'.repeat(65536)}\r\n`;
    const head = ['transfer-encoding: chunked'];
    problem(await call(world, 'POST', '/echo', chunk.repeat(17), head), 413, 'body_too_large');
    assert.is(world.seen.length, 0);
  });
  test('reads chunked bodies', async (world) => {
    const body = '5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n';
    await call(world, 'POST', '/echo', body, ['transfer-encoding: chunked']);
    assert.is(Buffer.from(world.seen[0]!.body).toString(), 'hello world');
  });
  test('a body that stalls is answered in time', async (world) => {
    const head = ['content-length: 10'];
    problem(await call(world, 'POST', '/echo', 'five!', head), 408, 'request_timeout');
    assert.is(world.seen.length, 0);
  });
  test('takes JSON only as JSON, and only what every host reads alike', async (world) => {
    const json = (type: string, body: string | Buffer) =>
      call(world, 'POST', '/json', body, type === '' ? [] : [`content-type: ${type}`]);
    for (const type of [
      '',
      'text/plain',
      'application/jsonx',
      'application/json; charset=utf-16',
    ]) {
      problem(await json(type, '{}'), 415, 'content_type_unsupported');
    }
    assert.equal((await json('Application/JSON; charset="utf-8"', '{"a":1}')).json, { a: 1 });
    const refusals: [string | Buffer, string][] = [
      ['{"a":1', 'input_not_json'],
      ['', 'input_not_json'],
      ['{"a":1,"\\u0061":2}', 'input_duplicate_key'],
      ['{"a":9007199254740993}', 'input_number_not_portable'],
      ['{"a":"\\ud800"}', 'input_lone_surrogate'],
      [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'input_not_utf8'],
      [`${'['.repeat(70)}${']'.repeat(70)}`, 'input_too_deep'],
      ['[]', 'input_invalid'],
    ];
    for (const [body, code] of refusals) problem(await json('application/json', body), 400, code);
  });
}

function framing(test: Suite, adapter: AdapterName): void {
  const smuggled = 'GET /things/smuggled HTTP/1.1\r\nhost: x\r\n\r\n';
  const refused: Record<string, string[]> = {
    'two lengths': ['content-length: 5', 'content-length: 6'],
    'the same length twice': ['content-length: 5', 'content-length: 5'],
    'length and encoding': ['content-length: 5', 'transfer-encoding: chunked'],
    'an encoding after chunked': ['transfer-encoding: chunked, identity'],
    'an unknown encoding': ['transfer-encoding: xchunked'],
    'two encodings': ['transfer-encoding: chunked', 'transfer-encoding: identity'],
    'a length with a sign': ['content-length: +5'],
    'a length in hexadecimal': ['content-length: 0x5'],
    'a list as a length': ['content-length: 5, 5'],
    'a space before the colon': ['content-length : 5'],
  };
  for (const [name, head] of Object.entries(refused)) {
    test(`refuses ${name}`, async (world) => {
      const text = await send(world.address, [
        `POST /echo HTTP/1.1\r\nhost: x\r\n${head.join('\r\n')}\r\n\r\nhello${smuggled}`,
      ]);
      assert.not.match(text, /^HTTP\/1\.1 2/m);
      assert.not.ok(world.seen.some((request) => request.params.name === 'smuggled'));
    });
  }
  test('refuses a GET with a body, and a request without exactly one host', async (world) => {
    const heads = ['host: x\r\ncontent-length: 4', 'x-host: x', 'host: x\r\nhost: y'];
    for (const head of heads) {
      const text = await send(world.address, [`GET /things/x HTTP/1.1\r\n${head}\r\n\r\nbody`]);
      assert.ok(text === '' || text.startsWith('HTTP/1.1 400'), text);
    }
    assert.is(world.seen.length, 0);
  });
  test('refuses malformed request lines', async (world) => {
    const lines = ['GARBAGE', 'GET', 'GET /things/x', 'G@T / HTTP/1.1'];
    for (const line of [...lines, 'GET things/x HTTP/1.1', 'GET /things/x HTTP/9.9']) {
      const text = await send(world.address, [`${line}\r\nhost: x\r\n\r\n`]);
      assert.not.match(text, /^HTTP\/1\.1 2/m, line);
    }
    assert.is(world.seen.length, 0);
  });
  test('bounds the size and the number of headers', async (world) => {
    const many = Array.from({ length: 150 }, (_, i) => `x-${i}: 1`);
    for (const head of [[`x-a: ${'a'.repeat(20_000)}`], many]) {
      const lines = ['GET /things/x HTTP/1.1', 'host: x', ...head];
      const text = await send(world.address, [`${lines.join('\r\n')}\r\n\r\n`]);
      // The native parser has a bound of its own, over which it cuts without a word.
      const isCut = adapter === 'hyper-express' && text === '';
      assert.ok(isCut || text.startsWith('HTTP/1.1 431'), text);
    }
    assert.is(world.seen.length, 0);
  });
}

function failures(test: Suite): void {
  test('an unexpected error says nothing of itself', async (world) => {
    const answer = await call(world, 'GET', '/throws');
    problem(answer, 500, 'internal');
    assert.not.match(answer.text, /hunter2|database|stack/);
  });
  test('a platform error keeps its code and message', async (world) => {
    const answer = await call(world, 'GET', '/refuses');
    problem(answer, 404, 'tool_unknown');
    assert.is((answer.json as JsonObject).detail, 'no tool of this name');
  });
  test('tells the handler that its client went away', async (world) => {
    const socket = await open(world.address);
    socket.write('GET /held HTTP/1.1\r\nhost: x\r\n\r\n');
    await until(() => world.seen.length === 1);
    socket.destroy();
    await until(() => world.seen[0]!.signal.aborted);
    world.release();
    assert.is((await call(world, 'GET', '/things/x')).status, 200);
  });
}

function lifecycle(test: Suite, adapter: AdapterName): void {
  test('close lets running requests finish and takes no new ones', async (world) => {
    const running = call(world, 'GET', '/held');
    await until(() => world.seen.length === 1);
    const closed = world.server.close(60_000);
    world.release();
    assert.equal((await running).json, { held: true });
    await closed;
    const refused = await open(world.address).then(
      () => 'connected',
      (error: NodeJS.ErrnoException) => error.code,
    );
    assert.is(refused, 'ECONNREFUSED');
  });
  test('close cuts what outlives its grace', async (world) => {
    const running = send(world.address, ['GET /held HTTP/1.1\r\nhost: x\r\n\r\n']);
    await until(() => world.seen.length === 1);
    await world.server.close(50);
    assert.is(await running, '');
  });
  test('a taken port is a clear error', async () => {
    const other = createNetServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    const server = createHttpServer({ routes: [], adapter });
    const code = await server.listen({ host: '127.0.0.1', port }).then(
      () => 'listening',
      (error: PlatformError) => error.code,
    );
    other.close();
    assert.is(code, 'address_in_use');
  });
  test('a Unix socket is for its owner only, and never stolen from a live server', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'http-'));
    chmodSync(folder, 0o700);
    const path = join(folder, 's.sock');
    const routes = routesFor([], { canonicalize: (bytes) => bytes }, Promise.resolve());
    const first = createHttpServer({ routes, adapter });
    await first.listen({ path });
    assert.is(statSync(path).mode & 0o777, 0o600);
    const second = createHttpServer({ routes, adapter });
    const code = await second.listen({ path }).catch((error: PlatformError) => error.code);
    assert.is(code, 'address_in_use');
    const answer = await send({ path }, [
      'GET /things/unix HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
    ]);
    assert.match(answer, /"unix"/);
    await first.close(100);
    rmSync(folder, { recursive: true });
  });
}

interface Answer {
  status: number;
  headers: Map<string, string>;
  text: string;
  json: unknown;
}

async function call(
  world: World,
  method: string,
  path: string,
  body?: string | Buffer,
  head: string[] = [],
): Promise<Answer> {
  const framed = head.some((line) => /^(content-length|transfer-encoding):/.test(line));
  const length = body !== undefined && !framed ? [`content-length: ${body.length}`] : [];
  const lines = [`${method} ${path} HTTP/1.1`, 'host: x', 'connection: close', ...length, ...head];
  const text = await send(world.address, [`${lines.join('\r\n')}\r\n\r\n`, body ?? '']);
  const split = text.indexOf('\r\n\r\n');
  const [status, ...rest] = text.slice(0, split).split('\r\n');
  const headers = new Map(
    rest.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const content = text.slice(split + 4);
  const json = headers.get('content-type')?.includes('json') ? JSON.parse(content) : undefined;
  return { status: Number(status?.split(' ')[1]), headers, text: content, json };
}

function problem(answer: Answer, status: number, code: string): void {
  assert.is(answer.status, status, `${code}: ${answer.text}`);
  assert.is(answer.headers.get('content-type'), 'application/problem+json');
  const body = answer.json as JsonObject;
  assert.is(body.code, code);
  assert.is(body.status, status);
  assert.ok(typeof body.title === 'string' && String(body.type).endsWith(code));
}

/** Writes the parts, then reads until the server closes. */
async function send(address: ListenAddress, parts: (string | Buffer)[]): Promise<string> {
  const socket = await open(address);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  for (const part of parts) socket.write(part);
  await closed;
  return Buffer.concat(chunks).toString();
}

function open(address: ListenAddress): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(address as { path: string });
    socket.once('connect', () => resolve(socket));
    socket.once('error', reject);
  });
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}
