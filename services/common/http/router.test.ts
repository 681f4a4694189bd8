// The router, attacked: no spelling of a path may reach a route or a parameter that it should not.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { PlatformError } from '../../../runtime/errors.ts';
import type { Route } from './port.ts';
import { Router } from './router.ts';

const route = (method: string, path: string): Route => ({
  method,
  path,
  boundary: 'open',
  handler: async () => ({ status: 200, headers: {}, body: '' }),
});
const router = new Router([
  route('GET', '/api/tools'),
  route('GET', '/api/tools/:name'),
  route('GET', '/api/tools/search'),
  route('POST', '/api/tools/:name/execute'),
]);

test('every name survives a round trip through the path, or is refused', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1 }), (name) => {
      let path: string;
      try {
        path = `/api/tools/${encodeURIComponent(name)}/execute`;
      } catch {
        return;
      }
      const match = router.match('POST', path);
      if (match.kind === 'route') assert.is(match.params.name, name);
      else assert.ok(/[/\\\p{Cc}]/u.test(name) || name === '.' || name === '..', name);
    }),
  );
});

test('a parameter never holds path syntax or control characters', () => {
  const piece = fc.constantFrom('%2f', '%2F', '%5c', '%00', '%2e', '.', '/', '%', '%25', 'a', '?');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const match = router.match('GET', `/api/tools/${pieces.join('')}`);
      if (match.kind !== 'route') return;
      const { name } = match.params;
      assert.not.match(name ?? 'search', /[/\\\p{Cc}]/u);
      assert.ok(name !== '.' && name !== '..');
    }),
  );
});

test('an unknown method of a known path names the known ones', () => {
  assert.equal(router.match('PUT', '/api/tools/x'), { kind: 'method', allow: ['GET'] });
  assert.equal(router.match('PUT', '/api'), { kind: 'unknown' });
});

test('a rest takes one segment or more, undecoded, and yields to every other route', () => {
  const rest = new Router([
    route('GET', '/v1/data/*'),
    route('GET', '/v1/data/:name/own'),
    route('GET', '/v1/data'),
    route('PUT', '/v1/*'),
  ]);
  const pathOf = (path: string) => {
    const match = rest.match('GET', path);
    return match.kind === 'route' ? match.route.path : match.kind;
  };
  assert.is(pathOf('/v1/data/a'), '/v1/data/*');
  assert.is(pathOf('/v1/data/a/%2F/..//b'), '/v1/data/*');
  assert.is(pathOf('/v1/data/'), '/v1/data/*');
  assert.is(pathOf('/v1/data/a/own'), '/v1/data/:name/own');
  assert.is(pathOf('/v1/data'), '/v1/data');
  assert.is(pathOf('/v1/datas/a'), 'method');
  assert.is(pathOf('/v1'), 'unknown');
});

test('refuses two routes for the same requests', () => {
  const create = () => new Router([route('GET', '/a/:x'), route('GET', '/a/:y')]);
  assert.throws(create, (error: PlatformError) => error.code === 'configuration_invalid');
});

test.run();
