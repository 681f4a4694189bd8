// Tests of the request writer: each style of OpenAPI, and that no value leaves its place.

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PlatformError } from '../../../runtime/errors.ts';
import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import type { HttpBinding, ParameterBinding } from '../tools.ts';
import { httpRequestFor } from './request.ts';

const baseUrl = 'https://pets.example/v1';

function binding(parameters: ParameterBinding[], more: Partial<HttpBinding> = {}): HttpBinding {
  const names = parameters
    .filter((entry) => entry.in === 'path')
    .map((entry) => `/{${entry.wire}}`);
  return { method: 'GET', baseUrl, path: `/pets${names.join('')}`, parameters, ...more };
}

function write(args: JsonObject, parameters: ParameterBinding[], more: Partial<HttpBinding> = {}) {
  return httpRequestFor({ binding: binding(parameters, more) }, args);
}

function refused(run: () => unknown, pointer?: string): void {
  try {
    run();
  } catch (error) {
    assert.instance(error, PlatformError);
    assert.is((error as PlatformError).code, 'arguments_invalid');
    if (pointer !== undefined) assert.is((error as PlatformError).data.pointer, pointer);
    return;
  }
  assert.unreachable('not refused');
}

const parameter = (place: 'path' | 'query' | 'header', more: Partial<ParameterBinding> = {}) =>
  ({ name: 'a', wire: 'a', in: place, ...more }) as ParameterBinding;

test('every style of the query, as the standard writes it', () => {
  const array = ['blue', 'bl ack'];
  const object = { R: 100, G: 'x&y' };
  const cases: [Partial<ParameterBinding>, JsonValue, string][] = [
    [{}, 'a b&c=d', 'a=a%20b%26c%3Dd'],
    [{}, 1.5, 'a=1.5'],
    [{}, false, 'a=false'],
    [{}, '', 'a='],
    [{}, null, ''],
    [{}, [], ''],
    [{}, array, 'a=blue&a=bl%20ack'],
    [{ explode: false }, array, 'a=blue,bl%20ack'],
    [{ style: 'spaceDelimited', explode: false }, array, 'a=blue%20bl%20ack'],
    [{ style: 'pipeDelimited', explode: false }, array, 'a=blue%7Cbl%20ack'],
    [{}, object, 'R=100&G=x%26y'],
    [{ explode: false }, object, 'a=R,100,G,x%26y'],
    [{ style: 'deepObject', explode: true }, object, 'a%5BR%5D=100&a%5BG%5D=x%26y'],
    [{ style: 'json' }, object, 'a=%7B%22R%22%3A100%2C%22G%22%3A%22x%26y%22%7D'],
    [{ wire: 'filter[a]' }, 'x', 'filter%5Ba%5D=x'],
  ];
  for (const [more, value, expected] of cases) {
    const request = write({ a: value }, [parameter('query', more)]);
    assert.is(request.query, expected);
    assert.is(request.url, `https://pets.example/v1/pets${expected && `?${expected}`}`);
  }
});

test('path and header values in style simple', () => {
  const cases: [Partial<ParameterBinding>, JsonValue, string][] = [
    [{}, 'a/b c', 'a%2Fb%20c'],
    [{}, "a!'()*~", 'a%21%27%28%29%2A~'],
    [{}, 7, '7'],
    [{}, ['x', 'y/z'], 'x,y%2Fz'],
    [{}, { R: 1, G: 2 }, 'R,1,G,2'],
    [{ explode: true }, { R: 1, G: 2 }, 'R=1,G=2'],
  ];
  for (const [more, value, expected] of cases) {
    assert.is(write({ a: value }, [parameter('path', more)]).path, `/v1/pets/${expected}`);
  }
  const headers = write({ a: ['x', 2] }, [parameter('header', { wire: 'X-List' })]).headers;
  assert.is(headers['x-list'], 'x,2');
});

test('members that no parameter takes are the body, or the query without one', () => {
  const json = { contentType: 'application/json' };
  const post = { method: 'POST', body: json };
  const sent = write({ a: 1, b: { c: null }, d: null }, [parameter('query')], post);
  assert.is(Buffer.from(sent.body!).toString(), '{"b":{"c":null},"d":null}');
  assert.is(sent.headers['content-type'], 'application/json');
  assert.is(Buffer.from(write({}, [], post).body!).toString(), '{}');
  assert.is(write({}, [], { method: 'DELETE', body: json }).body, undefined);
  assert.is(write({ b: 1, c: [1, 2] }, []).query, 'b=1&c=1&c=2');
  const whole = { method: 'PUT', body: { name: 'body', contentType: 'application/x+json' } };
  const put = write({ body: [1] }, [], whole);
  assert.is(Buffer.from(put.body!).toString(), '[1]');
  assert.is(put.headers['content-type'], 'application/x+json');
  assert.is(write({}, [], whole).body, undefined);
  assert.is(Buffer.from(write({ body: null }, [], whole).body!).toString(), 'null');
  refused(() => write({ other: 1 }, [], whole), '/other');
});

test('dot segments, empty segments and missing path values are refused', () => {
  for (const value of ['.', '..', '', null, [], {}, ['']] as JsonValue[]) {
    refused(() => write({ a: value }, [parameter('path')]));
  }
  refused(() => write({}, [parameter('path')]), '/a');
  const two = [parameter('path'), parameter('path', { name: 'b', wire: 'b' })];
  const glued = { path: '/pets/{a}{b}' };
  refused(() => write({ a: '.', b: '.' }, two, glued));
  assert.is(write({ a: '.', b: 'x' }, two, glued).path, '/v1/pets/.x');
  // What a careless server would decode twice stays encoded once more.
  assert.is(write({ a: '%2e%2e' }, [parameter('path')]).path, '/v1/pets/%252e%252e');
});

test("headers that break the line or are not the agent's are refused", () => {
  for (const value of ['a\r\nhost: evil', 'a\nb', 'a\0', 'é', ' a', 'a ', '\u007f', '\u2028']) {
    refused(() => write({ a: value }, [parameter('header', { wire: 'x-a' })]), '/a');
  }
  for (const wire of [
    'Host',
    'authorization',
    'Cookie',
    'X-Platform-Spiffe-Id',
    'x y',
    'x\r\ny',
    '',
  ]) {
    refused(() => write({ a: 'x' }, [parameter('header', { wire })]));
  }
  refused(() => write({ a: 'x' }, [{ name: 'a', wire: 'a', in: 'cookie' }]));
});

test('an exploded object cannot pass for another parameter', () => {
  const parameters = [parameter('query'), parameter('query', { name: 'limit', wire: 'limit' })];
  refused(() => write({ a: { limit: 1000 }, limit: 10 }, parameters), '/a');
  assert.is(write({ a: { size: 1 }, limit: 10 }, parameters).query, 'size=1&limit=10');
});

test('nested values, half surrogates and endless URLs are refused', () => {
  refused(() => write({ a: [[1]] }, [parameter('query')]), '/a');
  refused(() => write({ a: { b: {} } }, [parameter('query')]), '/a');
  refused(() => write({ a: '\ud800' }, [parameter('query')]), '/a');
  refused(() => write({ a: '\udc00' }, [parameter('path')]), '/a');
  refused(() => write({ a: 'x'.repeat(20_000) }, [parameter('query')]));
  refused(() => write({ 'a/~b': [[1]] }, [parameter('query', { name: 'a/~b' })]), '/a~1~0b');
});

const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc
    .array(
      fc.constantFrom(
        '/',
        '..',
        '.',
        '%2e',
        '%2F',
        '\\',
        '?',
        '#',
        '&',
        '=',
        '\r\n',
        ';',
        ':',
        '@',
        '+',
        ' ',
      ),
      {
        maxLength: 8,
      },
    )
    .map((parts) => parts.join('')),
);

test('a path value stays one segment and comes back as it was', () => {
  fc.assert(
    fc.property(hostileText, (value) => {
      const end = { path: '/pets/{a}/end' };
      if (!value.isWellFormed() || ['', '.', '..'].includes(value)) {
        refused(() => write({ a: value }, [parameter('path')], end));
        return;
      }
      const { url } = write({ a: value }, [parameter('path')], end);
      const parsed = new URL(url);
      const segments = parsed.pathname.split('/');
      assert.is(parsed.origin, 'https://pets.example');
      assert.is(parsed.search + parsed.hash, '');
      assert.equal(
        [segments[1], segments[2], segments.at(-1), segments.length],
        ['v1', 'pets', 'end', 5],
      );
      assert.is(decodeURIComponent(segments[3]!), value);
    }),
    { numRuns: 3000 },
  );
});

test('query values stay in their pairs and come back as they were', () => {
  fc.assert(
    fc.property(fc.array(hostileText, { maxLength: 4 }), hostileText, (list, value) => {
      fc.pre([...list, value].every((text) => text.isWellFormed()));
      const parameters = [parameter('query'), parameter('query', { name: 'b', wire: 'b' })];
      const { url } = write({ a: list, b: value }, parameters);
      const parsed = new URL(url);
      assert.is(parsed.pathname, '/v1/pets');
      assert.is(parsed.hash, '');
      // The form decoder of URLSearchParams reads a plus as a space; ours are all encoded.
      assert.equal(parsed.searchParams.getAll('a'), list);
      assert.equal(parsed.searchParams.getAll('b'), [value]);
      assert.is([...parsed.searchParams].length, list.length + 1);
    }),
    { numRuns: 3000 },
  );
});

test('a header value is sent as it was or refused', () => {
  fc.assert(
    fc.property(hostileText, (value) => {
      let headers: Record<string, string>;
      try {
        headers = write({ a: value }, [parameter('header', { wire: 'x-a' })]).headers;
      } catch (error) {
        assert.is((error as PlatformError).code, 'arguments_invalid');
        return;
      }
      assert.is(new Headers(headers).get('x-a'), value);
      assert.equal(Object.keys(headers).toSorted(), ['accept', 'x-a']);
    }),
    { numRuns: 3000 },
  );
});

test.run();
