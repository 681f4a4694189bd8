// Every route of the gateway decides before it does anything, and leaves the row that says so.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLocalDecider } from '../../runtime/decide/local.ts';
import type { JsonObject, JsonValue } from '../../runtime/json.ts';
import type { Route } from '../common/http/port.ts';
import { MemoryApprovalStore } from './approval-store.ts';
import {
  AGENT,
  type Answer,
  registerTestTools,
  startGateway,
  type TestGateway,
} from './testing.ts';
import { MemoryToolStore } from './tools.ts';

const test = suite<{ g: TestGateway; denying: TestGateway }>('gateway routes');
const approvals = new MemoryApprovalStore(100);
const tools = new MemoryToolStore();

test.before(async (context) => {
  context.g = await startGateway(() => ({ tools, approvals }));
  await registerTestTools(context.g);
  // The real decider with no bundle to decide by: everything is denied, with ids.
  const decider = createLocalDecider({ current: () => undefined });
  context.denying = await startGateway(() => ({ tools, approvals, decider }));
});
test.after(async ({ g, denying }) => {
  await g.close();
  await denying.close();
});

/** A request to a route that would succeed where policy allows it. */
const requests: { [route: string]: (approval: string) => [path: string, body?: JsonValue] } = {
  'GET /health': () => ['/health'],
  'GET /api/v1/tools': () => ['/api/v1/tools'],
  'GET /api/v1/tools/search': () => ['/api/v1/tools/search?q=get'],
  'GET /api/v1/tools/:name': () => ['/api/v1/tools/orders_get'],
  'POST /api/v1/tools/:name/execute': () => [
    '/api/v1/tools/orders_get/execute',
    { arguments: { id: '1' } },
  ],
  'POST /api/v1/tools/register': () => [
    '/api/v1/tools/register',
    { base_url: 'http://127.0.0.1:1', service: 'new', tools: [] },
  ],
  'PUT /api/v1/sessions': () => ['/api/v1/sessions', { spiffe_id: AGENT, prompt: 'hello' }],
  'GET /api/v1/approvals': () => ['/api/v1/approvals'],
  'POST /api/v1/approvals/:id': (id) => [`/api/v1/approvals/${id}`, { verdict: 'allow' }],
};

interface Called {
  route: Route;
  /** Whether the operator's socket served it. */
  isControl: boolean;
  answer: Answer;
}

/** Calls every route of both servers, as the live routers list them. */
async function callAll(g: TestGateway, approval: string): Promise<Called[]> {
  const called: Called[] = [];
  for (const server of [g.agents, g.control]) {
    const isControl = server === g.control;
    for (const route of server.list()) {
      const make = requests[`${route.method} ${route.path}`];
      assert.ok(make, `no request for ${route.method} ${route.path}: add one`);
      const [path, body] = make(approval);
      const answer = isControl
        ? await g.operate(route.method, path, body)
        : await g.call(route.method, path, body);
      called.push({ route, isControl, answer });
    }
  }
  return called;
}

async function parkedApproval(g: TestGateway): Promise<string> {
  const headers = { prefer: 'wait=0' };
  const parked = await g.execute('orders_refund', { id: '1' }, { headers });
  return (parked.body.approval as JsonObject).id as string;
}

test('every route decides, and its row holds the decision that it answered with', async ({ g }) => {
  const called = await callAll(g, await parkedApproval(g));
  assert.ok(called.length >= 9);
  const rows = await g.rows();
  for (const { route, isControl, answer } of called) {
    const name = `${route.method} ${route.path}`;
    if (route.boundary === 'open') {
      assert.is(name, 'GET /health');
      assert.equal(answer.body, { status: 'ok' });
      continue;
    }
    if (route.boundary === 'published') {
      assert.unreachable(`${name}: the gateway has nothing to publish`);
      continue;
    }
    const id = answer.headers['x-platform-decision-id'];
    assert.match(String(id), /^[0-9a-f]{64}$/, name);
    const row = rows.find(({ decisions }) => decisions.some((one) => one.id === id));
    assert.ok(row, `no row for ${name}`);
    const decision = row.decisions.find((one) => one.id === id)!;
    assert.is(decision.boundary, route.boundary.boundary, name);
    assert.is((decision.input as JsonObject).action, route.boundary.action, name);
    const mayRegister = isControl || route.path !== '/api/v1/tools/register';
    assert.is(answer.status < 300, mayRegister, `${name}: ${JSON.stringify(answer.body)}`);
  }
});

test('with every decision a deny, no route tells, changes or sends anything', async (context) => {
  const { g, denying } = context;
  const approval = await parkedApproval(g);
  const [toolsBefore, approvalsBefore] = [await tools.list(), await approvals.list()];
  g.upstream.seen.length = 0;
  const called = await callAll(denying, approval);
  const rows = await denying.rows();
  for (const { route, answer } of called) {
    if (route.boundary === 'open') continue;
    const name = `${route.method} ${route.path}`;
    assert.is(answer.status, 403, `${name}: ${JSON.stringify(answer.body)}`);
    assert.is(answer.body.code, 'denied');
    assert.is((answer.body.reason as JsonObject).code, 'bundle_missing');
    const allowed = ['type', 'title', 'status', 'code', 'detail', 'request_id', 'reason'];
    const extra = Object.keys(answer.body).filter((key) => !allowed.includes(key));
    assert.equal(extra, ['decision_id'], name);
    const row = rows.find(({ request }) => request === answer.body.request_id);
    assert.is(row?.kind, 'denial', name);
    assert.is(row?.decisions[0]?.id, answer.body.decision_id);
  }
  assert.is(denying.upstream.seen.length + g.upstream.seen.length, 0);
  assert.equal(await tools.list(), toolsBefore);
  assert.equal(await approvals.list(), approvalsBefore);
});

test.run();
