// What docs/boundaries.md says of its two examples is what the policies answer.
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../runtime/json.ts';
import { context, policiesOver } from './policies.ts';
import { partsOf } from './universe.ts';

const page = readFileSync(new URL('../../docs/boundaries.md', import.meta.url), 'utf8');
const [exchanges, messages] = [...page.matchAll(/```json\n(.*?)```/gs)].map(
  ([, json]) => JSON.parse(json!) as JsonObject,
);

test('the example of exchanges', () => {
  const ask = policiesOver('exchange', exchanges!);
  const asked = {
    spiffe_id: 'spiffe://platform.local/agent/acme/bot/main',
    service: 'cloudone_objectstore',
    tenant: 'acme',
    context,
  };
  assert.is(ask({ ...asked, action: 'read' }).rule, 'platform.exchange.granted_by_scope');
  assert.is(ask({ ...asked, action: 'write' }).rule, 'platform.exchange.exchange_denied');
  assert.is(ask(asked).rule, 'platform.exchange.exchange_denied');
});

test('the example of messages', () => {
  const both = messages!.agents as JsonObject;
  const third = 'spiffe://platform.local/agent/acme/desk/main';
  const [trader, research] = Object.keys(both) as [string, string];
  const ask = policiesOver('message', { ...messages, agents: { ...both, [third]: {} } });
  const rule = (caller: string, target: string) => {
    const { trust_domain: _, ...named } = partsOf(target);
    const counters = { agent_minute: 1, tenant_minute: 1 };
    return ask({ action: 'send', identity: partsOf(caller), target: named, counters, context })
      .rule;
  };
  assert.is(rule(trader, third), 'platform.message.granted');
  assert.is(rule(third, research), 'platform.message.granted');
  assert.is(rule(trader, research), 'platform.message.separated');
  assert.is(rule(research, trader), 'platform.message.separated');
});

test.run();
