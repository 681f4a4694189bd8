// Test that importing the SDK loads the agent core alone, and the rest at its first use.

import { registerHooks } from 'node:module';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const loaded: string[] = [];
registerHooks({
  load(url, context, next) {
    loaded.push(url.replace(/.*\//, ''));
    return next(url, context);
  },
});
let compiled = 0;
globalThis.WebAssembly.Module = new Proxy(WebAssembly.Module, {
  construct(target, parameters) {
    compiled++;
    return Reflect.construct(target, parameters);
  },
});

test('the root loads neither the gateway client nor a decision module', async () => {
  const sdk = await import('./index.ts');
  const has = (name: string) => loaded.includes(name);
  assert.ok(has('agent.ts'));
  for (const name of [
    'gateway.ts',
    'vault.ts',
    'http.ts',
    'guard.ts',
    'scope.ts',
    'arguments.ts',
  ]) {
    assert.not(has(name), name);
  }
  await sdk.platformAgent({ name: 'bot', tenant: 'acme' }, () => 1)();
  assert.not(has('guard.ts'));
  assert.is(compiled, 0);

  assert.is(sdk.guard.isEnabled(), false);
  assert.ok(has('guard.ts'));
  assert.is(compiled, 0, 'asking whether it is enabled needs no module');

  assert.is(sdk.guard.scanPrompt('hello').isValid, true);
  assert.is(sdk.guard.scanPrompt('hello').isValid, true);
  assert.is(compiled, 1);
  assert.not(has('scope.ts'));
  assert.not(has('gateway.ts'));

  const client = new sdk.GatewayClient({ baseUrl: 'unix:/nowhere.sock' });
  assert.ok(has('gateway.ts'));
  assert.instance(client, sdk.GatewayClient);

  assert.not(has('vault.ts'));
  sdk.secret('db-password', () => 1);
  assert.ok(has('vault.ts'));
  assert.instance(new sdk.VaultClient({ baseUrl: 'unix:/nowhere.sock' }), sdk.VaultClient);
  assert.is(compiled, 1);
});

test.run();
