// The contract's checks on single requests: forged, ambiguous, too large, too slow.
import { connect as connectHttp2 } from 'node:http2';
import * as assert from 'uvu/assert';
import type { AddCheck } from './contract.ts';
import { agentId, connectTls, get, jsonOf, speak, until } from './testing/world.ts';

const smuggled = 'GET /smuggled HTTP/1.1\r\nhost: x\r\n\r\n';

/** Adds what has to hold of requests: their form, their headers, and what is refused. */
export function requestChecks(check: AddCheck): void {
  check('removes what only the platform may say', async ({ world, subject }) => {
    const forged = [
      'X-Platform-Spiffe-Id: spiffe://platform.local/operator/local',
      'x_platform_spiffe_id: a',
      'x-platform_spiffe-id: b',
      'X-PLATFORM-SPIFFE-ROLE: admin',
      'x-platform-request-id: c',
      'x-platform-time: d',
      'x-platform-salt: e',
      'x-platform-mesh-decision: f',
      'x-platform-anything: g',
    ];
    await get(world, subject.address, '/echo', forged);
    const { headers } = world.web.seen[0]!;
    const ours = headers.filter(([name]) => name.replaceAll('_', '-').startsWith('x-platform-'));
    assert.equal(ours.map(([name]) => name).sort(), [
      'x-platform-mesh-decision',
      'x-platform-request-id',
      'x-platform-salt',
      'x-platform-spiffe-id',
      'x-platform-time',
    ]);
    assert.ok(ours.every(([, value]) => value.length > 1));
    assert.is(Object.fromEntries(headers)['x-platform-spiffe-id'], agentId);
  });

  check('removes what is about one hop', async ({ world, subject }) => {
    const answer = await get(world, subject.address, '/echo', [
      'te: deflate',
      'keep-alive: timeout=5',
      'proxy-connection: keep-alive',
      'connection: x-mine',
      'x-mine: 1',
      'upgrade: h2c',
      'http2-settings: AAMAAABkAARAAAAAAAIAAAAA',
      'x-other: 2',
    ]);
    assert.match(answer, /^HTTP\/1\.1 200/);
    assert.match(answer, 'x-answer: yes');
    assert.not.match(answer, 'timeout=9');
    const headers = Object.fromEntries(world.web.seen[0]!.headers);
    for (const name of ['te', 'keep-alive', 'proxy-connection', 'x-mine', 'upgrade']) {
      assert.is(headers[name], undefined, name);
    }
    assert.is(headers['x-other'], '2');
  });

  check('lets nobody strip a header by naming it in connection', async ({ world, subject }) => {
    await get(world, subject.address, '/echo', ['connection: close, x-platform-spiffe-id']);
    const identities = world.web.seen.map(({ headers }) => Object.fromEntries(headers));
    assert.ok(identities.every((headers) => headers['x-platform-spiffe-id'] === agentId));
  });

  const framings: Record<string, string> = {
    'length and encoding': 'content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    'two lengths': `content-length: 0\r\ncontent-length: ${smuggled.length}\r\n\r\n`,
    'a length with a sign': 'content-length: +0\r\n\r\n',
    'a length in hexadecimal': 'content-length: 0x5\r\n\r\nhello',
    'a space before the colon': 'transfer-encoding : chunked\r\n\r\n0\r\n\r\n',
    'an unknown encoding': 'transfer-encoding: xchunked\r\n\r\n0\r\n\r\n',
    'an encoding after chunked': 'transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n',
    'two encodings': 'transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n\r\n0\r\n\r\n',
    'a control character': 'transfer-encoding:\x0bchunked\r\n\r\n0\r\n\r\n',
    'a chunk without its line end': 'transfer-encoding: chunked\r\n\r\n5\n\r\nabcde\r\n0\r\n\r\n',
    'a folded header': 'x: a\r\n transfer-encoding: chunked\r\n\r\n',
  };
  for (const [name, framing] of Object.entries(framings)) {
    check(`refuses ${name}`, async ({ world, subject }) => {
      const text = await speak(world, subject.address, [
        `POST /echo HTTP/1.1\r\nhost: x\r\n${framing}${smuggled}`,
      ]);
      assert.match(text, /^(HTTP\/1\.1 [45]\d\d |$)/);
      assert.not.match(text, /^HTTP\/1\.1 2/m);
      assert.not.ok(
        world.web.seen.some(({ isComplete, target }) => isComplete || target !== '/echo'),
      );
    });
  }

  check('refuses duplicates of headers that have one value', async ({ world, subject }) => {
    const pairs = [
      ['content-type: text/plain', 'content-type: application/json'],
      ['authorization: Bearer a', 'Authorization: Bearer b'],
      ['x-platform-approval: a', 'X-Platform-Approval: b'],
      ['traceparent: a', 'traceparent: b'],
    ];
    for (const pair of pairs) {
      assert.match(await get(world, subject.address, '/echo', pair), /^HTTP\/1\.1 40[03]/, pair[0]);
    }
    assert.is(world.web.seen.length, 0);
  });

  check('refuses two hosts, none, and one that is no host', async ({ world, subject }) => {
    for (const host of ['host: x\r\nhost: y', 'x-host: x', 'host: x/y', 'host: a@b', 'host:']) {
      const text = await speak(world, subject.address, [
        `GET /echo HTTP/1.1\r\n${host}\r\nconnection: close\r\n\r\n`,
      ]);
      assert.match(text, /^HTTP\/1\.1 400/, host);
    }
    assert.is(world.web.seen.length, 0);
  });

  const targets: Record<string, string[]> = {
    'dot segments': ['/a/../b', '/a/./b', '/..', '/a/%2e%2e/b', '/a/.%2E/b'],
    'encoded separators': ['/a%2fb', '/a%5cb', '/a%00b', '/a%0d%0ab'],
    'empty segments': ['//a', '/a//b', '/a/'],
    'a letter in code': ['/%65cho', '/ech%6F'],
    'broken escapes': ['/%zz', '/a%2', '/%c0%af'],
    'characters outside RFC 3986': ['/a\\b', '/a#b', '/a"b', '/a<b', '/a|b'],
    'other forms of a target': ['http://x/echo', '*', 'echo', 'x:443'],
  };
  for (const [name, list] of Object.entries(targets)) {
    check(`refuses a target with ${name}`, async ({ world, subject }) => {
      for (const target of list) {
        const text = await get(world, subject.address, target);
        assert.match(text, /^HTTP\/1\.1 40[04]/, target);
      }
      assert.is(world.web.seen.length, 0);
    });
  }

  check('refuses methods that would change what the connection is', async ({ world, subject }) => {
    for (const line of ['CONNECT x:443', 'TRACE /echo', 'PRI *', 'NONSENSE /echo']) {
      const text = await speak(world, subject.address, [
        `${line} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
      ]);
      assert.match(text, /^(HTTP\/1\.1 [45]\d\d |$)/, line);
    }
    assert.is(world.web.seen.length, 0);
  });

  check('bounds size and number of headers', async ({ world, subject }) => {
    const many = Array.from({ length: 150 }, (_, index) => `x-${index}: 1`);
    for (const headers of [[`x-a: ${'a'.repeat(70_000)}`], many]) {
      assert.match(await get(world, subject.address, '/echo', headers), /^HTTP\/1\.1 431/);
    }
    assert.is(world.web.seen.length, 0);
  });

  check(
    'refuses a body over the limit by its length, before it arrives',
    async ({ world, subject }) => {
      const head = 'POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 1073741824\r\n\r\n';
      const text = await speak(world, subject.address, [head]);
      assert.match(text, /^HTTP\/1\.1 413/);
      assert.not.ok(world.web.seen.some(({ isComplete }) => isComplete));
    },
  );

  check(
    'refuses a streamed body over the limit, and truncates nothing',
    async ({ world, subject }) => {
      const chunk = `10000\r\n${'a'.repeat(65_536)}\r\n`;
      const text = await speak(world, subject.address, [
        'POST /echo HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n',
        ...Array.from({ length: 17 }, () => chunk),
      ]);
      assert.match(text, /^HTTP\/1\.1 413/);
      assert.not.ok(world.web.seen.some(({ isComplete }) => isComplete));
    },
  );

  check('does not wait for a body that it will refuse', async ({ world, subject }) => {
    const text = await speak(world, subject.address, [
      'POST /echo HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 9999999\r\n\r\n',
    ]);
    assert.match(text, /^HTTP\/1\.1 413/);
  });

  check('says when to send a body that a client holds back', async ({ world, subject }) => {
    const socket = await connectTls(world, subject.address);
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    socket.write(
      'POST /echo HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 5\r\n\r\n',
    );
    await until(() => text.startsWith('HTTP/1.1 100'));
    socket.write('hello');
    await until(() => text.includes('HTTP/1.1 200'));
    assert.is(world.web.seen[0]!.bytes, 5);
    socket.destroy();
  });

  check('bounds HTTP/2 requests as it does others', async ({ world, subject }) => {
    const socket = await connectTls(world, subject.address, { alpn: ['h2'] });
    const session = connectHttp2('https://x', { createConnection: () => socket });
    session.on('error', () => {});
    const status = (headers: Record<string, string | string[]>) =>
      new Promise<number>((resolve) => {
        const stream = session.request({ ':path': '/echo', ...headers });
        stream.on('response', (answer) => resolve(answer[':status'] ?? 0));
        stream.on('error', () => resolve(0));
        stream.on('close', () => resolve(0));
        stream.resume().end();
      });
    assert.is(await status({}), 200);
    assert.is(await status({ ':path': '/a/../b' }), 400);
    assert.is(await status({ ':method': 'TRACE' }), 405);
    assert.is(await status({ 'x-platform-approval': ['a', 'b'] }), 400);
    assert.is(await status({ ':authority': 'x', host: 'other' }), 400);
    assert.is(world.web.seen.length, 1);
    session.destroy();
  });

  check(
    'answers 503 when the service is away, and again 200 when it is back',
    async ({ world, subject }) => {
      const gone = await get(world, subject.address, '/reset');
      assert.not.match(gone, /0\r\n\r\n$/);
      await world.web.close();
      const away = await get(world, subject.address, '/echo');
      assert.match(away, /^HTTP\/1\.1 503/);
      if (away.includes('problem+json')) assert.is(jsonOf(away).code, 'service_unavailable');
    },
  );
}
