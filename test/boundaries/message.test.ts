// The message boundary against a walk over everything that both sides and all scopes say.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject, JsonValue } from '../../runtime/json.ts';
import { context, policiesOver } from './policies.ts';
import { agents, covers, keys, partsOf } from './universe.ts';

const rule = fc.constantFrom<JsonValue>(
  ...Array<JsonValue>(9).fill(true),
  false,
  { skills: { sum: true } },
  { skills: { sum: true, pay: false } },
);
const named = fc.oneof(keys, fc.constantFrom(...agents));
const said = fc.dictionary(named, rule, { maxKeys: 5, noNullPrototype: true });
const never = fc.oneof(
  { weight: 5, arbitrary: fc.constant<JsonObject>({}) },
  {
    weight: 1,
    arbitrary: fc.dictionary(named, fc.constantFrom(true, true, false), {
      maxKeys: 2,
      noNullPrototype: true,
    }),
  },
);
const peers = fc.record({ peers: fc.record({ send: said, receive: said, never }) });
const world = fc.record({
  agents: fc.dictionary(fc.constantFrom(...agents), peers, { minKeys: 6, noNullPrototype: true }),
  scopes: fc.dictionary(keys, peers, { maxKeys: 3, noNullPrototype: true }),
});

interface Peers {
  send: Record<string, unknown>;
  receive: Record<string, unknown>;
  never: Record<string, unknown>;
}
interface World {
  agents: Record<string, { peers: Peers }>;
  scopes: Record<string, { peers: Peers }>;
}

function permits(value: unknown, skill: string | undefined): boolean {
  const skills = (value as { skills?: Record<string, unknown> } | undefined)?.skills;
  return value === true || (skill !== undefined && skills?.[skill] === true);
}

function refuses(value: unknown, skill: string | undefined): boolean {
  const skills = (value as { skills?: Record<string, unknown> } | undefined)?.skills;
  if (value === true) return false;
  return skills === undefined || (skill !== undefined && skills[skill] === false);
}

/** All that is said by the entry of an agent and by every scope that covers it. */
function sayings(of: World, id: string): Peers[] {
  const own = of.agents[id]?.peers;
  const covering = Object.entries(of.scopes).filter(([key]) => covers(key, id));
  return [...(own === undefined ? [] : [own]), ...covering.map(([, each]) => each.peers)];
}

const about = (of: Record<string, unknown>, id: string) =>
  Object.entries(of).flatMap(([key, value]) => (covers(key, id) ? [value] : []));

function expected(of: World, caller: string, target: string, skill: string | undefined): boolean {
  const [from, to] = [of.agents[caller]?.peers, of.agents[target]?.peers];
  if (from === undefined || to === undefined) return false;
  const sends = sayings(of, caller).flatMap((each) => about(each.send, target));
  const receives = sayings(of, target).flatMap((each) => about(each.receive, caller));
  const apart = [
    ...sayings(of, caller).flatMap((each) => about(each.never, target)),
    ...sayings(of, target).flatMap((each) => about(each.never, caller)),
  ];
  if (apart.includes(true)) return false;
  if ([...sends, ...receives].some((each) => refuses(each, skill))) return false;
  const [a, b] = [partsOf(caller), partsOf(target)];
  if (a.trust_domain === b.trust_domain && a.tenant === b.tenant) {
    return (
      sends.some((each) => permits(each, skill)) && receives.some((each) => permits(each, skill))
    );
  }
  return permits(from.send[target], skill) && permits(to.receive[caller], skill);
}

function input(action: string, caller: string, target: string, skill?: string): JsonObject {
  const { trust_domain: _, ...named } = partsOf(target);
  return {
    action,
    identity: partsOf(caller),
    target: named,
    ...(skill === undefined ? {} : { skill }),
    counters: { agent_minute: 1, tenant_minute: 1 },
    context,
  };
}

test('two agents talk exactly when both sides agree and nothing keeps them apart', () => {
  const rules = new Map<string, number>();
  for (const of of fc.sample(world, { numRuns: 120, seed: 5 }) as unknown as World[]) {
    const ask = policiesOver('message', of as unknown as JsonObject);
    for (const caller of agents) {
      for (const target of agents) {
        for (const skill of [undefined, 'sum', 'pay']) {
          const sent = ask(input('send', caller, target, skill));
          const what = `${caller} ${target} ${skill} ${sent.rule} ${JSON.stringify(of)}`;
          assert.is(sent.allow, expected(of, caller, target, skill), what);
          rules.set(sent.rule, (rules.get(sent.rule) ?? 0) + 1);
          if (skill !== undefined) continue;
          assert.equal(ask(input('receive', caller, target)), sent, what);
        }
      }
    }
  }
  for (const rule of ['granted', 'granted_across_tenants', 'separated', 'receive_not_granted']) {
    const seen = rules.get(`platform.message.${rule}`) ?? 0;
    assert.ok(seen > 50, `${rule}: ${seen} times`);
  }
});

test('across tenants no scope of any width lets a message through', () => {
  const [caller, target] = [
    'spiffe://a.local/agent/acme/bot/main',
    'spiffe://a.local/agent/acm/bot/main',
  ];
  const wide = fc.dictionary(
    keys.filter((key) => key !== caller && key !== target),
    fc.constant<JsonValue>(true),
    { minKeys: 3, noNullPrototype: true },
  );
  const sample = fc.tuple(
    wide,
    wide,
    fc.dictionary(keys, fc.constant(null), { minKeys: 2, noNullPrototype: true }),
  );
  for (const [send, receive, scopes] of fc.sample(sample, { numRuns: 200, seed: 6 })) {
    const exact = { peers: { send: { [target]: true }, receive: { [caller]: true } } };
    const ask = policiesOver('message', {
      agents: { [caller]: { peers: { send } }, [target]: { peers: { receive } } },
      scopes: Object.fromEntries(Object.keys(scopes).map((key) => [key, exact])),
    });
    const answer = ask(input('send', caller, target));
    assert.is(answer.allow, false, JSON.stringify({ send, receive, scopes }));
  }
});

test.run();
