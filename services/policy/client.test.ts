// OPA's own client for Node, with nothing changed but the URL, and what it cannot ask by plain fetch.
import { request } from 'node:http';
import { OPAClient } from '@open-policy-agent/opa';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { entrypointOf } from '../../runtime/decide/boundary.ts';
import { createLocalDecider } from '../../runtime/decide/local.ts';
import type { JsonObject } from '../../runtime/json.ts';
import { sampleAgent, sampleService } from '../../runtime/testing/sample-data.ts';
import { dataBundle, policyBundle, startService } from './testing.ts';

const bundles = { policy: await policyBundle(), data: dataBundle() };
const service = await startService(bundles);
const guarded = await startService(bundles, { token: 'a-token-of-enough-bytes' });
test.after(async () => {
  await service.stop();
  await guarded.stop();
});

const decisionPath = entrypointOf('tool');

function toolCall(agent: number, serviceOf = agent): JsonObject {
  return {
    action: 'call',
    identity: {
      ...{ spiffe_id: sampleAgent(agent), trust_domain: 'platform.local' },
      ...{ tenant: `tenant-${agent % 20}`, agent: `agent-${agent}`, role: 'main' },
    },
    resource: {
      ...{
        kind: 'tool',
        name: `${sampleService(serviceOf)}_get`,
        service: sampleService(serviceOf),
      },
      ...{ action: 'read', source: 'openapi', tags: [] },
    },
    arguments: { id: 'ä"\u2028' },
    counters: { agent_minute: 1, tenant_minute: 1 },
    context: { time: '2026-01-01T12:00:00.000Z', request_id: 'r' },
  };
}

interface Answered {
  allow: boolean;
  rule: string;
}

async function get(
  path: string,
  init?: RequestInit,
): Promise<{ status: number; body: JsonObject }> {
  const response = await fetch(`${service.url}${path}`, init);
  return { status: response.status, body: (await response.json()) as JsonObject };
}

function post(input: JsonObject): RequestInit {
  return { method: 'POST', body: JSON.stringify({ input }) };
}

test('evaluate answers what the platform decides', async () => {
  const client = new OPAClient(service.url);
  const allowed = await client.evaluate<JsonObject, Answered>(decisionPath, toolCall(1));
  assert.equal([allowed.allow, allowed.rule], [true, 'platform.tool.granted']);
  const denied = await client.evaluate<JsonObject, Answered>(decisionPath, toolCall(999));
  assert.equal([denied.allow, denied.rule], [false, 'platform.tool.unknown_agent']);
  assert.is(await client.evaluate('platform/tool/allow', toolCall(1)), true);
  assert.is(await client.evaluate('platform/tool/allow', toolCall(999)), false);
  assert.is(await client.evaluate('platform/tool/allow'), false);
  const mapped = await client.evaluate<JsonObject, boolean>(decisionPath, toolCall(1), {
    fromResult: (result) => (result as unknown as Answered).allow,
  });
  assert.is(mapped, true);
});

test('evaluateDefault asks for the default decision', async () => {
  const client = new OPAClient(service.url);
  const answer = await client.evaluateDefault<JsonObject, Answered>(toolCall(1));
  assert.is(answer.allow, true);
});

test('evaluateBatch falls back to one request each', async () => {
  const client = new OPAClient(service.url);
  const inputs = { a: toolCall(1), b: toolCall(999), c: toolCall(2) };
  const answers = await client.evaluateBatch<JsonObject, Answered>(decisionPath, inputs, {
    fallback: true,
  });
  const allowed = Object.entries(answers).map(([name, answer]) => [
    name,
    (answer as Answered).allow,
  ]);
  assert.equal(Object.fromEntries(allowed), { a: true, b: false, c: true });
});

test('a refusal is the error that the client knows', async () => {
  const client = new OPAClient(service.url);
  const failed = await client.evaluate('platform/"', {}).catch((error: unknown) => error);
  assert.is((failed as Error).constructor.name, 'ClientError');
  assert.is((failed as { code: string }).code, 'invalid_parameter');
});

test('a bearer token is asked for where one is set', async () => {
  const stranger = new OPAClient(guarded.url);
  const refused = await stranger.evaluate(decisionPath, {}).catch((error: unknown) => error);
  assert.is((refused as { httpMeta: { response: Response } }).httpMeta.response.status, 401);
  for (const authorization of ['Bearer wrong', 'Basic a-token-of-enough-bytes', 'Bearer ']) {
    const answer = await fetch(`${guarded.url}/v1/data`, { headers: { authorization } });
    assert.is(answer.status, 401);
    assert.is(((await answer.json()) as JsonObject).code, 'unauthorized');
  }
  const known = new OPAClient(guarded.url, {
    headers: { authorization: 'Bearer a-token-of-enough-bytes' },
  });
  assert.is(await known.evaluate('platform/tool/allow', toolCall(1)), true);
  assert.is((await fetch(`${guarded.url}/health`)).status, 200);
});

test('a page that has its own name resolve to this machine gets nothing', async () => {
  const { port } = new URL(service.url);
  const statusFor = (host: string, path: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port, path, headers: { host } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      asked.on('error', reject).end();
    });
  for (const host of ['localhost', `127.0.0.1:${port}`, '[::1]:8181', 'LOCALHOST:1']) {
    assert.is(await statusFor(host, '/v1/data/limits'), 200, host);
  }
  for (const host of [
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example:80',
    'x@127.0.0.1',
  ]) {
    assert.is(await statusFor(host, '/v1/data/limits'), 403, host);
    assert.is(await statusFor(host, '/metrics'), 403, host);
    assert.is(await statusFor(host, '/health'), 200, host);
  }
});

test('many explanations at once are bounded, and decisions go on meanwhile', async () => {
  const path = '/v1/data/platform/tool/allow?explain=notes';
  const asked = Array.from({ length: 24 }, () => get(path, post(toolCall(1))));
  const decided = await get(`/v1/data/${decisionPath}`, post(toolCall(1)));
  assert.is(decided.status, 200);
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  assert.ok(statuses.filter((status) => status === 503).length >= 8, statuses.join());
  assert.ok(statuses.filter((status) => status === 200).length >= 8, statuses.join());
  assert.ok(
    statuses.every((status) => status === 200 || status === 503),
    statuses.join(),
  );
});

test('a decision has the id that every other enforcement point computes', async () => {
  // `credential` commits no field, so that no salt is in the id.
  const input = { action: 'use', identity: { spiffe_id: sampleAgent(1) } };
  const { body } = await get('/v1/data/platform/credential/decision', post(input));
  const salt = new Uint8Array(32);
  const decider = createLocalDecider({ current: () => service.engine.current() });
  const expected = decider.decide({
    ...{ boundary: 'credential', module: 'authorization', input, salt },
  });
  assert.is(body.decision_id, expected.id);
  assert.equal(body.result, JSON.parse(Buffer.from(expected.outputBytes).toString()));
});

test('policies are listed with their text and their syntax tree', async () => {
  const { body } = await get('/v1/policies');
  const listed = body.result as { id: string; raw: string; ast: JsonObject }[];
  const tool = listed.find(({ id }) => id === 'tool/tool.rego')!;
  assert.match(tool.raw, /^package platform\.tool$/m);
  assert.ok(tool.ast.package);
  assert.not.ok(listed.some(({ id }) => id.endsWith('_test.rego')));
  const one = await get('/v1/policies/tool%2Ftool.rego');
  assert.equal(one.body.result, tool);
  assert.equal((await get('/v1/policies/tool/tool.rego')).body.result, tool);
  const missing = await get('/v1/policies/nothing.rego');
  assert.equal([missing.status, missing.body.code], [404, 'resource_not_found']);
});

test('nothing can be written, and the answer says what to do', async () => {
  for (const path of ['/v1/data', '/v1/data/agents/x', '/v1/policies/tool.rego']) {
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const { status, body } = await get(path, { method, body: '{}' });
      assert.equal([status, body.code], [405, 'invalid_operation'], `${method} ${path}`);
      assert.match(String(body.message), /platform policy build/);
    }
  }
  assert.is(service.engine.current()?.data.revision, bundles.data.revision);
});

test('health, status and metrics tell what is in force', async () => {
  assert.equal(await get('/health'), { status: 200, body: {} });
  assert.equal(await get('/health?bundles&plugins'), { status: 200, body: {} });
  const { body } = await get('/v1/status');
  const { bundles: statuses } = body.result as { bundles: Record<string, JsonObject> };
  assert.is(statuses.policy?.active_revision, bundles.policy.revision);
  const config = (await get('/v1/config')).body.result as JsonObject;
  assert.is(config.default_decision, '/platform/tool/decision');
  const page = await (await fetch(`${service.url}/metrics`)).text();
  assert.match(
    page,
    /^platform_policy_evaluations_total\{boundary="tool",outcome="allow"\} [1-9]/m,
  );
  assert.match(page, /^platform_policy_evaluation_duration_seconds_count [1-9]/m);
});

test('metrics and provenance are answered when they are asked for', async () => {
  const path = '/v1/data/platform/tool/allow?metrics&provenance=true&instrument=false';
  const { body } = await get(path, post(toolCall(1)));
  const { timer_server_handler_ns: all, timer_rego_query_eval_ns: query } = body.metrics as Record<
    string,
    number
  >;
  assert.ok(all! >= query! && query! > 0);
  const { bundles: revisions } = body.provenance as { bundles: JsonObject };
  assert.equal(revisions.policy, { revision: bundles.policy.revision });
});

test('before there is a bundle, nothing is answered but that', async () => {
  const empty = await startService();
  const answer = await fetch(`${empty.url}/v1/data/platform/tool/allow`);
  assert.is(answer.status, 503);
  assert.is(((await answer.json()) as JsonObject).code, 'internal_error');
  const health = await fetch(`${empty.url}/health?bundles`);
  assert.equal([health.status, (await fetch(`${empty.url}/health`)).status], [500, 200]);
  await empty.stop();
});

test('input that hosts read differently is refused before any policy sees it', async () => {
  const bodies = [
    ...['{"input": {"a": 1, "a": 2}}', '{"input": 12345678901234567890}', '{"input": "\\ud800"}'],
    ...['{"input": {}} {"input": {}}', `{"input": ${'['.repeat(100)}${']'.repeat(100)}}`],
  ];
  for (const body of bodies) {
    const { status, body: answer } = await get(`/v1/data/${decisionPath}`, {
      method: 'POST',
      body,
    });
    assert.equal([status, answer.code], [400, 'invalid_parameter'], body.slice(0, 60));
  }
  const large = JSON.stringify({ input: 'x'.repeat(1 << 20) });
  const tooLarge = await fetch(`${service.url}/v1/data`, { method: 'POST', body: large });
  assert.is(tooLarge.status, 413);
});

test.run();
