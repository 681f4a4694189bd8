// The local page's server: who may ask, what it answers, and what stays in evidence of it.
import { request } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Decider } from '../../runtime/decide/decide.ts';
import type { Decision } from '../../runtime/decide/decision.ts';
import type { EvidenceDraft, RowContent } from '../../runtime/evidence/row.ts';
import { createHttpServer, type HttpServer } from '../common/http/port.ts';
import { createOperatorGate } from '../common/operator.ts';
import { CallFeed } from './calls.ts';
import { createConsole } from './console.ts';

const token = 'a-token';
const drafts: EvidenceDraft[] = [];
const feed = new CallFeed();
let allow = true;
let server: HttpServer;
let port = 0;

/** Answers as told, so that the wire can be tested for both answers. */
const decider: Decider = {
  decide: () =>
    ({
      id: 'd'.repeat(64),
      allow,
      reason: { code: allow ? 'granted' : 'unknown_operator', message: 'said so' },
      controls: [],
      openings: [],
    }) as unknown as Decision,
};

const test = suite('console');
test.before(async () => {
  const evidence = { append: async (draft: EvidenceDraft) => drafts.push(draft) as never };
  const gate = createOperatorGate({ decider, evidence, trustDomain: 'platform.local' });
  const console = createConsole({
    gate,
    calls: feed,
    status: async () => ({ pid: 1 }),
    telemetry: async () => ({ spans: [] }),
    explain: async (id) => ({ picture: { tag: 'p', children: [id] } }),
  });
  const hosts = () => [`127.0.0.1:${port}`, `localhost:${port}`];
  server = createHttpServer({
    routes: console.pageRoutes({ token, hosts }, []),
    adapter: 'node',
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const address = server.address();
  port = 'port' in address ? address.port : 0;
});
test.after(() => server.close(0));
test.before.each(() => {
  drafts.length = 0;
  allow = true;
});

interface Answer {
  status: number;
  headers: import('node:http').IncomingHttpHeaders;
  text: string;
}

function get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path, headers }, async (response) => {
      let text = '';
      for await (const chunk of response.setEncoding('utf8')) text += chunk;
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
    });
    call.on('error', reject);
    call.end();
  });
}

const authorization = `Bearer ${token}`;

test('the page’s files hold no data and may load nothing from elsewhere', async () => {
  for (const path of ['/', '/page.js', '/picture.js', '/page.css', '/picture.css']) {
    const { status, headers } = await get(path);
    assert.is(status, 200);
    const policy = String(headers['content-security-policy']);
    assert.match(policy, "default-src 'none'");
    assert.not.match(policy, 'unsafe');
    assert.is(headers['x-content-type-options'], 'nosniff');
  }
  assert.is(drafts.length, 0);
  const page = await get('/');
  assert.not.match(page.text, /<script>|style=|onclick/);
  for (const path of ['/page.js', '/picture.js']) {
    assert.not.match((await get(path)).text, /innerHTML|insertAdjacentHTML|outerHTML/);
  }
});

test('data needs the token', async () => {
  const wrongs: Record<string, string>[] = [
    {},
    { authorization: 'Bearer x' },
    { authorization: `${authorization}x` },
  ];
  for (const wrong of wrongs) {
    for (const path of ['/api/v1/status', '/api/v1/calls', '/api/v1/telemetry']) {
      const { status, text } = await get(path, wrong);
      assert.is(status, 401);
      assert.match(text, '"code":"unauthenticated"');
    }
  }
  assert.is((await get('/api/v1/status', { authorization })).status, 200);
});

test('another page and another host name are refused even with the token', async () => {
  const foreign: Record<string, string>[] = [
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { origin: `https://127.0.0.1:${port}` },
    { origin: `http://127.0.0.1:${port + 1}` },
    { host: 'evil.example' },
    { host: `evil.example:${port}` },
    { host: '127.0.0.1' },
  ];
  for (const headers of foreign) {
    const { status } = await get('/api/v1/status', { authorization, ...headers });
    assert.is(status, 401, JSON.stringify(headers));
    assert.is((await get('/', headers)).status, 401, JSON.stringify(headers));
  }
  const own = await get('/api/v1/status', { authorization, origin: `http://localhost:${port}` });
  assert.is(own.status, 200);
});

test('every view leaves a row with the decision that the answer names', async () => {
  const { headers, text } = await get('/api/v1/status', { authorization });
  assert.equal(JSON.parse(text), { pid: 1 });
  assert.is(drafts.length, 1);
  assert.is(drafts[0]?.kind, 'event');
  assert.is(drafts[0]?.decisions[0]?.id, headers['x-platform-decision-id']);
});

test('the picture of a decision is a view like the others, for a whole id only', async () => {
  const id = 'a'.repeat(64);
  const path = `/api/v1/decisions/${id}/explanation`;
  const { text } = await get(path, { authorization });
  assert.equal(JSON.parse(text), { picture: { tag: 'p', children: [id] } });
  assert.equal(drafts[0]?.subject, { console: 'explanation', action: 'view' });
  for (const wrong of ['a'.repeat(63), 'A'.repeat(64), `${id}0`, '..%2f..']) {
    const { status } = await get(`/api/v1/decisions/${wrong}/explanation`, { authorization });
    assert.ok(status >= 400, wrong);
  }
  assert.is((await get(path)).status, 401);
  allow = false;
  assert.is((await get(path, { authorization })).status, 403);
});

test('a refused view leaves a denial and shows nothing', async () => {
  allow = false;
  const { status, text } = await get('/api/v1/status', { authorization });
  assert.is(status, 403);
  assert.match(text, '"decision_id":"dddd');
  assert.not.match(text, 'pid');
  assert.is(drafts[0]?.kind, 'denial');
});

const row = (change: Partial<RowContent>): RowContent => ({
  ...{ schema: 'platform/evidence/v1', log: 'l', sequence: 0, kind: 'intent', action: 'a' },
  ...{ request: 'r', time: '2026-01-01T00:00:00.000Z', spiffe_id: 's', boundary: 'tool' },
  ...{ subject: { tool: 't' }, controls: [], decisions: [] },
  ...change,
});

test('rows of one action are one call: parked, then allowed, then done', () => {
  const calls = new CallFeed();
  const reason = { code: 'approval_required', message: 'ask' };
  calls.accept(row({ sequence: 1, kind: 'event', reason }));
  assert.is(calls.list()[0]?.verdict, 'parked');
  calls.accept(row({ sequence: 2, kind: 'intent' }));
  assert.is(calls.list()[0]?.verdict, 'allowed');
  assert.is(calls.list()[0]?.outcome, undefined);
  calls.accept(row({ sequence: 3, kind: 'outcome', outcome: 'ok' }));
  assert.equal(
    calls.list().map(({ verdict, outcome, sequence }) => [verdict, outcome, sequence]),
    [['allowed', 'ok', 3]],
  );
  assert.equal(calls.list({ after: 3 }), []);
  assert.equal(calls.list({ spiffeIds: ['other'] }), []);
});

test('a reader that waits is woken by the next call, and never by the operator’s own views', async () => {
  const calls = new CallFeed();
  calls.accept(row({ sequence: 1, boundary: 'console' }));
  assert.equal(await calls.next({}, 0), []);
  const waiting = calls.next({}, 60_000);
  calls.accept(row({ sequence: 2, action: 'b', boundary: 'console' }));
  calls.accept(row({ sequence: 3, action: 'c' }));
  assert.is((await waiting)[0]?.action, 'c');
  const stop = new AbortController();
  const aborted = calls.next({ after: 9 }, 60_000, stop.signal);
  stop.abort();
  assert.equal(await aborted, []);
});

test('the feed forgets the oldest, not the newest', () => {
  const calls = new CallFeed();
  for (let sequence = 0; sequence < 1500; sequence += 1) {
    calls.accept(row({ sequence, action: `a${sequence}` }));
  }
  assert.is(calls.list().length, 1000);
  assert.is(calls.list()[0]?.action, 'a500');
});

test.run();
