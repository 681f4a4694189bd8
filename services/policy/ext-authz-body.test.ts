// Messages to a service through an Envoy that sends bodies: method, tool, arguments and text are decided, or nothing passes.
import { createClient, createRouterTransport } from '@connectrpc/connect';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Authorization } from '../../runtime/identity/proto/envoy/service/auth/v3/external_auth_pb.js';
import type { JsonObject } from '../../runtime/json.ts';
import { BODY_BYTES_MAX } from '../../runtime/mesh/message.ts';
import { decideRequest } from '../../runtime/mesh/request.ts';
import { proxyBootstrap } from '../../runtime/proxywasm/envoy/configuration.ts';
import {
  extAuthzFilter,
  extAuthzService,
  grpcCluster,
} from '../../runtime/proxywasm/envoy/filters.ts';
import { type Answer, envoyWorld } from '../../runtime/proxywasm/testing/envoy.ts';
import { needs } from '../../runtime/testing/needs.ts';
import { SAMPLE_TRUST_DOMAIN, sampleAgent, sampleData } from '../../runtime/testing/sample-data.ts';
import { createCheck } from './ext-authz.ts';
import { type ExtAuthzServer, startExtAuthz } from './ext-authz-server.ts';
import { extAuthzRoutes } from './ext-authz-wire.ts';
import { dataBundle, policyBundle, startService } from './testing.ts';

const test = suite('Envoy, ext_authz and bodies');
const trustDomain = SAMPLE_TRUST_DOMAIN;
const peer = sampleAgent(1);

/** Sample data with a service that takes MCP messages, and a tool of it that agent 1 was granted. */
function data(): JsonObject {
  const sample = sampleData(20) as Record<string, Record<string, JsonObject>>;
  const agent = sample.agents![peer]!;
  const schema = {
    type: 'object',
    required: ['path'],
    properties: { path: { type: 'string', maxLength: 2_000_000 } },
    additionalProperties: false,
  };
  const body = {
    ...{ protocol: 'mcp', arguments: true, scanners: ['Secrets'] },
    ...{ paths: { 'POST /mcp': true, 'GET /mcp': true }, methods: { 'tools/call': true } },
  };
  return {
    ...sample,
    agents: {
      ...sample.agents,
      [peer]: { ...agent, resources: { notes: { actions: { read: true } } } },
    },
    services: { ...sample.services, notes: { agents: true, callers: {}, body } },
    tools: {
      notes: { read_note: { action: 'read', schema }, write_note: { action: 'write', schema } },
    },
  };
}

const world = await envoyWorld(`spiffe://${trustDomain}/service/notes`, trustDomain);
const socket = world.path('policy.sock');
const service = await startService({ policy: await policyBundle(), data: dataBundle(data()) });
const { engine, modules } = service;
let server: ExtAuthzServer;

const start = (bodies: boolean) =>
  world.start(
    proxyBootstrap({
      tls: world.identity,
      filters: [extAuthzFilter({ cluster: 'policy', timeoutMs: 5000, bodies })],
      virtualHost: extAuthzService('notes', { bodies }),
      clusters: [grpcCluster('policy', { pipe: { path: socket } })],
      ...{ facts: 'ext_authz', upstreamPort: world.upstreamPort },
      accessLog: world.path('access.log'),
    }),
  );

const headers = { 'content-type': 'application/json' };
const toolCall = (name: string, args: object) =>
  JSON.stringify({
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: { name, arguments: args },
  });

test('a body that the proxy keeps, sends as text or in part is not an empty one', async () => {
  const check = createCheck({ engine, modules, trustDomain });
  const client = createClient(Authorization, createRouterTransport(extAuthzRoutes(check)));
  const whole = toolCall('read_note', { path: 'a.txt' });
  const ask = async (sent: { body?: string; rawBody?: Uint8Array }, more: object = {}) => {
    const pairs = { ...headers, ...more };
    const { dynamicMetadata } = await client.check({
      attributes: {
        source: { principal: peer },
        contextExtensions: { service: 'notes', bodies: 'sent' },
        request: {
          http: {
            ...{ method: 'POST', path: '/mcp', ...sent },
            headerMap: {
              headers: Object.entries(pairs).map(([key, value]) => ({
                ...{ key, rawValue: Buffer.from(String(value)) },
              })),
            },
          },
        },
      },
    });
    return dynamicMetadata?.reason;
  };
  const rawBody = Buffer.from(whole);
  const length = { 'content-length': whole.length };
  assert.is(await ask({ rawBody }, length), 'allowed');
  assert.is(await ask({}, { 'content-length': 0 }), 'message_admitted');
  assert.is(await ask({}), 'message_admitted');
  assert.is(await ask({ body: whole }), 'input_too_large');
  assert.is(await ask({ body: whole }, length), 'input_too_large');
  assert.is(await ask({}, length), 'input_too_large');
  assert.is(await ask({ rawBody }, { 'content-length': whole.length + 1 }), 'input_too_large');
  assert.is(await ask({ rawBody }, { 'x-envoy-auth-partial-body': 'true' }), 'input_too_large');
  // Envoy sends no body of what goes on as another protocol.
  assert.is(await ask({}, { upgrade: 'websocket' }), 'request_malformed');
});

if (needs('envoy')) {
  test.before(async () => {
    const check = createCheck({ engine, modules, trustDomain });
    server = await startExtAuthz({ listen: { path: socket }, routes: extAuthzRoutes(check) });
    await start(true);
  });

  const post = async (body: string, more: Record<string, string> = {}): Promise<Answer> =>
    world.ask(await world.ca.issue(peer), { ...headers, ...more }, { path: '/mcp', body });

  /** Decides the same request in Node, with the facts that the service behind the proxy was told. */
  const again = ({ log, upstream }: Answer, body: string) =>
    decideRequest(
      { decider: engine.decider, record: modules.record },
      {
        ...{ spiffeId: log.spiffe_id!, trustDomain, service: log.service! },
        ...{ requestId: log.request_id!, time: log.time! },
        salt: Buffer.from(String(upstream!['x-platform-salt']), 'hex'),
      },
      { method: 'POST', target: '/mcp', headers: Object.entries(headers), body: Buffer.from(body) },
    );

  test('a call of a granted tool passes with all its decisions', async () => {
    const body = toolCall('read_note', { path: 'a.txt' });
    const answer = await post(body);
    assert.is(answer.status, 200, answer.body);
    const { log, upstream } = answer;
    assert.is(log.method, 'tools/call');
    assert.is(log.tool, 'read_note');
    const { decisions, settled } = again(answer, body);
    assert.is(decisions.length, 4);
    assert.is(log.decision_ids, decisions.map(({ id }) => id).join(','));
    assert.is(upstream!['x-platform-mesh-decision'], settled.id);
  });

  test('what was not granted, does not fit, or must not pass is denied with its reason', async () => {
    const secret = ['AKIA', 'Q3EGRIXV', '7T2KDLNM'].join('');
    const before = world.seen.length;
    const reasons: [body: string, reason: string][] = [
      [toolCall('write_note', { path: 'a' }), 'tool_not_granted'],
      [toolCall('read_note', { path: 7 }), 'arguments_invalid'],
      [toolCall('read_note', { path: secret }), 'guard_blocked'],
      ['{"jsonrpc":"2.0","id":1,"method":"tools/list"}', 'message_not_listed'],
      [`[${toolCall('read_note', { path: 'a' })}]`, 'request_malformed'],
      [toolCall('read_note', { path: 'a' }).slice(0, -1), 'input_not_json'],
      [toolCall('read_note', { path: 'x'.repeat(BODY_BYTES_MAX) }), 'input_too_large'],
      [
        `${toolCall('read_note', { path: 'a' })}${' '.repeat(2 * BODY_BYTES_MAX)}`,
        'input_too_large',
      ],
    ];
    for (const [body, reason] of reasons) {
      const { status, log, body: text } = await post(body);
      assert.is(status, 403, reason);
      assert.is(log.reason, reason);
      assert.is((JSON.parse(text) as { decision_id: string }).decision_id, log.decision_id);
      assert.is(log.decision_id, log.decision_ids!.split(',').at(-1));
    }
    assert.is(world.seen.length, before);
  });

  test('the largest body that is read passes, and a client cannot say that there is more or less', async () => {
    const largest = toolCall('read_note', { path: 'a.txt' }).padEnd(BODY_BYTES_MAX);
    assert.is((await post(largest)).status, 200);
    const said = { 'x-envoy-auth-partial-body': 'false' };
    assert.is((await post(`${largest} `, said)).log.reason, 'input_too_large');
  });

  test('where the proxy sends no bodies, a service whose messages are read is closed', async () => {
    await start(false);
    const before = world.seen.length;
    assert.is((await post(toolCall('read_note', { path: 'a.txt' }))).status, 403);
    const svid = await world.ca.issue(peer);
    assert.is((await world.ask(svid, {}, { path: '/mcp' })).status, 403);
    assert.is(world.seen.length, before);
  });
}

test.after(async () => {
  await world.close();
  await server?.close();
  await service.stop();
});
test.run();
