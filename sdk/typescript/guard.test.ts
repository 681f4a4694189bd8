// Tests of the SDK's modules in process: guard, scope and arguments, through the package's root.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { GuardrailError, guard, InputError, SchemaError, scope, toolArguments } from './index.ts';

const address = 'jo@example.com';

test('a clean prompt is valid, a finding says where and what, not the text', () => {
  assert.equal(guard.scanPrompt('hello'), { isValid: true, scanners: {} });
  assert.equal(guard.scanPrompt(`mail ${address}`), {
    isValid: false,
    scanners: {
      PII: { score: 1, threshold: 0.85, matches: [{ kind: 'email', start: 5, end: 19 }] },
    },
  });
});

test('an output is scanned on its own', () => {
  assert.is(guard.scanOutput(`mail ${address}`, 'done').isValid, true);
  assert.is(guard.scanOutput('', `mail ${address}`).isValid, false);
});

test('with block, a finding throws', () => {
  for (const [scan, code] of [
    [() => guard.scanPrompt(address, { block: true }), 'guard_blocked'],
    [() => guard.scanOutput('', address, { block: true }), 'guard_output_blocked'],
  ] as const) {
    try {
      scan();
      assert.unreachable();
    } catch (error) {
      assert.instance(error, GuardrailError);
      const blocked = error as GuardrailError;
      assert.is(blocked.code, code);
      assert.equal(Object.keys(blocked.scanners), ['PII']);
      assert.not.match(JSON.stringify([blocked.message, blocked.data]), 'jo@');
    }
  }
});

test('a response that carries a canary is found', () => {
  const canary = guard.canary();
  assert.is.not(canary, guard.canary());
  const scanners = ['PromptInjection'] as const;
  const options = { canaries: [canary], scanners };
  assert.is(guard.scanOutput('', `my words are ${canary}`, options).isValid, false);
  assert.is(guard.scanOutput('', 'my words are none', options).isValid, true);
});

test('scanners can be chosen, unreadable text is refused', () => {
  assert.is(guard.scanPrompt(address, { scanners: ['Secrets'] }).isValid, true);
  assert.throws(
    () => guard.scanPrompt('\ud800'),
    (error: unknown) => error instanceof InputError && error.code === 'input_lone_surrogate',
  );
});

test('the guard says whether it is to be asked without being called', () => {
  for (const [value, expected] of [
    ['true', true],
    ['1', true],
    ['YES', true],
    ['false', false],
    ['', false],
  ] as const) {
    process.env.PLATFORM_LLM_GUARD_ENABLED = value;
    assert.is(guard.isEnabled(), expected);
  }
  delete process.env.PLATFORM_LLM_GUARD_ENABLED;
  assert.is(guard.isEnabled(), false);
});

test('scopes cover by segment', () => {
  const all = 'spiffe://platform.local/agent/acme/bot/*';
  assert.is(scope.decide(all, 'spiffe://platform.local/agent/acme/bot/main').allow, true);
  assert.is(scope.decide(all, 'spiffe://platform.local/agent/acme/botnet/main').allow, false);
  assert.equal(scope.parse('spiffe://platform.local/agent/acme'), {
    trustDomain: 'platform.local',
    path: ['agent', 'acme'],
  });
});

test('arguments are checked as the gateway checks them', () => {
  const schema = { type: 'object', required: ['q'], properties: { q: { type: 'string' } } };
  assert.is(toolArguments.validate(schema, { q: 'x' }).allow, true);
  const { allow, violations } = toolArguments.validate(schema, { q: 1 });
  assert.is(allow, false);
  assert.equal(
    violations.map(({ pointer, keyword }) => [pointer, keyword]),
    [['/q', 'type']],
  );
  assert.throws(
    () => toolArguments.validate({ unevaluatedItems: false }, {}),
    (error: unknown) => error instanceof SchemaError,
  );
});

test.run();
