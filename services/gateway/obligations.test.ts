// What an allow obliges the gateway to, against a real upstream: sizes, redaction, rates and budgets.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf } from '../../runtime/errors.ts';
import { Conduct } from '../../runtime/evidence/audit/conduct.ts';
import type { JsonObject, JsonValue } from '../../runtime/json.ts';
import { sampleAgent } from '../../runtime/testing/sample-data.ts';
import { MemoryKeyValue } from '../common/keyvalue/keyvalue.ts';
import { REDACTED, redact, requireSmall } from './obligations.ts';
import {
  type Answer,
  deciderOf,
  registerTestTools,
  startGateway,
  type TestGateway,
} from './testing.ts';

/** All may read and write `orders`; the first and the last are of one tenant. */
const [PLAIN, RATED, PAYING, SMALL, SHARING] = [0, 16, 24, 32, 40].map(sampleAgent) as [
  ...[string, string, string, string, string],
];
const MALFORMED = sampleAgent(48);
const body = (id: string) => JSON.stringify({ id: `/orders/${id}`, total: 12 });

const policy = `package platform.tool.operator

oblige contains {"kind": "redact", "paths": ["/token", "/people/*/email", "/none/at/all"]} if {
	input.resource.name in {"orders_any", "orders_fail", "orders_text", "orders_empty"}
}

oblige contains {"kind": "redact", "paths": [""]} if input.resource.name == "orders_headers"

oblige contains {"kind": "rate", "limit": 3, "window_seconds": 3600, "per": "tenant"} if {
	input.resource.name == "orders_shared"
}

oblige contains {"kind": "budget", "currency": "EUR", "limit": 600, "per": "tenant"} if {
	input.resource.name == "orders_pay"
	input.identity.agent in {"agent-0", "agent-40"}
}

oblige contains {"kind": "log"} if input.resource.name == "orders_odd"

require_approval contains {"question": "Pay?"} if input.arguments.ask == true
`;

const test = suite<{ g: TestGateway }>('gateway obligations');
let now = Date.parse('2026-05-31T23:00:00.000Z');
const keyValue = new MemoryKeyValue(() => new Date(now));

test.before(async (context) => {
  const decider = await deciderOf(policy, (agents) => {
    const limit = (spiffeId: string, limits: JsonValue) => {
      (agents[spiffeId]!.resources.orders as JsonObject).limits = limits;
    };
    limit(RATED, { rate: { limit: 3, window_seconds: 60 } });
    limit(PAYING, { budget: { currency: 'EUR', limit: 600 } });
    limit(SMALL, { max_bytes: body('1').length });
    limit(MALFORMED, { max_bytes: '100' });
  });
  context.g = await startGateway(() => ({ decider, keyValue, clock: () => new Date(now) }));
  await registerTestTools(context.g);
  const of = (name: string, more: JsonObject = {}) => ({
    ...{ name, description: '', action: 'write', input_schema: { type: 'object' } },
    http: { method: 'POST', path: '/orders' },
    ...more,
  });
  const cost = { currency: 'EUR', minor: 250 };
  const tools = [
    of('any'),
    of('shared'),
    of('odd'),
    of('pay', { cost }),
    of('gift', { cost: null }),
  ];
  const all = { base_url: context.g.upstream.url, prefix: 'orders', service: 'orders', tools };
  const registered = await context.g.operate('POST', '/api/v1/tools/register', all as JsonValue);
  assert.equal((registered.body.tools as string[]).length, tools.length);
});
test.before.each(({ g }) => {
  g.upstream.seen.length = 0;
  now += 2 * 86_400_000;
});
test.after(async ({ g }) => {
  const conduct = new Conduct();
  for (const row of await g.rows()) assert.is(conduct.check(row), undefined, JSON.stringify(row));
  await g.close();
});

const reasonOf = ({ body }: Answer) => (body.reason as JsonObject | undefined)?.code;
async function outcomeOf(g: TestGateway, { body }: Answer) {
  return (await g.rows()).findLast(({ request }) => request === body.request_id)!;
}

test('max_bytes: a larger answer is withheld whole, and the row says so', async ({ g }) => {
  const fits = await g.execute('orders_get', { id: '1' }, { spiffeId: SMALL });
  assert.equal(fits.body.result, JSON.parse(body('1')));
  const large = await g.execute('orders_get', { id: '12' }, { spiffeId: SMALL });
  assert.is(large.body.success, false);
  assert.is(large.body.result, null);
  assert.equal(large.body.error, {
    code: 'result_too_large',
    message: `policy lets at most ${body('1').length} bytes of an answer through`,
  });
  const row = await outcomeOf(g, large);
  assert.equal(
    [row.kind, row.outcome, row.reason?.code],
    ['outcome', 'denied', 'result_too_large'],
  );
  assert.is(row.detail?.bytes, body('12').length);
});

test('redact: what the paths lead to is gone from results, errors and rows', async ({ g }) => {
  const people: JsonValue = [{ email: 'a@example.org', name: 'Ann' }, { name: 'Bob' }, 7];
  const answer = await g.execute('orders_any', { token: { deep: 'swordfish' }, people, total: 1 });
  assert.equal(answer.body.result, {
    token: REDACTED,
    people: [{ email: REDACTED, name: 'Ann' }, { name: 'Bob' }, 7],
    total: 1,
  });
  const row = await outcomeOf(g, answer);
  assert.equal(row.detail?.redacted_paths, ['/people/*/email', '/token']);
  const failed = await g.execute('orders_fail', {});
  assert.equal((failed.body.error as JsonObject).body, { error: 'no such order', token: REDACTED });
  assert.equal((await outcomeOf(g, failed)).detail?.redacted_paths, ['/token']);
  const whole = await g.execute('orders_headers', {});
  assert.is(whole.body.result, REDACTED);
});

test('redact: text has no parts to redact and is withheld, no answer is none', async ({ g }) => {
  const text = await g.execute('orders_text', {});
  assert.is((text.body.error as JsonObject).code, 'result_not_redactable');
  assert.is(text.body.result, null);
  assert.is((await outcomeOf(g, text)).outcome, 'denied');
  const empty = await g.execute('orders_empty', {});
  assert.equal([empty.body.success, empty.body.result], [true, null]);
});

test('rate: calls of a service are counted by agent, and the next window begins anew', async ({
  g,
}) => {
  const call = () => g.execute('orders_get', { id: '1' }, { spiffeId: RATED });
  for (let count = 0; count < 3; count++) assert.is((await call()).status, 200);
  const fourth = await call();
  assert.equal([fourth.status, reasonOf(fourth)], [403, 'rate_exceeded']);
  assert.is(g.upstream.seen.length, 3);
  const { decisions } = await outcomeOf(g, fourth);
  const { counters } = decisions[0]!.input as { counters: { calls: JsonObject } };
  assert.equal(counters.calls.agent, { minute: 4, hour: 4, day: 4 });
  assert.is((await g.execute('orders_get', { id: '1' }, { spiffeId: PLAIN })).status, 200);
  now += 60_000;
  assert.is((await call()).status, 200);
});

test('rate: a limit of the tenant counts the calls of all its agents', async ({ g }) => {
  const call = (spiffeId: string) => g.execute('orders_shared', {}, { spiffeId });
  const statuses: number[] = [];
  for (const agent of [PLAIN, SHARING, SHARING, PLAIN]) statuses.push((await call(agent)).status);
  assert.equal(statuses, [200, 200, 200, 403]);
});

const pay = (g: TestGateway, spiffeId = PAYING, args: JsonObject = {}) =>
  g.execute('orders_pay', args, { spiffeId, headers: { prefer: 'wait=0' } });

test('budget: of calls at one time as many go out as the budget holds', async ({ g }) => {
  const answers = await Promise.all(Array.from({ length: 5 }, () => pay(g)));
  const allowed = answers.filter(({ status }) => status === 200);
  // Each saw the others' cost. What was refused gave its own back.
  assert.ok(allowed.length <= 2);
  assert.is(g.upstream.seen.length, allowed.length);
  for (let left = 2 - allowed.length; left > 0; left--) assert.is((await pay(g)).status, 200);
  const over = await pay(g);
  assert.equal([over.status, reasonOf(over)], [403, 'budget_exceeded']);
  assert.is(g.upstream.seen.length, 2);
  const { decisions } = await outcomeOf(g, over);
  const input = decisions[0]!.input as { counters: JsonObject; resource: JsonObject };
  assert.equal(input.counters.spend, { agent: 750, tenant: 750 });
  assert.equal(input.resource.cost, { currency: 'EUR', minor: 250 });
});

test('budget: what is parked, refused or unsendable costs nothing; the month ends', async ({
  g,
}) => {
  now = Date.parse('2026-08-31T23:59:00.000Z');
  for (let count = 0; count < 4; count++) {
    assert.is((await pay(g, PAYING, { ask: true })).status, 202);
    const key = ['gh', 'p_', 'a1B2'.repeat(7), 'a13tNSQc'].join('');
    assert.is((await pay(g, PAYING, { note: `take ${key}` })).body.code, 'guard_blocked');
  }
  assert.equal(
    [(await pay(g)).status, (await pay(g)).status, (await pay(g)).status],
    [200, 200, 403],
  );
  now += 60_000;
  assert.is((await pay(g)).status, 200);
});

test('budget: of the tenant, and none for a tool whose cost nobody said', async ({ g }) => {
  now = Date.parse('2026-10-10T00:00:00.000Z');
  const statuses: number[] = [];
  for (const agent of [PLAIN, SHARING, PLAIN]) statuses.push((await pay(g, agent)).status);
  assert.equal(statuses, [200, 200, 403]);
  const free = await g.execute('orders_gift', {}, { spiffeId: PAYING });
  assert.equal([free.status, reasonOf(free)], [403, 'budget_exceeded']);
});

test('malformed limits and unknown obligations refuse', async ({ g }) => {
  const malformed = await g.execute('orders_get', { id: '1' }, { spiffeId: MALFORMED });
  assert.equal([malformed.status, reasonOf(malformed)], [403, 'limits_invalid']);
  const odd = await g.execute('orders_odd', {});
  assert.equal([odd.status, reasonOf(odd)], [403, 'limits_invalid']);
  assert.is(g.upstream.seen.length, 0);
});

test('a cost has one form, and only an operator says it', async ({ g }) => {
  const register = (cost: JsonValue) => {
    const http = { method: 'POST', path: '/orders' };
    const tool = { name: 'cost', description: '', action: 'write', input_schema: {}, http };
    const body = {
      base_url: g.upstream.url,
      prefix: 'orders',
      service: 'orders',
      tools: [tool],
      cost,
    };
    return g.operate('POST', '/api/v1/tools/register', body);
  };
  const odd: JsonValue[] = [
    ...[7, 'EUR', {}, { currency: 'EUR' }, { currency: 'eur', minor: 1 }],
    ...[
      { currency: 'EUR', minor: -1 },
      { currency: 'EUR', minor: 1.5 },
      { currency: 'EUR', minor: '1' },
    ],
  ];
  for (const cost of odd) assert.is((await register(cost)).body.code, 'input_invalid');
  assert.is((await register({ currency: 'EUR', minor: 0 })).status, 201);
  const shown = await g.call('GET', '/api/v1/tools/orders_cost');
  assert.equal(shown.body.cost, { currency: 'EUR', minor: 0 });
});

test('no path of a redaction survives, and nothing else changes', () => {
  const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>;
  const segment = fc.oneof(
    fc.string({ maxLength: 3 }),
    fc.constantFrom('0', '1', '*', '__proto__', 'a/b', '~'),
  );
  const pointer = (segments: string[]) =>
    segments.map((one) => `/${one.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  /** The value at the end of the way, with something beside it at every step. */
  const placed = (way: string[], value: JsonValue, beside: JsonValue) =>
    way.reduceRight<JsonValue>((inner, name) => {
      const entries = [['beside', beside] as const, [name, inner] as const];
      return name === '*' ? [inner, inner] : Object.fromEntries(entries);
    }, value);
  const ways = fc.array(segment, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(json, ways, json, (beside, way, secret) => {
      const obligations = [{ kind: 'redact', paths: [pointer(way)] }];
      const { result, paths } = redact(placed(way, secret, beside), obligations);
      assert.equal(result, placed(way, REDACTED, beside));
      assert.equal(paths, secret === REDACTED ? [] : [pointer(way)]);
    }),
  );
});

test('an answer of another form than the path was written for is withheld', () => {
  const email = 'a@example.org';
  for (const [path, answer] of [
    ['/customer/email', [{ customer: { email } }]],
    ['/customer/email', { customer: [{ email }] }],
    ['/customer/email', { customer: email }],
    ['/people/*/email', { people: { first: { email } } }],
    ['/people/*/email', { people: [email] }],
    ['/people/01/email', { people: [{ email }] }],
  ] as [string, JsonValue][]) {
    try {
      redact(answer, [{ kind: 'redact', paths: [path] }]);
      assert.unreachable(path);
    } catch (error) {
      assert.is(codeOf(error), 'result_not_redactable', path);
    }
  }
});

test('the smallest of several limits counts, and other kinds limit nothing', () => {
  const limits = [40, 20, 30].map((bytes) => ({ kind: 'max_bytes', bytes }));
  requireSmall(20, limits);
  requireSmall(1e9, [{ kind: 'redact', paths: [''] }]);
  try {
    requireSmall(21, limits);
    assert.unreachable();
  } catch (error) {
    assert.is(codeOf(error), 'result_too_large');
  }
});

test.run();
