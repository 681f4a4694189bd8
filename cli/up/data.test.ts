// The data of policies: what the operator wrote counts before what an agent says of itself.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { buildDataBundle } from '../../runtime/bundle/build.ts';
import { codeOf } from '../../runtime/errors.ts';
import type { JsonObject } from '../../runtime/json.ts';
import type { RegisteredAgent } from '../../services/identity/agents.ts';
import { grantsOf } from '../../services/identity/grants.ts';
import { dataOf, operatorData } from './data.ts';

const folder = mkdtempSync(join(tmpdir(), 'data-'));
const bot = 'spiffe://platform.local/agent/acme/bot/main';
const test = suite('data');
test.after(() => rmSync(folder, { recursive: true }));

const agent = {
  entry: { tenant: 'acme', agent: 'bot', roles: [{ name: 'main' }] },
  spiffeIds: [bot],
  grants: grantsOf(['orders', 'payroll:read']),
} as unknown as RegisteredAgent;

test('agents that run have what they declare, the operator has the console', () => {
  const data = dataOf('platform.local', {}, [agent]) as Record<string, JsonObject>;
  assert.equal(data.agents?.[bot], {
    ...{ tenant: 'acme', agent: 'bot', role: 'main' },
    resources: {
      orders: { actions: { read: true, write: true } },
      payroll: { actions: { read: true } },
    },
    credentials: { orders: true, payroll: true },
    exchange: { orders: true, payroll: { actions: { read: true } } },
  });
  assert.equal(data.operators?.['spiffe://platform.local/operator/local'], {
    actions: { view: true, approve: true, operate: true },
    deploy: { development: true, staging: true },
  });
  assert.is(buildDataBundle(data).revision, buildDataBundle(structuredClone(data)).revision);
});

test('what the operator wrote for an identity replaces all that its agent declares', () => {
  const written = { agents: { [bot]: { tenant: 'acme', resources: {} } }, limits: { x: 1 } };
  const data = dataOf('platform.local', written, [agent]) as Record<string, JsonObject>;
  assert.equal(data.agents?.[bot], { tenant: 'acme', resources: {} });
  assert.equal(data.limits, { agent_minute: 120, tenant_minute: 600, x: 1 });
});

test('a later folder’s members replace an earlier’s; a folder without data adds nothing', async () => {
  const second = mkdtempSync(join(folder, 'second-'));
  const empty = mkdtempSync(join(folder, 'empty-'));
  writeFileSync(join(folder, 'data.json'), '{"limits":{"agent_minute":1,"tenant_minute":2}}');
  writeFileSync(join(second, 'data.json'), '{"limits":{"agent_minute":3}}');
  assert.equal(await operatorData([folder, empty, second]), {
    limits: { agent_minute: 3, tenant_minute: 2 },
  });
});

test('data that cannot be read or has no place is refused with the file’s name', async () => {
  const file = join(folder, 'data.json');
  for (const text of ['{', '[]', 'null', '"x"', '']) {
    writeFileSync(file, text);
    try {
      await operatorData([folder]);
      assert.unreachable(text);
    } catch (error) {
      assert.is(codeOf(error), 'bundle_manifest_invalid', text);
      assert.match((error as Error).message, file);
    }
  }
  assert.throws(
    () => buildDataBundle(dataOf('platform.local', { platform: {} }, [])),
    (error: unknown) => codeOf(error) === 'bundle_manifest_invalid',
  );
});

test.run();
