// Approvals, attacked: an answer counts once, in time, for exactly the call and agent it was given for.
import { SignJWT } from 'jose';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../runtime/json.ts';
import { Record } from '../../runtime/modules/record.ts';
import { moduleBytes } from '../../runtime/modules/source.ts';
import { type ApprovalRecord, MemoryApprovalStore } from './approval-store.ts';
import { Approvals, type BoundCall, newApprovalKey } from './approvals.ts';
import {
  AGENT,
  type Answer,
  REGISTRAR,
  registerTestTools,
  startGateway,
  startUpstream,
  type TestGateway,
} from './testing.ts';
import { MemoryToolStore } from './tools.ts';

const test = suite<{ g: TestGateway; late: { ms: number } }>('approvals');
test.before(async (context) => {
  context.late = { ms: 0 };
  const clock = () => new Date(Date.now() + context.late.ms);
  context.g = await startGateway(() => ({ clock }));
  await registerTestTools(context.g);
});
test.after(async ({ g }) => {
  await g.close();
});
test.before.each(({ g, late }) => {
  g.upstream.seen.length = 0;
  late.ms = 0;
});

const order = { id: 'r-1' };
const noWait = { headers: { prefer: 'wait=0' } };

const refund = (g: TestGateway, approval?: string, args: JsonObject = order): Promise<Answer> => {
  const headers: { [name: string]: string } = { ...noWait.headers };
  if (approval !== undefined) headers['x-platform-approval'] = approval;
  return g.execute('orders_refund', args, { headers });
};

const park = async (g: TestGateway): Promise<string> => {
  const parked = await refund(g);
  assert.is(parked.status, 202, JSON.stringify(parked.body));
  const approval = parked.body.approval as JsonObject;
  assert.is(approval.question, 'May the agent refund an order?');
  assert.is(g.upstream.seen.length, 0);
  return approval.id as string;
};

async function firstPending(g: TestGateway): Promise<string> {
  for (;;) {
    const { approvals } = (await g.operate('GET', '/api/v1/approvals')).body;
    const found = (approvals as JsonObject[]).find(({ state }) => state === 'pending');
    if (found !== undefined) return found.id as string;
  }
}

const answer = (g: TestGateway, id: string, verdict: string) =>
  g.operate('POST', `/api/v1/approvals/${id}`, { verdict });

test('the row of a parked call names the approval; the arguments are with the operator only', async ({
  g,
}) => {
  const id = await park(g);
  const rows = (await g.rows()).filter((row) => row.detail?.approval === id);
  assert.is(rows.length, 1);
  assert.equal(Object.keys(rows[0]!.detail!).sort(), ['approval', 'call_digest', 'expires_at']);
  assert.not.match(JSON.stringify(rows), 'r-1');
  const { approvals } = (await g.operate('GET', '/api/v1/approvals')).body;
  const shown = (approvals as JsonObject[]).find((approval) => approval.id === id);
  assert.equal(shown?.arguments, order);
});

test('a waiting call goes on as soon as a person allows it', async ({ g }) => {
  const running = g.execute('orders_refund', { id: 'r-waits' });
  let id: string | undefined;
  while (id === undefined) {
    const listed = (await g.operate('GET', '/api/v1/approvals')).body.approvals as JsonObject[];
    const found = listed.find(({ state }) => state === 'pending');
    if (found !== undefined) {
      assert.equal(found.arguments, { id: 'r-waits' });
      assert.not.ok('token' in found);
      id = found.id as string;
    }
  }
  assert.is((await answer(g, id, 'allow')).status, 200);
  const done = await running;
  assert.equal(done.body.result, { refunded: true }, JSON.stringify(done.body));
  const rows = (await g.rows()).filter(({ request }) => request === done.body.request_id);
  assert.equal(
    rows.map(({ kind }) => kind),
    ['event', 'intent', 'outcome'],
  );
  const input = rows[1]!.decisions[0]!.input as JsonObject;
  assert.is((input.approval as JsonObject).id, id);
});

test('a parked call is answered 202, and later goes on with the approval, once', async ({ g }) => {
  const id = await park(g);
  assert.is((await refund(g, id)).status, 202);
  await answer(g, id, 'allow');
  assert.equal((await refund(g, id)).body.result, { refunded: true });
  const again = await refund(g, id);
  assert.is(again.status, 403);
  assert.is(again.body.code, 'approval_used');
  assert.is(g.upstream.seen.length, 1);
});

test('of two uses at once, one goes on', async ({ g }) => {
  const id = await park(g);
  await answer(g, id, 'allow');
  const both = await Promise.all([refund(g, id), refund(g, id)]);
  assert.equal(both.map(({ status }) => status).sort(), [200, 403]);
  assert.is(g.upstream.seen.length, 1);
});

test('an approval is for one call of one agent', async ({ g }) => {
  const id = await park(g);
  await answer(g, id, 'allow');
  assert.is((await refund(g, id, { id: 'r-2' })).body.code, 'approval_mismatch');
  assert.is((await refund(g, 'nonsense')).body.code, 'approval_unknown');
  const spiffeId = AGENT.replace('/main', '/other');
  const headers = { ...noWait.headers, 'x-platform-approval': id };
  const other = await g.execute('orders_refund', order, { spiffeId, headers });
  assert.is(other.status, 403);
  assert.is(g.upstream.seen.length, 0);
  assert.is((await refund(g, id)).status, 200);
});

/** Registers `orders_refund` anew: with another address, method or path, and as somebody else. */
type Register = (change: { url?: string; http?: JsonObject; byAgent?: boolean }) => Promise<void>;

async function withOwnTool(
  use: (g: TestGateway, register: Register, sent: () => number) => Promise<void>,
): Promise<void> {
  const [g, other] = [await startGateway(), await startUpstream()];
  const register: Register = async ({ url = g.upstream.url, http, byAgent = true }) => {
    const input_schema = { type: 'object', properties: { id: { type: 'string' } } };
    const tool = { name: 'refund', action: 'write', input_schema };
    const tools = [{ ...tool, http: { method: 'POST', path: '/refund', ...http } }];
    const body = { base_url: url === '' ? other.url : url, prefix: 'orders', tools };
    const path = '/api/v1/tools/register';
    const { status } = byAgent
      ? await g.call('POST', path, body, { spiffeId: REGISTRAR })
      : await g.operate('POST', path, body);
    assert.is(status, 201);
  };
  try {
    await use(g, register, () => g.upstream.seen.length + other.seen.length);
  } finally {
    await g.close();
    await other.close();
  }
}

const asRegistrar = (g: TestGateway, headers: { [name: string]: string }): Promise<Answer> =>
  g.execute('orders_refund', order, { spiffeId: REGISTRAR, headers });

test('an approval is not for what is registered under the same name later', async () => {
  const changes: Parameters<Register>[0][] = [
    { url: '' },
    { http: { path: '/orders' } },
    { http: { method: 'PUT' } },
    { byAgent: false },
    { byAgent: false, url: '' },
  ];
  for (const change of changes) {
    await withOwnTool(async (g, register, sent) => {
      await register({});
      const parked = await asRegistrar(g, { prefer: 'wait=0' });
      const id = (parked.body.approval as JsonObject).id as string;
      await answer(g, id, 'allow');
      await register(change);
      const retried = await asRegistrar(g, { 'x-platform-approval': id });
      assert.is(retried.body.code, 'approval_mismatch', JSON.stringify([change, retried.body]));
      assert.is(sent(), 0);
      assert.is((await g.rows()).at(-1)?.reason?.code, 'approval_mismatch');
    });
  }
});

test('a tool that is replaced while its call waits is not called, old or new', async () => {
  await withOwnTool(async (g, register, sent) => {
    await register({});
    const waiting = asRegistrar(g, {});
    const id = await firstPending(g);
    await register({ url: '' });
    await answer(g, id, 'allow');
    assert.is((await waiting).body.code, 'approval_mismatch');
    assert.is(sent(), 0);
    // What was approved stands again: the approval is still for it, once.
    await register({});
    assert.is((await asRegistrar(g, { 'x-platform-approval': id })).status, 200);
    assert.is(sent(), 1);
  });
});

test('an approval ends with the session that it was given in', async ({ g }) => {
  const open = () =>
    g.operate('PUT', '/api/v1/sessions', { spiffe_id: REGISTRAR, prompt: 'refund r-1' });
  await open();
  const parked = await asRegistrar(g, noWait.headers);
  const id = (parked.body.approval as JsonObject).id as string;
  await answer(g, id, 'allow');
  await open();
  const retried = await asRegistrar(g, { 'x-platform-approval': id });
  assert.is(retried.body.code, 'approval_mismatch');
  assert.is(g.upstream.seen.length, 0);
});

test('an equal call waits for the same answer while there is none', async () => {
  await withOwnTool(async (g, register, sent) => {
    await register({});
    const idOf = async () =>
      ((await asRegistrar(g, { prefer: 'wait=0' })).body.approval as JsonObject).id as string;
    const [first, ...others] = await Promise.all([idOf(), idOf(), idOf()]);
    assert.equal(others, [first, first]);
    const { approvals } = (await g.operate('GET', '/api/v1/approvals')).body;
    assert.is((approvals as JsonObject[]).length, 1);
    await answer(g, first, 'allow');
    assert.is.not(await idOf(), first);
    const both = [first, first].map((id) => asRegistrar(g, { 'x-platform-approval': id }));
    const codes = (await Promise.all(both)).map(({ status }) => status);
    assert.equal(codes.sort(), [200, 403]);
    assert.is(sent(), 1);
  });
});

test('one agent cannot fill the list that a person reads', async () => {
  const g = await startGateway(() => ({ limits: { agentApprovalsPending: 3 } }));
  try {
    await registerTestTools(g);
    const ask = (id: string, spiffeId = AGENT) =>
      g.execute('orders_refund', { id }, { spiffeId, headers: noWait.headers });
    const ids: string[] = [];
    for (const id of ['1', '2', '3']) {
      ids.push(((await ask(id)).body.approval as JsonObject).id as string);
    }
    const refused = await ask('4');
    assert.equal([refused.status, refused.body.code], [503, 'service_unavailable']);
    assert.match(String(refused.body.detail), 'wait for an approval');
    assert.is((await g.rows()).at(-1)?.reason?.code, 'service_unavailable');
    assert.is((await ask('3')).status, 202, 'an equal call is no new question');
    assert.is((await ask('4', REGISTRAR)).status, 202, 'others may still ask');
    await answer(g, ids[0]!, 'deny');
    assert.is((await ask('4')).status, 202);
  } finally {
    await g.close();
  }
});

test('a refusal refuses, with the decision that took it', async ({ g }) => {
  const id = await park(g);
  await answer(g, id, 'deny');
  const refused = await refund(g, id);
  assert.is(refused.body.code, 'approval_denied');
  assert.is((refused.body.reason as JsonObject).code, 'approval_refused');
  assert.match(String(refused.body.decision_id), /^[0-9a-f]{64}$/);
  assert.is((await answer(g, id, 'allow')).body.code, 'approval_used');
  assert.is((await refund(g, id)).body.code, 'approval_denied');
  assert.is(g.upstream.seen.length, 0);
});

test('approvals expire, answered or not', async ({ g, late }) => {
  const allowed = await park(g);
  await answer(g, allowed, 'allow');
  const unanswered = await park(g);
  late.ms = 600_001;
  assert.is((await refund(g, unanswered)).body.code, 'approval_expired');
  assert.is((await refund(g, allowed)).body.code, 'approval_expired');
  assert.is((await answer(g, unanswered, 'allow')).body.code, 'approval_expired');
  assert.is(g.upstream.seen.length, 0);
});

test('answers of another shape or to nothing are refused', async ({ g }) => {
  const id = await park(g);
  assert.is((await answer(g, id, 'perhaps')).body.code, 'input_invalid');
  assert.is((await answer(g, 'nonsense', 'allow')).body.code, 'approval_unknown');
  const path = `/api/v1/approvals/${id}`;
  assert.is((await g.call('POST', path, { verdict: 'allow' })).body.code, 'route_unknown');
});

test('a client that goes away leaves its call parked', async ({ g }) => {
  const leaving = new AbortController();
  const gone = { id: 'r-gone' };
  const running = g.execute('orders_refund', gone, { signal: leaving.signal });
  const pending = async () => {
    const listed = (await g.operate('GET', '/api/v1/approvals')).body.approvals as JsonObject[];
    return listed.find((one) => (one.arguments as JsonObject).id === 'r-gone');
  };
  while ((await pending()) === undefined);
  leaving.abort();
  await running.catch(() => undefined);
  const id = (await pending())!.id as string;
  await answer(g, id, 'allow');
  assert.is((await refund(g, id, gone)).status, 200);
});

test('only a token of the platform for this very call is believed', async () => {
  const record = Record.create(moduleBytes('record'));
  const tools = new MemoryToolStore();
  const g = await startGateway(() => ({ tools }));
  await registerTestTools(g).finally(() => g.close());
  const tool = (await tools.get('orders_get'))!;
  const call: BoundCall = { spiffe_id: AGENT, session: '', tool, arguments: {} };
  const key = newApprovalKey();
  const clock = () => new Date();
  const present = async (change: (real: ApprovalRecord) => Promise<Partial<ApprovalRecord>>) => {
    const store = new MemoryApprovalStore(10);
    const approvals = new Approvals({ store, key, record, ttlMs: 60_000, clock });
    const { approval: asked } = await approvals.ask(call, '?');
    const real = await approvals.answer(asked.id, 'allow', 'operator');
    await store.update(asked.id, 'allowed', await change(real));
    return approvals.present(asked.id, call).then(
      ({ verdict }) => verdict,
      (error) => error.code,
    );
  };
  const forged = (real: ApprovalRecord, signer: typeof key.privateKey, claims: JsonObject) =>
    new SignJWT({ call_digest: real.call_digest, verdict: 'allow', approver: 'x', ...claims })
      .setProtectedHeader({ alg: 'EdDSA', typ: 'approval+jwt' })
      .setIssuer('platform/approvals')
      .setSubject(AGENT)
      .setJti(typeof claims.jti === 'string' ? claims.jti : real.id)
      .setExpirationTime('1h')
      .sign(signer);
  const other = newApprovalKey().privateKey;
  assert.is(await present(async () => ({})), 'allow');
  const refusals = [
    await present(async () => ({ token: '' })),
    await present(async (real) => ({ token: await forged(real, other, {}) })),
    await present(async (real) => ({ token: await forged(real, key.privateKey, { jti: 'x' }) })),
    await present(async (real) => ({
      token: await forged(real, key.privateKey, { call_digest: 'sha256:00' }),
    })),
    await present(async (real) => {
      const [, payload] = real.token!.split('.');
      const none = Buffer.from('{"alg":"none","typ":"approval+jwt"}').toString('base64url');
      return { token: `${none}.${payload}.` };
    }),
  ];
  assert.equal([...new Set(refusals)], ['approval_mismatch']);
});

test.run();
