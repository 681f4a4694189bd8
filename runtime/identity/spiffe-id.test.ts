// The platform's own SPIFFE IDs, held against the scope module: nothing built here is refused there.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf, PlatformError } from '../errors.ts';
import { Scope } from '../modules/scope.ts';
import { moduleBytes } from '../modules/source.ts';
import {
  agentSpiffeId,
  nodeSpiffeId,
  operatorSpiffeId,
  parseAgentSpiffeId,
  requireSegment,
  serviceSpiffeId,
} from './spiffe-id.ts';

const scope = Scope.create(moduleBytes('scope'));

/** What a builder says: its ID, or the code of its refusal. */
function said(build: () => string): string {
  try {
    return build();
  } catch (error) {
    if (error instanceof PlatformError) return codeOf(error);
    throw error;
  }
}

function isValid(id: string): boolean {
  return (
    said(() => scope.parse(id).trustDomain).startsWith('spiffe_') === false && id.isWellFormed()
  );
}

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'aZ09.-_'), maxLength: 70 }),
  fc.string({ unit: 'binary', maxLength: 5 }),
  fc.constantFrom('', '.', '..', '...', 'a/b', 'a%2fb', 'a?', 'a#', '*', 'a:1', 'a@b', 'é', 'a\0'),
);

test('a segment is taken exactly when the scope module takes it, up to 63 bytes', () => {
  fc.assert(
    fc.property(text, (value) => {
      const taken = said(() => {
        requireSegment('agent', value);
        return 'taken';
      });
      // With a slash it would be two segments; in the middle of a path, its own rules decide.
      const rule = !value.includes('/') && isValid(`spiffe://td/${value}/x`) && value.length <= 63;
      assert.is(taken, rule ? 'taken' : 'spiffe_id_invalid', JSON.stringify(value));
    }),
    { numRuns: 5000 },
  );
});

test('a trust domain is taken exactly when the scope module takes it', () => {
  const name = fc.oneof(
    text,
    fc.nat({ max: 300 }).map((length) => 'd'.repeat(length)),
  );
  fc.assert(
    fc.property(name, (value) => {
      const rule = !value.includes('/') && isValid(`spiffe://${value}`);
      for (const build of [operatorSpiffeId, nodeSpiffeId]) {
        const id = said(() => build(value));
        assert.is(id !== 'spiffe_id_invalid', rule, JSON.stringify(value));
      }
    }),
    { numRuns: 5000 },
  );
});

test('the IDs of services, of the node and of the operator', () => {
  assert.is(serviceSpiffeId('platform.local', 'vault'), 'spiffe://platform.local/service/vault');
  assert.is(nodeSpiffeId('platform.local'), 'spiffe://platform.local/node/local');
  assert.is(operatorSpiffeId('platform.local'), 'spiffe://platform.local/operator/local');
  for (const name of ['', '..', 'a/b', 'x'.repeat(64), 'é']) {
    assert.is(
      said(() => serviceSpiffeId('platform.local', name)),
      'spiffe_id_invalid',
    );
  }
});

test('an agent’s ID is read back as it was built', () => {
  const part = fc
    .string({ unit: fc.constantFrom(...'aZ09.-_'), minLength: 1, maxLength: 63 })
    .filter((value) => value !== '.' && value !== '..');
  const trustDomain = fc.string({
    unit: fc.constantFrom(...'a09.-_'),
    minLength: 1,
    maxLength: 60,
  });
  fc.assert(
    fc.property(fc.record({ trustDomain, tenant: part, agent: part, role: part }), (identity) => {
      const id = agentSpiffeId(identity);
      assert.equal(parseAgentSpiffeId(id), { ...identity });
      assert.equal(scope.parse(id), {
        trustDomain: identity.trustDomain,
        path: ['agent', identity.tenant, identity.agent, identity.role],
      });
    }),
  );
});

test('nothing else is read as an agent’s ID', () => {
  const id = 'spiffe://platform.local/agent/acme/bot/main';
  const others = [
    ...['', 'agent', 'spiffe://', 'spiffe://platform.local', 'spiffe://platform.local/agent'],
    ...['spiffe://platform.local/agent/acme/bot', `${id}/deeper`, `${id}/`, `/${id}`, ` ${id}`],
    ...['spiffe://platform.local/service/gateway', 'spiffe://platform.local/service/acme/bot/main'],
    ...['https://platform.local/agent/acme/bot/main', 'spiffe:///agent/acme/bot/main', `${id}?a`],
    ...['spiffe://platform.local/agent//bot/main', 'spiffe://platform.local/agent/acme/../main'],
    ...['spiffe:/x/platform.local/agent/acme/bot', 'spiffe://Platform.local/agent/acme/bot/main'],
    ...[`${id.slice(0, -4)}m%61in`, `${id}#`, `${id}${'/x'.repeat(5000)}`],
  ];
  for (const other of others) {
    assert.is(
      said(() => parseAgentSpiffeId(other).agent),
      'spiffe_id_invalid',
      other.slice(0, 80),
    );
  }
  fc.assert(
    fc.property(fc.nat(id.length), fc.constantFrom(...'/?#%@:* \0é~'), (at, character) => {
      const edited = id.slice(0, at) + character + id.slice(at);
      assert.is(
        said(() => parseAgentSpiffeId(edited).agent),
        'spiffe_id_invalid',
        edited,
      );
    }),
  );
});

test.run();
