// The exchange boundary against a walk over all rules, as nobody would write a policy.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject, JsonValue } from '../../runtime/json.ts';
import { context, policiesOver } from './policies.ts';
import { agents, covers, keys, partsOf } from './universe.ts';

const services = ['files', 'queue'];
const actions = [undefined, 'read', 'write'];
const rule = fc.constantFrom<JsonValue>(
  ...Array<JsonValue>(5).fill(true),
  false,
  null,
  'true',
  {},
  { actions: { read: true } },
  { actions: { write: true } },
  { actions: { read: true, write: true } },
  { actions: { write: false } },
);
const rules = fc.dictionary(fc.constantFrom(...services), rule, { noNullPrototype: true });
const resource = fc.constantFrom<JsonObject>(
  { actions: { read: true, write: true } },
  { actions: { read: true, write: true } },
  { actions: { read: true } },
  { actions: { write: true, read: false } },
);
const entry = fc.record({
  resources: fc.dictionary(fc.constantFrom(...services), resource, { noNullPrototype: true }),
  exchange: rules,
});
const world = fc.record({
  agents: fc.dictionary(fc.constantFrom(...agents), entry, { minKeys: 5, noNullPrototype: true }),
  scopes: fc.dictionary(keys, fc.record({ exchange: rules }), {
    maxKeys: 4,
    noNullPrototype: true,
  }),
});

type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

function permits(value: unknown, action: string | undefined): boolean {
  const named = (value as { actions?: Record<string, unknown> } | null)?.actions;
  return value === true || (action !== undefined && named?.[action] === true);
}

function refuses(value: unknown, action: string | undefined): boolean {
  if (value === true) return false;
  const named = (value as { actions?: Record<string, unknown> } | null)?.actions;
  if (named === undefined) return true;
  const asked = action === undefined ? Object.values(named) : [named[action]];
  return asked.some((each) => each !== undefined && each !== true);
}

function expected(of: World, id: string, service: string, action: string | undefined): boolean {
  const own = of.agents[id];
  const declared = own?.resources[service]?.actions as Record<string, unknown> | undefined;
  if (own === undefined || declared === undefined) return false;
  const wanted = action === undefined ? ['read', 'write'] : [action];
  if (!wanted.every((each) => declared[each] === true)) return false;
  const found: unknown[] = service in own.exchange ? [own.exchange[service]] : [];
  for (const [key, { exchange }] of Object.entries(of.scopes)) {
    if (covers(key, id) && service in exchange) found.push(exchange[service]);
  }
  return (
    found.some((each) => permits(each, action)) && !found.some((each) => refuses(each, action))
  );
}

test('allows exactly what the rules that cover an identity allow and none refuses', () => {
  let allowed = 0;
  let refused = 0;
  for (const of of fc.sample(world, { numRuns: 150, seed: 7 })) {
    const ask = policiesOver('exchange', of as unknown as JsonObject);
    for (const id of agents) {
      for (const service of services) {
        for (const action of actions) {
          const { tenant } = partsOf(id);
          const asked: JsonObject = action === undefined ? {} : { action };
          const answer = ask({ spiffe_id: id, service, tenant, ...asked, context });
          const what = `${id} ${service} ${action} ${answer.rule} ${JSON.stringify(of)}`;
          assert.is(answer.allow, expected(of, id, service, action), what);
          if (answer.allow) allowed++;
          if (answer.rule === 'platform.exchange.exchange_denied') refused++;
        }
      }
    }
  }
  assert.ok(allowed > 300, `${allowed} allowed`);
  assert.ok(refused > 200, `${refused} refused by a rule`);
});

test('no identity is allowed anything by a key that does not cover it', () => {
  const id = agents[0]!;
  const own = { resources: { files: { actions: { read: true, write: true } } } };
  const texts = fc.oneof(keys, fc.string({ unit: 'binary', maxLength: 60 }));
  const ask = (scope: string) =>
    policiesOver('exchange', {
      agents: { [id]: own },
      scopes: { [scope]: { exchange: { files: true } } },
    });
  for (const key of fc.sample(texts, { numRuns: 300, seed: 8 })) {
    const answer = ask(key)({ spiffe_id: id, service: 'files', tenant: 'acme', context });
    assert.is(answer.allow, key.isWellFormed() && covers(key, id), key);
  }
});

test.run();
