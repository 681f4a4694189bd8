// Envoy as a decision point: thousands of decision requests of every boundary and module, with Node's ids.
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLocalDecider } from '../../decide/local.ts';
import { answerOf, readRequest } from '../../decide/wire.ts';
import { needs } from '../../testing/needs.ts';
import { SAMPLE_TRUST_DOMAIN, sampleAgent } from '../../testing/sample-data.ts';
import { sampleRequests } from '../../testing/sample-requests.ts';
import { meshFilterConfiguration } from '../mesh-filter.ts';
import { clientTls, type EnvoyWorld, envoyWorld } from '../testing/envoy.ts';
import { samplePair } from '../testing/mesh.ts';
import { wireOf } from '../testing/point.ts';
import { envoyBootstrap } from './configuration.ts';

const SERVICE = `spiffe://${SAMPLE_TRUST_DOMAIN}/service/vault`;
const REQUESTS = 4000;
const AT_ONCE = 8;
const test = suite('decision point');
const pair = await samplePair(20);
const decider = createLocalDecider({ current: () => pair });
let world: EnvoyWorld;
let post: (body: string | Buffer) => Promise<{ status: number; type: string; body: string }>;

if (needs('envoy')) {
  test.before(async () => {
    world = await envoyWorld(SERVICE, SAMPLE_TRUST_DOMAIN);
    const own = { service: 'vault', trustDomain: SAMPLE_TRUST_DOMAIN, decide: true };
    writeFileSync(world.path('filter.wasm'), pair.policy.filter!);
    await world.start(
      envoyBootstrap({
        ...world.identity,
        filter: world.path('filter.wasm'),
        configuration: Buffer.from(meshFilterConfiguration(pair, own)).toString(),
        ...{ vmId: 'point', upstreamPort: world.upstreamPort, accessLog: world.path('access.log') },
      }),
    );
    const agent = new Agent({
      ...clientTls(world.ca, await world.ca.issue(sampleAgent(1))),
      ...{ keepAlive: true, maxSockets: AT_ONCE, checkServerIdentity: () => undefined },
    });
    post = (body) =>
      new Promise((resolve, reject) => {
        const call = request(
          { agent, host: '127.0.0.1', port: world.port(), method: 'POST' },
          (answer) => {
            const chunks: Buffer[] = [];
            answer.on('data', (chunk: Buffer) => chunks.push(chunk));
            answer.on('end', () =>
              resolve({
                status: answer.statusCode!,
                type: answer.headers['content-type'] ?? '',
                body: Buffer.concat(chunks).toString(),
              }),
            );
          },
        );
        call.on('error', reject).end(body);
      });
  });
  test.after(() => world.close());

  test('every answer is the one that Node gives', async () => {
    const samples = sampleRequests(REQUESTS, 20);
    let next = 0;
    let allowed = 0;
    const work = async () => {
      for (let sample = samples[next++]; sample !== undefined; sample = samples[next++]) {
        const asked = wireOf(sample);
        const { status, type, body } = await post(JSON.stringify(asked));
        const decision = answerOf(decider.decide(readRequest(asked)));
        const what = `${sample.boundary} ${sample.module} ${Buffer.from(sample.input).toString().slice(0, 200)}`;
        assert.is(status, 200, `${what} ${body}`);
        assert.is(type, 'application/json');
        assert.is(body, JSON.stringify(decision), what);
        if (decision.allow) allowed += 1;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    assert.ok(allowed > REQUESTS / 10, `${allowed} allowed`);
    assert.equal(world.seen, []);
  });

  test('what is no decision request is refused, and nothing of it goes on', async () => {
    const { status, type, body } = await post('{"boundary":"tool"}');
    assert.is(status, 400);
    assert.is(type, 'application/problem+json');
    assert.is(JSON.parse(body).code, 'input_invalid');
    assert.is((await post('')).status, 400);
    const large = await post(Buffer.alloc(3 << 20, ' '));
    assert.is(large.status, 413);
    assert.is(JSON.parse(large.body).code, 'body_too_large');
    // More than Envoy itself holds.
    const larger = await post(Buffer.alloc(8 << 20, ' ')).then(
      (answer) => answer.status,
      () => 413,
    );
    assert.is(larger, 413);
    assert.equal(world.seen, []);
  });

  test('a peer that the policy does not let in gets no decision', async () => {
    const body = JSON.stringify(wireOf(sampleRequests(1, 1)[0]!));
    const denied = await world.ask(await world.ca.issue(sampleAgent(3)), {}, { body });
    assert.is(denied.status, 403);
    assert.is(JSON.parse(denied.body).code, 'denied');
    assert.is(denied.log.reason, 'service_not_granted');
    const ids = readFileSync(world.path('access.log'), 'utf8')
      .split('\n')
      .filter((line) => line.includes('"allowed"') || line.includes(sampleAgent(1)));
    assert.ok(ids.length >= REQUESTS);
  });
}

test.run();
