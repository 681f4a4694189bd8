// Approvals, attacked: an answer counts once, in time, for exactly the call and agent it was given for.
import { SignJWT } from 'jose';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../runtime/json.ts';
import { Record } from '../../runtime/modules/record.ts';
import { moduleBytes } from '../../runtime/modules/source.ts';
import {
  type ApprovalRecord,
  Approvals,
  type BoundCall,
  MemoryApprovalStore,
  newApprovalKey,
} from './approvals.ts';
import {
  AGENT,
  type Answer,
  registerTestTools,
  startGateway,
  type TestGateway,
} from './testing.ts';

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
  const [unanswered, allowed] = [await park(g), await park(g)];
  await answer(g, allowed, 'allow');
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
  const call: BoundCall = { spiffe_id: AGENT, tool: 't', arguments: {} };
  const key = newApprovalKey();
  const clock = () => new Date();
  const present = async (change: (real: ApprovalRecord) => Promise<Partial<ApprovalRecord>>) => {
    const store = new MemoryApprovalStore(10);
    const approvals = new Approvals({ store, key, record, ttlMs: 60_000, clock });
    const asked = await approvals.ask(call, '?');
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
