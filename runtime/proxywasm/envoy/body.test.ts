// Bodies in a real Envoy with the filter: what it passes, what it keeps back, and ids that Node computes again.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { MeshRequest } from '../../mesh/message.ts';
import { needs } from '../../testing/needs.ts';
import { SAMPLE_GATEWAY, SAMPLE_TRUST_DOMAIN, sampleAgent } from '../../testing/sample-data.ts';
import { sampleGithubToken } from '../../testing/tokens.ts';
import { meshFilterConfiguration } from '../mesh-filter.ts';
import { bodiesPair, requestDecider, rpc, toolCall } from '../testing/bodies.ts';
import { type Answer, clientTls, type EnvoyWorld, envoyWorld } from '../testing/envoy.ts';
import { envoyBootstrap } from './configuration.ts';

const test = suite('bodies in Envoy');

if (needs('envoy')) {
  const service = `spiffe://${SAMPLE_TRUST_DOMAIN}/service/files`;
  const pair = await bodiesPair();
  const decide = requestDecider(pair);
  let world: EnvoyWorld;

  test.before(async () => {
    world = await envoyWorld(service, SAMPLE_TRUST_DOMAIN);
    writeFileSync(world.path('filter.wasm'), pair.policy.filter!);
    const configuration = meshFilterConfiguration(pair, {
      ...{ service: 'files', trustDomain: SAMPLE_TRUST_DOMAIN },
    });
    await world.start(
      envoyBootstrap({
        ...world.identity,
        filter: world.path('filter.wasm'),
        configuration: Buffer.from(configuration).toString(),
        vmId: `files ${pair.data.revision}`,
        upstreamPort: world.upstreamPort,
        accessLog: world.path('access.log'),
      }),
    );
  });
  test.after(() => world?.close());

  /** Sends a message, and holds the line that Envoy logs of it to what Node decides. */
  async function judged(
    peer: string,
    body: string | undefined,
    more: Record<string, string> = {},
  ): Promise<Answer> {
    // A service says the facts of a request that was let in before, the salt among them.
    const salt = randomBytes(32);
    const stated: Record<string, string> =
      peer === SAMPLE_GATEWAY ? { 'x-platform-salt': salt.toString('hex') } : {};
    const type: Record<string, string> =
      body === undefined ? {} : { 'content-type': 'application/json' };
    const headers = { ...type, ...more };
    const svid = await world.ca.issue(peer);
    const sent = { path: '/mcp?x=1', ...(body === undefined ? {} : { body }) };
    const answer = await world.ask(svid, { ...headers, ...stated }, sent);
    const known = answer.upstream?.['x-platform-salt'];
    const request: MeshRequest = {
      method: body === undefined ? 'GET' : 'POST',
      target: sent.path,
      headers: Object.entries(headers),
      body: Buffer.from(body ?? ''),
    };
    const of = known === undefined ? salt : Buffer.from(String(known), 'hex');
    const expected = decide((fact) => answer.log[fact] ?? undefined, of, request);
    assert.is(answer.log.decision_ids, expected.decisions.map(({ id }) => id).join());
    assert.is(answer.log.decision_id, expected.settled.id);
    assert.is(answer.log.rule, expected.settled.rule);
    assert.is(answer.log.reason, expected.reason.code);
    assert.is(answer.status, expected.allow ? 200 : 403);
    assert.is(answer.upstream !== undefined, expected.allow);
    if (expected.allow) {
      assert.is(answer.upstream!['x-platform-mesh-decision'], expected.settled.id);
    } else {
      const problem = JSON.parse(answer.body) as Record<string, unknown>;
      assert.is(problem.decision_id, expected.settled.id);
      assert.equal(problem.reason, expected.reason);
    }
    return answer;
  }

  const [writer, reader] = [sampleAgent(2), sampleAgent(1)] as [string, string];

  test('messages that are allowed reach the service, each tool under its own name', async () => {
    for (const name of ['files_get', 'files_put']) {
      const { log } = await judged(writer, toolCall(name));
      assert.is(log.method, 'tools/call');
      assert.is(log.tool, name);
      assert.is(log.decision_ids!.split(',').length, 4);
    }
    await judged(reader, rpc('tools/list'), { 'mcp-method': 'tools/list' });
    await judged(SAMPLE_GATEWAY, toolCall('files_get'));
    await judged(reader, undefined);
  });

  test('messages that are not allowed do not, and the log says why', async () => {
    const cases: [string, string, string, Record<string, string>?][] = [
      [reader, toolCall('files_put'), 'tool_not_granted'],
      [writer, rpc('tools/drop'), 'message_not_listed'],
      [SAMPLE_GATEWAY, toolCall('files_get', { path: 7 }), 'arguments_invalid'],
      [SAMPLE_GATEWAY, toolCall('files_get', { path: sampleGithubToken() }), 'guard_blocked'],
      [writer, `[${rpc('tools/list')}]`, 'request_malformed'],
      [writer, `{"method":"tools/list",${toolCall('files_put').slice(1)}`, 'input_duplicate_key'],
      [writer, toolCall('files_put'), 'request_malformed', { 'mcp-name': 'files_get' }],
      [writer, rpc('tools/list').padEnd((1 << 20) + 1), 'input_too_large'],
      [
        ...([writer, gzipSync(rpc('tools/list')).toString('latin1')] as const),
        ...(['content_type_unsupported', { 'content-encoding': 'gzip' }] as const),
      ],
    ];
    for (const [peer, body, reason, headers] of cases) {
      assert.is((await judged(peer, body, headers)).log.reason, reason);
    }
  });

  test('a body in many parts is read whole, and one with trailers is no message', async () => {
    const svid = await world.ca.issue(writer);
    const session = connect(`https://127.0.0.1:${world.port()}`, {
      ...clientTls(world.ca, svid),
      checkServerIdentity: () => undefined,
    });
    const send = async (body: string, hasTrailers: boolean) => {
      const headers = { ':method': 'POST', ':path': '/mcp', 'content-type': 'application/json' };
      const call = session.request(headers, { endStream: false, waitForTrailers: hasTrailers });
      call.once('wantTrailers', () => call.sendTrailers({ 'x-last': 'y' }));
      const answered = once(call, 'response');
      for (let at = 0; at < body.length; at += 9) call.write(body.slice(at, at + 9));
      call.end();
      const [head] = (await answered) as [Record<string, unknown>];
      call.resume();
      await once(call, 'close');
      return head[':status'];
    };
    const before = world.seen.length;
    assert.is(await send(toolCall('files_put', { path: 'x'.repeat(3000) }), false), 200);
    assert.is(await send(toolCall('files_put', { path: 7 }), false), 403);
    assert.is(await send(toolCall('files_put'), true), 403);
    assert.is(world.seen.length, before + 1);
    session.close();
  });
}

test.run();
