// Header fields and targets as an attacker would write them.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf } from '../../runtime/errors.ts';
import { http1Head, http2Head, isPlatformName, responseFields } from './fields.ts';
import { checkTarget, isBelow } from './target.ts';

const test = suite('fields');

const name = fc.oneof(
  fc.constantFrom(
    ...['Host', 'host', 'Content-Length', 'Transfer-Encoding', 'Connection', 'Keep-Alive', 'TE'],
    ...['Upgrade', 'Content-Type', 'x-platform-approval', 'X-Platform-Spiffe-Id', 'Cookie'],
    ...['x_platform_spiffe_id', 'X-PLATFORM_salt', 'accept', 'Authorization', 'x-a', 'x-b'],
  ),
  fc.stringMatching(/^[A-Za-z_-]{1,12}$/),
);
const value = fc.oneof(
  fc.constantFrom('chunked', '0', '5', '+5', '0x5', '5, 5', 'close', 'x-a', 'host', 'trailers'),
  fc.constantFrom('x-platform-approval', 'keep-alive, x-b', 'h2c', 'identity', '', 'a.b:80'),
  fc.string({ maxLength: 12 }),
);
const fields = fc.array(fc.tuple(name, value), { maxLength: 10 });
const methods = fc.constantFrom('GET', 'POST', 'PUT', 'HEAD', 'DELETE');
const codes = ['request_malformed', 'headers_too_large'];

const lower = (pairs: [string, string][], wanted: string) =>
  pairs.filter(([each]) => each.toLowerCase() === wanted);

test('what passes has one meaning for every reader', () => {
  let passed = 0;
  fc.assert(
    fc.property(methods, fields, fc.boolean(), (method, given, withHost) => {
      const pairs: [string, string][] = withHost ? [['host', 'a.b'], ...given] : given;
      let head: ReturnType<typeof http1Head>;
      try {
        head = http1Head(method, '/', pairs.flat(), 100);
      } catch (error) {
        return codes.includes(codeOf(error));
      }
      passed += 1;
      const names = head.headers.map(([each]) => each);
      const platform = names.filter(isPlatformName);
      const [host] = lower(pairs, 'host');
      return (
        lower(pairs, 'host').length === 1 &&
        head.authority === host?.[1] &&
        lower(pairs, 'content-length').length + lower(pairs, 'transfer-encoding').length <= 1 &&
        names.every((each) => each === each.toLowerCase()) &&
        new Set(platform).size === platform.length &&
        platform.every((each) => !each.includes('_')) &&
        names.filter((each) => each === 'content-type').length <= 1 &&
        names.filter((each) => each === 'cookie').length <= 1 &&
        !names.some((each) => ['connection', 'transfer-encoding', 'te', 'host'].includes(each)) &&
        (head.length === undefined || (Number.isSafeInteger(head.length) && head.length >= 0)) &&
        !(head.hasBody && (method === 'GET' || method === 'HEAD'))
      );
    }),
    { numRuns: 5000 },
  );
  assert.ok(passed > 100, `${passed} of the inputs passed`);
});

test('nothing is invented: every field that passes was sent with that value', () => {
  fc.assert(
    fc.property(fields, (given) => {
      const pairs: [string, string][] = [['host', 'a'], ...given];
      try {
        const { headers } = http1Head('POST', '/', pairs.flat(), 100);
        return headers.every(
          ([each, text]) => each === 'cookie' || lower(pairs, each).some(([, v]) => v === text),
        );
      } catch (error) {
        return codes.includes(codeOf(error));
      }
    }),
    { numRuns: 3000 },
  );
});

test('HTTP/2 heads keep the same rules', () => {
  const pseudo = [':method', 'GET', ':path', '/', ':authority', 'a', ':scheme', 'https'];
  const head = http2Head(
    [...pseudo, 'cookie', 'a=1', 'cookie', 'b=2', 'te', 'trailers'],
    true,
    100,
  );
  assert.equal(head.headers, [['cookie', 'a=1; b=2']]);
  assert.ok(head.takesTrailers);
  const refused = [
    [...pseudo, 'host', 'b'],
    [...pseudo, ':protocol', 'websocket'],
    [...pseudo, 'x-platform-approval', 'a', 'x-platform-approval', 'b'],
    [':method', 'GET', ':path', '/'],
  ];
  for (const raw of refused) assert.throws(() => http2Head(raw, true, 100), /malformed/);
  assert.throws(() => http2Head(pseudo, false, 100), /no body/);
  const many = Array.from({ length: 101 }, (_, index) => [`x-${index}`, 'a']).flat();
  assert.throws(() => http2Head([...pseudo, ...many], true, 100), /more than 100/);
});

test('every spelling of a platform name is one', () => {
  for (const each of [
    'x-platform-a',
    'X-Platform-A',
    'x_platform_a',
    'x-platform_',
    'X_PLATFORM-',
  ]) {
    assert.ok(isPlatformName(each), each);
  }
  for (const each of ['x-platform', 'x-platforma-b', 'y-platform-a', 'xx-platform-a', '']) {
    assert.not.ok(isPlatformName(each), each);
  }
});

test('answers lose what is about one hop', () => {
  const raw = ['Connection', 'close', 'Keep-Alive', 'timeout=5', 'X-A', '1', 'Set-Cookie', 'a'];
  assert.equal(responseFields([...raw, 'Set-Cookie', 'b']), [
    ['x-a', '1'],
    ['set-cookie', 'a'],
    ['set-cookie', 'b'],
  ]);
});

test('whatever passes as a target is the path that every reader sees', () => {
  const part = fc.constantFrom(
    ...[
      '/',
      '.',
      '..',
      '%2e',
      '%2F',
      '%5c',
      '%41',
      '%C3%A9',
      '%25',
      'a',
      'api',
      '?',
      '#',
      '\\',
      ';',
    ],
  );
  const target = fc.array(fc.oneof(part, fc.string({ maxLength: 3 })), { maxLength: 8 });
  let passed = 0;
  fc.assert(
    fc.property(target, (parts) => {
      const text = `/${parts.join('')}`;
      let path: string;
      try {
        path = checkTarget('GET', text);
      } catch (error) {
        return codeOf(error) === 'request_malformed';
      }
      passed += 1;
      const url = new URL(text, 'http://x');
      const decoded = path.split('/').map(decodeURIComponent);
      return (
        url.host === 'x' &&
        url.pathname === path &&
        text.startsWith(path) &&
        ['', '?'].includes(text.slice(path.length, path.length + 1)) &&
        !decoded.some((each) => each === '.' || each === '..' || /[/\\\0]/.test(each)) &&
        decoded.slice(2).every((each) => each !== '') &&
        // Decoding and encoding again gives the same text: there is no second spelling.
        !/%(2[dDeE]|3[0-9]|[46][1-9a-fA-F]|[57][0-9aA]|5[fF]|7[eE])/.test(path)
      );
    }),
    { numRuns: 10_000 },
  );
  assert.ok(passed > 100, `${passed} of the targets passed`);
});

test('a prefix stands for itself and what is below', () => {
  assert.ok(isBelow('/a/b', '/a') && isBelow('/a', '/a') && isBelow('/a', '/'));
  assert.not.ok(isBelow('/ab', '/a') || isBelow('/', '/a') || isBelow('/b/a', '/a'));
});

test.run();
