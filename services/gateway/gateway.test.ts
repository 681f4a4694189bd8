// The gateway as agents and operators use it, against real modules, policies and a real upstream.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../runtime/json.ts';
import {
  AGENT,
  type Answer,
  READER,
  REGISTRAR,
  registerTestTools,
  SECRET,
  startGateway,
  type TestGateway,
} from './testing.ts';

const test = suite<{ g: TestGateway }>('gateway');

test.before(async (context) => {
  context.g = await startGateway();
  await registerTestTools(context.g);
});
test.after(async ({ g }) => {
  await g.close();
});
test.before.each(({ g }) => {
  g.upstream.seen.length = 0;
});

test('a call is decided, evidenced, sent with the credential, and answered', async ({ g }) => {
  const answer = await g.execute('orders_get', { id: 'a/b ?' });
  assert.is(answer.status, 200, JSON.stringify(answer.body));
  assert.equal(answer.body.result, { id: '/orders/a%2Fb%20%3F', total: 12 });
  assert.is(answer.body.success, true);
  assert.is(g.upstream.seen[0]?.headers.authorization, `Bearer ${SECRET}`);
  const decisions = answer.body.decisions as JsonObject;
  const names = ['authorization', 'arguments', 'guard', 'credential', 'guard_output'];
  assert.equal(Object.keys(decisions), names);
  const rows = (await g.rows()).filter(({ request }) => request === answer.body.request_id);
  assert.equal(
    rows.map(({ kind, outcome }) => [kind, outcome]),
    [
      ['intent', undefined],
      ['outcome', 'ok'],
    ],
  );
  assert.is(rows[0]!.action, rows[1]!.action);
  assert.is(rows[0]!.spiffe_id, AGENT);
  const ids = rows.flatMap((row) => row.decisions.map(({ id }) => id));
  assert.equal(ids, Object.values(decisions));
  assert.ok(rows[0]!.controls.includes('SOC2:CC6.1'));
});

test('arguments reach body and query as JSON Schema tools bind them', async ({ g }) => {
  const answer = await g.execute('orders_create', { item: 'hat', count: 2 });
  assert.equal(answer.body.result, { item: 'hat', count: 2 });
  assert.is(g.upstream.seen[0]?.method, 'POST');
});

test('the context of the first enforcement point is kept', async ({ g }) => {
  const headers = {
    'x-platform-request-id': 'req-7',
    'x-platform-time': '2026-01-02T03:04:05.006Z',
    'x-platform-salt': '00'.repeat(32),
  };
  const one = await g.execute('orders_get', { id: 'x' }, { headers });
  assert.is(one.body.request_id, 'req-7');
  const row = (await g.rows()).find(({ request }) => request === 'req-7')!;
  const { input } = row.decisions[0]!;
  const time = '2026-01-02T03:04:05.006Z';
  assert.equal((input as JsonObject).context, { time, request_id: 'req-7' });
});

test('every denial leaves a row with its decision and reaches nothing', async ({ g }) => {
  const cases: [Answer, number, string, string][] = [
    [await g.execute('nothing', {}), 404, 'tool_unknown', 'tool_unknown'],
    [await g.execute('vault_get', { id: 'x' }), 403, 'denied', 'service_not_granted'],
    [
      await g.execute('orders_create', { item: 'hat', count: 1 }, { spiffeId: READER }),
      403,
      'denied',
      'action_not_granted',
    ],
    [await g.execute('orders_get', { id: 'sunday' }), 403, 'denied', 'never_on_sunday'],
    [
      await g.execute('orders_get', {}, { spiffeId: 'spiffe://platform.local/agent/x/y/z' }),
      403,
      'denied',
      'unknown_agent',
    ],
    [
      await g.execute('orders_get', { id: `key ${['AKI', 'A', 'Q7PT3XKW5LM2ZRVD'].join('')}` }),
      403,
      'guard_blocked',
      'guard_blocked',
    ],
    // The reader may read orders, but not use their credential.
    [
      await g.execute('orders_get', { id: 'x' }, { spiffeId: READER }),
      403,
      'denied',
      'credential_not_granted',
    ],
  ];
  const rows = await g.rows();
  for (const [answer, status, code, reason] of cases) {
    assert.is(answer.status, status, JSON.stringify(answer.body));
    assert.is(answer.body.code, code);
    assert.is((answer.body.reason as JsonObject).code, reason);
    const found = rows.filter(({ request }) => request === answer.body.request_id);
    assert.equal(
      found.map(({ kind }) => kind),
      ['denial'],
    );
    assert.is(found[0]!.reason?.code, reason);
    if (code === 'tool_unknown') continue;
    assert.ok(found[0]!.decisions.some(({ id }) => id === answer.body.decision_id));
  }
  assert.is(g.upstream.seen.length, 0);
});

test('arguments that do not fit say each violation with its pointer', async ({ g }) => {
  const answer = await g.execute('orders_create', { item: 7, count: 0, extra: true });
  assert.is(answer.status, 422);
  assert.is(answer.body.code, 'arguments_invalid');
  const violations = answer.body.violations as JsonObject[];
  const pointers = violations.map(({ pointer, keyword }) => `${pointer} ${keyword}`).sort();
  assert.equal(pointers, ['/count minimum', '/extra additionalProperties', '/item type']);
  // The name that the caller chose is the caller's content, which evidence never has in clear.
  const rows = (await g.rows()).filter(({ request }) => request === answer.body.request_id);
  assert.is(rows.length, 1);
  assert.not.match(JSON.stringify(rows), /extra/);
  assert.match(JSON.stringify(rows), '/*1');
  const dots = await g.execute('orders_get', { id: '..' });
  assert.is(dots.status, 422);
  assert.is(g.upstream.seen.length, 0);
});

test('a secret in any key or string is stopped, an argument for one is not', async ({ g }) => {
  const tool = {
    ...{ name: 'any', description: '', action: 'write', input_schema: { type: 'object' } },
    http: { method: 'POST', path: '/refund' },
  };
  const body = { base_url: g.upstream.url, prefix: 'orders', service: 'orders', tools: [tool] };
  assert.is((await g.operate('POST', '/api/v1/tools/register', body)).status, 201);
  const fine = await g.execute('orders_any', { password: 'new_password_2024', user: 'emma' });
  assert.is(fine.body.success, true, JSON.stringify(fine.body));
  const token = ['gh', 'p_', 'a1B2'.repeat(7), 'a13tNSQc'].join('');
  const hostile: JsonObject[] = [
    { text: `take ${token}` },
    { [token]: 1 },
    { deep: [{ list: ['a', token] }] },
    { text: `the password: ${'hunter2'.repeat(2)}` },
  ];
  for (const args of hostile) {
    const answer = await g.execute('orders_any', args);
    assert.is(answer.body.code, 'guard_blocked', JSON.stringify(args));
  }
});

test('what the upstream does wrong is a result with a stable code, and an outcome', async ({
  g,
}) => {
  const cases: [string, string, string][] = [
    ['orders_hang', 'tool_timeout', 'error'],
    ['orders_stall', 'tool_timeout', 'error'],
    ['orders_die', 'tool_unreachable', 'error'],
    ['orders_large', 'tool_response_too_large', 'error'],
    ['orders_redirect', 'tool_failed', 'error'],
    ['orders_bytes', 'tool_response_invalid', 'error'],
    ['orders_badjson', 'tool_response_invalid', 'error'],
    ['orders_bignumber', 'tool_response_invalid', 'error'],
    ['orders_secret', 'guard_output_blocked', 'denied'],
    ['orders_invisible', 'guard_output_blocked', 'denied'],
  ];
  for (const [tool, code, outcome] of cases) {
    const answer = await g.execute(tool, {});
    assert.is(answer.status, 200, tool);
    assert.is(answer.body.success, false, tool);
    assert.is(answer.body.result, null);
    assert.is((answer.body.error as JsonObject).code, code, tool);
    const rows = (await g.rows()).filter(({ request }) => request === answer.body.request_id);
    assert.is(rows[1]?.outcome, outcome, tool);
    assert.is(rows[1]?.reason?.code, code);
  }
  assert.is((await g.execute('orders_text', {})).body.result, 'just text');
  assert.is((await g.execute('orders_empty', {})).body.result, null);
});

test('a credential is in no answer, no error and no evidence', async ({ g }) => {
  const answers = [
    await g.execute('orders_headers', {}),
    await g.execute('orders_fail', {}),
    await g.execute('orders_encoded', {}),
    await g.execute('orders_die', {}),
  ];
  assert.is((answers[1]!.body.error as JsonObject).status, 404);
  const everything = JSON.stringify([answers, await g.rows()]);
  assert.not.match(everything, new RegExp(SECRET));
  assert.not.match(everything, new RegExp(Buffer.from(SECRET).toString('base64')));
  assert.match(JSON.stringify(answers[0]!.body), /redacted/);
  const { request_id } = answers[0]!.body;
  const outcome = (await g.rows()).findLast(({ request }) => request === request_id);
  assert.is(outcome?.detail?.redacted, true);
});

test('an unauthenticated or malformed request is refused, with a row', async ({ g }) => {
  const cases: [Answer, number, string][] = [
    [await g.execute('orders_get', {}, { spiffeId: null }), 401, 'unauthenticated'],
    [await g.execute('orders_get', {}, { spiffeId: 'spiffe://x/y' }), 400, 'spiffe_id_invalid'],
    [await g.call('POST', '/api/v1/tools/orders_get/execute', []), 400, 'input_invalid'],
    [
      await g.call('POST', '/api/v1/tools/orders_get/execute', { arguments: [] }),
      400,
      'input_invalid',
    ],
    [
      await g.call(
        'POST',
        '/api/v1/tools/orders_get/execute',
        {},
        {
          headers: { 'content-type': 'text/plain' },
        },
      ),
      415,
      'content_type_unsupported',
    ],
    [await g.execute('orders_get', { id: 'x'.repeat(300_000) }), 413, 'input_too_large'],
  ];
  const rows = await g.rows();
  for (const [answer, status, code] of cases) {
    assert.is(answer.status, status, JSON.stringify(answer.body));
    assert.is(answer.body.code, code);
    const id = answer.headers['x-platform-request-id'];
    assert.is(rows.find(({ request }) => request === id)?.reason?.code, code);
  }
  assert.is(g.upstream.seen.length, 0);
});

test('agents see the tools that they may get, and no others', async ({ g }) => {
  const names = (answer: Answer) => (answer.body.tools as JsonObject[]).map(({ name }) => name);
  const all = names(await g.call('GET', '/api/v1/tools'));
  assert.ok(all.includes('orders_get') && !all.includes('vault_get'));
  assert.equal(names(await g.call('GET', '/api/v1/tools?tag=refund')), ['orders_refund']);
  assert.equal(names(await g.call('GET', '/api/v1/tools?service=vault')), []);
  const found = await g.call('GET', '/api/v1/tools/search?q=refund');
  const results = found.body.results as { tool: JsonObject; score: number }[];
  assert.is(results[0]?.tool.name, 'orders_refund');
  const one = await g.call('GET', '/api/v1/tools/orders_create');
  const { name, service, action, source, tool_type, parameters } = one.body;
  assert.equal([name, service, action], ['orders_create', 'orders', 'write']);
  assert.equal([source, tool_type], ['schema', 'function']);
  assert.equal((parameters as JsonObject[])[1], { name: 'item', type: 'string', required: false });
  assert.not.ok('binding' in one.body || 'credential' in one.body);
  assert.is((await g.call('GET', '/api/v1/tools/vault_get')).status, 403);
});

test('registers tools from schemas and refuses what it cannot hold', async ({ g }) => {
  const tool = (
    name: string,
    schema: JsonObject,
    http: JsonObject = { method: 'GET', path: '/x' },
  ) => ({
    name,
    description: '',
    action: 'read',
    input_schema: schema,
    http,
  });
  const tools = [
    tool('fine', { type: 'object' }),
    tool('uneven', { type: 'object', properties: { a: { unevaluatedItems: false } } }),
    tool('bad name!', { type: 'object' }),
    tool('fine2', { type: 'object' }, { method: 'GET', path: '/a?b' }),
    tool('fine3', { type: 'object' }, { method: 'TRACE', path: '/a' }),
  ];
  const body = { base_url: g.upstream.url, prefix: '', service: 'misc', tools };
  const answer = await g.operate('POST', '/api/v1/tools/register', body as never);
  assert.is(answer.status, 201, JSON.stringify(answer.body));
  assert.equal(answer.body.tools, ['fine']);
  const codes = (answer.body.rejected as JsonObject[]).map(({ code }) => code);
  assert.equal(codes, [
    'schema_keyword_unsupported',
    'input_invalid',
    'input_invalid',
    'input_invalid',
  ]);
  const stolen = { ...body, service: 'thief', tools: [tool('fine', { type: 'object' })] };
  const clash = await g.operate('POST', '/api/v1/tools/register', stolen as never);
  assert.is((clash.body.rejected as JsonObject[])[0]?.code, 'tool_exists');
  const denied = await g.call('POST', '/api/v1/tools/register', body as never);
  assert.is(denied.body.code, 'denied');
});

test('an agent that may register can neither take over tools nor place credentials', async ({
  g,
}) => {
  const tool = (name: string) => ({
    name,
    description: '',
    action: 'read',
    input_schema: { type: 'object' },
    http: { method: 'GET', path: '/text' },
  });
  const register = (tools: JsonObject[], more: JsonObject = {}) => {
    const body = { base_url: g.upstream.url, prefix: 'orders', service: 'orders', tools, ...more };
    return g.call('POST', '/api/v1/tools/register', body, { spiffeId: REGISTRAR });
  };
  const own = await register([tool('own'), tool('get')]);
  assert.equal(own.body.tools, ['orders_own'], JSON.stringify(own.body));
  assert.is((own.body.rejected as JsonObject[])[0]?.code, 'tool_exists');
  assert.equal((await register([tool('own')])).body.tools, ['orders_own']);
  const credential = { name: 'orders-key', header: 'x-key', format: '{value}' };
  const placed = await register([tool('leak')], { credential });
  assert.is(placed.body.code, 'input_invalid');
  assert.is((await g.call('GET', '/api/v1/tools/orders_leak')).body.code, 'tool_unknown');
});

test('an agent registers tools only of listed services that it may write to', async ({ g }) => {
  const register = (service: string) => {
    const http = { method: 'GET', path: '/text' };
    const tool = { name: 'new', description: '', action: 'read', input_schema: {}, http };
    const body = { base_url: g.upstream.url, prefix: service, service, tools: [tool] };
    return g.call('POST', '/api/v1/tools/register', body, { spiffeId: REGISTRAR });
  };
  assert.equal((await register('orders')).body.tools, ['orders_new']);
  // Only for reading; not at all; for writing, but not listed.
  const refused = [
    ['mail', 'catalog_not_granted'],
    ['payments', 'catalog_not_granted'],
    ['files', 'service_not_listed'],
  ] as const;
  for (const [service, code] of refused) {
    const answer = await register(service);
    assert.is(answer.status, 403, service);
    assert.is((answer.body.reason as JsonObject).code, code);
    assert.is((await g.call('GET', `/api/v1/tools/${service}_new`)).body.code, 'tool_unknown');
  }
  const row = (await g.rows()).at(-2)!;
  assert.equal([row.kind, row.boundary], ['denial', 'registration']);
  assert.equal(
    row.decisions.map(({ boundary, input }) => [boundary, (input as JsonObject).resource]),
    [
      ['registration', { kind: 'catalog' }],
      [
        'registration',
        {
          ...{ kind: 'catalog', service: 'files', source: 'schema', tools: 1 },
          origin: g.upstream.url,
        },
      ],
    ],
  );
});

test('the credential is decided by its name, its origin and who bound it', async ({ g }) => {
  const answer = await g.execute('orders_get', { id: '1' });
  const rows = await g.rows();
  const { decisions } = rows.find(
    ({ request, kind }) => request === answer.body.request_id && kind === 'intent',
  )!;
  const { resource } = decisions.find(({ boundary }) => boundary === 'credential')!
    .input as JsonObject;
  assert.equal(resource, {
    kind: 'credential',
    name: 'orders-key',
    service: 'orders',
    origin: g.upstream.url,
    registered_by: 'spiffe://platform.local/operator/local',
  });
});

test('registers an OpenAPI document and calls what it describes', async ({ g }) => {
  const spec = {
    openapi: '3.1.0',
    info: { title: 'orders', version: '1' },
    paths: {
      '/orders/{id}': {
        get: {
          operationId: 'showOrder',
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
          responses: { 200: { description: 'an order' } },
        },
      },
    },
  };
  const body = { spec, base_url: g.upstream.url, prefix: 'shop', service: 'orders' };
  const answer = await g.operate('POST', '/api/v1/tools/register', body as never);
  const [name] = answer.body.tools as string[];
  const called = await g.execute(name!, { id: '7' });
  assert.equal(called.body.result, { id: '/orders/7', total: 12 });
});

test('sessions and their provenance reach the decision, prompts never the evidence', async ({
  g,
}) => {
  const session = { spiffe_id: AGENT, prompt: 'please show order raspberry-42' };
  const opened = await g.operate('PUT', '/api/v1/sessions', session);
  assert.is(opened.status, 200, JSON.stringify(opened.body));
  const answer = await g.execute('orders_get', { id: 'raspberry-42' });
  const rows = await g.rows();
  const row = rows.find(({ request }) => request === answer.body.request_id)!;
  const input = row.decisions[0]!.input as JsonObject;
  assert.equal(input.session, { id: opened.body.id, calls: 0, asked: 0 });
  assert.ok('$commitment' in (input.provenance as JsonObject));
  assert.not.match(JSON.stringify(rows), /raspberry/);
  assert.is((await g.call('PUT', '/api/v1/sessions', session)).body.code, 'route_unknown');
});

test.run();
