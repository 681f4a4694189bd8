// The same filter.wasm in Envoy 1.40: mutual TLS, allowed and denied peers, and decision ids that Node computes again.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:http2';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { testCa } from '../../testing/certificates.ts';
import { needs } from '../../testing/needs.ts';
import { SAMPLE_GATEWAY, SAMPLE_TRUST_DOMAIN, sampleAgent } from '../../testing/sample-data.ts';
import { meshFilterConfiguration } from '../mesh-filter.ts';
import { clientTls, envoyWorld } from '../testing/envoy.ts';
import { meshDecider, samplePair } from '../testing/mesh.ts';
import { CONFLICT, meshPolicyOf } from '../testing/mesh-policy.ts';
import { envoyBootstrap } from './configuration.ts';

const SERVICE = `spiffe://${SAMPLE_TRUST_DOMAIN}/service/vault`;
const test = suite('envoy');
const pair = await samplePair(20);
const decide = meshDecider(pair);
const usable = Buffer.from(
  meshFilterConfiguration(pair, { service: 'vault', trustDomain: SAMPLE_TRUST_DOMAIN }),
).toString();
const world = await envoyWorld(SERVICE, SAMPLE_TRUST_DOMAIN);
const { ca, seen, trailers, ask } = world;

/** Starts Envoy with this filter and its configuration. */
async function start(configuration: string, filter = pair.policy.filter!): Promise<void> {
  writeFileSync(world.path('filter.wasm'), filter);
  await world.start(
    envoyBootstrap({
      ...world.identity,
      filter: world.path('filter.wasm'),
      configuration,
      vmId: `vault ${pair.data.revision}`,
      upstreamPort: world.upstreamPort,
      accessLog: world.path('access.log'),
    }),
  );
}

if (needs('envoy')) {
  test.before(async () => {
    await start(usable);
  });

  test('an allowed peer reaches the service under its own name, with facts of Envoy alone', async () => {
    const agent = sampleAgent(1);
    const { status, body, upstream, log } = await ask(await ca.issue(agent), {
      'X-Platform-Spiffe-Id': 'spiffe://platform.local/operator/local',
      'x-platform-request-id': 'mine',
      X_Platform_Time: 'mine',
      'x-platform_salt': ['mine', 'mine'],
      'x-platform-on-behalf-of': sampleAgent(2),
      'x-platform-approval': 'a1',
      'x-other': 'kept',
    });
    assert.is(status, 200);
    assert.is(body, 'reached');
    const platform = Object.keys(upstream!).filter((name) => /^x.platform/.test(name));
    assert.equal(platform.toSorted(), [
      'x-platform-approval',
      'x-platform-mesh-decision',
      'x-platform-request-id',
      'x-platform-salt',
      'x-platform-spiffe-id',
      'x-platform-time',
    ]);
    assert.is(upstream!['x-platform-spiffe-id'], agent);
    assert.is(upstream!['x-platform-approval'], 'a1');
    assert.is(upstream!['x-other'], 'kept');
    assert.match(String(upstream!['x-platform-salt']), /^[0-9a-f]{64}$/);
    assert.is(upstream!['x-platform-mesh-decision'], log.decision_id);
    assert.is(upstream!['x-platform-request-id'], log.request_id);
  });

  test('trailers say nothing in the name of the platform either', async () => {
    const svid = await ca.issue(sampleAgent(1));
    const session = connect(`https://127.0.0.1:${world.port()}`, {
      ...clientTls(ca, svid),
      checkServerIdentity: () => undefined,
    });
    const call = session.request(
      { ':method': 'POST', ':path': '/' },
      { endStream: false, waitForTrailers: true },
    );
    call.once('wantTrailers', () =>
      call.sendTrailers({
        'x-platform-spiffe-id': 'x',
        'x-platform-approval': 'x',
        'x-other': 'y',
      }),
    );
    const answered = once(call, 'response');
    call.end('body');
    const [head] = (await answered) as [IncomingHttpHeaders & { ':status': number }];
    assert.is(head[':status'], 200);
    call.resume();
    await once(call, 'close');
    session.close();
    assert.equal({ ...trailers.at(-1) }, { 'x-other': 'y' });
  });

  test('a service acts for an agent, and only once', async () => {
    const gateway = await ca.issue(SAMPLE_GATEWAY);
    const passed = await ask(gateway, { 'x-platform-on-behalf-of': sampleAgent(2) });
    assert.is(passed.upstream!['x-platform-on-behalf-of'], sampleAgent(2));
    const twice = await ask(gateway, {
      'x-platform-on-behalf-of': [sampleAgent(2), sampleAgent(4)],
    });
    assert.is(twice.status, 403);
    assert.is(twice.upstream, undefined);
    assert.is(twice.log.reason, 'request_malformed');
  });

  test('a denied peer gets a problem document that names the decision, and reaches nothing', async () => {
    const { status, body, upstream, log } = await ask(await ca.issue(sampleAgent(3)));
    assert.is(status, 403);
    assert.is(upstream, undefined);
    const problem = JSON.parse(body) as Record<string, unknown>;
    assert.is(problem.code, 'denied');
    assert.equal(problem.reason, {
      code: 'service_not_granted',
      message: 'this agent may not reach this service',
    });
    assert.is(problem.decision_id, log.decision_id);
    assert.is(problem.request_id, log.request_id);
    assert.is(log.reason, 'service_not_granted');
  });

  test('Node computes every decision id of the access log from the facts in its line', async () => {
    const names = [sampleAgent(1), sampleAgent(3), sampleAgent(999), SAMPLE_GATEWAY];
    for (const name of [...names, 'spiffe://platform.local/x']) {
      const { log, status } = await ask(await ca.issue(name));
      const decision = decide((fact) => log[fact] ?? undefined);
      assert.is(log.decision_id, decision.id, name);
      assert.is(log.rule, decision.rule);
      assert.is(status === 200, decision.allow);
    }
  });

  test('peers without an identity of this trust domain do not get in', async () => {
    const foreign = await ca.issue('spiffe://elsewhere.example/agent/a/b/c');
    const nameless = await ca.issue(sampleAgent(1), { names: [{ type: 'dns', value: 'x.test' }] });
    const stranger = await (await testCa(SAMPLE_TRUST_DOMAIN)).issue(sampleAgent(1));
    const before = seen.length;
    for (const svid of [foreign, nameless, stranger]) {
      const status = await ask(svid).then(
        (answer) => answer.status,
        () => 0,
      );
      assert.not.equal(status, 200);
    }
    assert.is(seen.length, before);
  });

  test('a policy whose rules contradict each other denies with an id, now and later', async () => {
    await start(usable, (await meshPolicyOf(CONFLICT)).filter!);
    const before = seen.length;
    for (let time = 0; time < 3; time++) {
      const { status, log } = await ask(await ca.issue(sampleAgent(1)));
      assert.is(status, 403);
      assert.is(log.reason, 'policy_conflict');
    }
    assert.is(seen.length, before);
  });

  test('without a usable configuration Envoy lets nothing pass', async () => {
    const outcome = await start('{"service":"vault"}').then(
      async () => (await ask(await ca.issue(sampleAgent(1)))).status,
      () => 'not started',
    );
    assert.ok(outcome === 'not started' || (outcome as number) >= 400, String(outcome));
  });
}

test.after(() => world.close());
test.run();
