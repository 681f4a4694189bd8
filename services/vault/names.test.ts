// Key names and scopes as an attacker would write them.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadModules } from '../../runtime/decide/local.ts';
import { codeOf } from '../../runtime/errors.ts';
import { namedScope, requireKey, requirePrefix, requireScope, scopesOf } from './names.ts';

const { scope: module } = loadModules();
const domain = 'platform.local';
const identity = {
  spiffe_id: 'spiffe://platform.local/agent/acme/bot/main',
  ...{ trust_domain: domain, tenant: 'acme', agent: 'bot', role: 'main' },
};

const code = (act: () => unknown): string => {
  try {
    act();
    return 'accepted';
  } catch (error) {
    return codeOf(error);
  }
};

test('keys are what the allow-list says, and nothing else', () => {
  for (const key of [
    'a',
    'db-password',
    'A.b_c-9',
    '...',
    '__proto__',
    'constructor',
    'k'.repeat(256),
  ]) {
    assert.is(requireKey(key), key);
  }
  const wrong = [
    ...['', '.', '..', 'rotation', 'batch', 'rotate-master-key', 'a/b', 'a b', 'a%2fb', '%61'],
    ...['ä', 'а', 'a\u0000', 'a\n', 'a\u200d', '＀', 'k'.repeat(257), 'a*', "a'--", '\ud800'],
    ...[null, undefined, 1, {}, ['a']],
  ];
  for (const key of wrong)
    assert.is(
      code(() => requireKey(key)),
      'secret_invalid',
      String(key),
    );
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }), (text) => {
      const plain = /^[A-Za-z0-9._-]+$/.test(text) && !['.', '..'].includes(text);
      assert.is(code(() => requireKey(text)) === 'accepted', plain);
    }),
  );
  assert.is(requirePrefix(''), '');
  for (const prefix of ['%', 'a/', 'é', 'k'.repeat(257)]) {
    assert.is(
      code(() => requirePrefix(prefix)),
      'secret_invalid',
    );
  }
});

test('an agent has three scopes, each covering it, each wider than the one before', () => {
  const scopes = scopesOf(identity);
  for (const scope of scopes) assert.ok(module.decide(scope, identity.spiffe_id).allow);
  assert.ok(module.decide(scopes[1], 'spiffe://platform.local/agent/acme/bot/other').allow);
  assert.not.ok(module.decide(scopes[1], 'spiffe://platform.local/agent/acme/botnet/main').allow);
  assert.not.ok(module.decide(scopes[2], 'spiffe://platform.local/agent/acme2/bot/main').allow);
});

test('a scope is a role, a whole scope or nothing', () => {
  assert.is(namedScope(undefined, identity), 'spiffe://platform.local/agent/acme/bot/*');
  assert.is(namedScope(null, identity), 'spiffe://platform.local/agent/acme/bot/*');
  assert.is(namedScope('worker', identity), 'spiffe://platform.local/agent/acme/bot/worker');
  assert.is(namedScope('*', identity), 'spiffe://platform.local/agent/acme/bot/*');
  const whole = 'spiffe://platform.local/agent/acme/*';
  assert.is(namedScope(whole, identity), whole);
  for (const role of ['..', '.', '', 'a%2fb', 'ä', 'a\u0000', ' ']) {
    const named = () => requireScope(namedScope(role, identity), module, domain);
    assert.is(code(named), 'secret_invalid', role);
  }
  assert.is(
    code(() => namedScope(7, identity)),
    'secret_invalid',
  );
});

test('near misses of the three shapes are no scopes', () => {
  const base = 'spiffe://platform.local/agent/acme/bot/main';
  for (const scope of [base, `${base.slice(0, -4)}*`, 'spiffe://platform.local/agent/acme/*']) {
    assert.is(requireScope(scope, module, domain), scope);
  }
  const wrong = [
    ...['', '*', '/*', 'spiffe://platform.local/*', 'spiffe://platform.local/agent/*'],
    ...['spiffe://platform.local/agent/acme', 'spiffe://platform.local/agent/acme/bot'],
    ...[
      `${base}/*`,
      `${base}/x`,
      `${base}/`,
      `${base}*`,
      'spiffe://platform.local/agent/acme/bot*',
    ],
    ...['spiffe://platform.local/service/gateway', 'spiffe://platform.local/service/acme/*'],
    ...['spiffe://other.local/agent/acme/*', 'SPIFFE://platform.local/agent/acme/*'],
    ...['spiffe://Platform.local/agent/acme/*', 'spiffe://platform.local:1/agent/acme/*'],
    ...['spiffe://platform.local/agent/../acme/*', 'spiffe://platform.local/agent//acme/*'],
    ...['spiffe://platform.local/agent/acme/bot/%6dain', 'spiffe://platform.local/agent/*/bot/*'],
    ...['spiffe://platform.local/agent/acme/*/main', 'spiffe://platform.local/agent/äcme/*'],
    ...['https://platform.local/agent/acme/*', `${base}?x`, `${base}#x`, 'x'.repeat(3000)],
    ...['spiffe://platform.local/agent/\ud800/*', null, undefined, 3, {}],
  ];
  for (const scope of wrong) {
    assert.is(
      code(() => requireScope(scope, module, domain)),
      'secret_invalid',
      String(scope),
    );
  }
});

test.run();
