// An operator may say that a tool takes or returns secrets; an agent that registers tools may not.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { REGISTRAR, startGateway, type TestGateway } from './testing.ts';

const password = 'password=correct-horse-9-battery';

function registration(gateway: TestGateway, prefix: string, service: string) {
  const tool = (name: string, tags: string[], path: string) => ({
    ...{ name, description: name, action: 'write', tags },
    input_schema: { type: 'object', properties: { note: { type: 'string' } } },
    http: { method: 'POST', path },
  });
  return {
    ...{ base_url: gateway.upstream.url, prefix, service },
    tools: [
      tool('plain', [], '/orders'),
      tool('takes', ['secrets:takes'], '/empty'),
      tool('returns', ['secrets:returns'], '/secret'),
      tool('hides', ['secrets:returns', 'secrets:takes'], '/invisible'),
    ],
  };
}

test('a tool takes or returns secrets only where an operator said so', async () => {
  const gateway = await startGateway();
  try {
    const registered = registration(gateway, 'orders', 'orders');
    await gateway.operate('POST', '/api/v1/tools/register', registered);
    const codeOf = async (tool: string, note: string) => {
      const { body } = await gateway.execute(tool, { note });
      return body.code ?? (body.error as { code?: string } | null)?.code;
    };
    assert.is(await codeOf('orders_plain', password), 'guard_blocked');
    assert.is(await codeOf('orders_returns', password), 'guard_blocked');
    assert.is(await codeOf('orders_takes', password), undefined);
    assert.is(await codeOf('orders_returns', 'x'), undefined);
    assert.is(await codeOf('orders_takes', 'a\u{e0041}\u{e0042}'), 'guard_blocked');
    assert.is(await codeOf('orders_hides', 'x'), 'guard_output_blocked');
  } finally {
    await gateway.close();
  }
});

test('an agent cannot register a tool that may be given secrets', async () => {
  const gateway = await startGateway();
  try {
    const body = registration(gateway, 'orders', 'orders');
    const options = { spiffeId: REGISTRAR };
    const answer = await gateway.call('POST', '/api/v1/tools/register', body, options);
    assert.equal(answer.body.tools, ['orders_plain']);
    const rejected = answer.body.rejected as { operation: string; code: string }[];
    assert.equal(
      rejected.map(({ operation, code }) => [operation, code]),
      ['takes', 'returns', 'hides'].map((name) => [name, 'input_invalid']),
    );
  } finally {
    await gateway.close();
  }
});

test.run();
