// Envoy 1.40 that asks the policy service for each request: answers, ids and headers, and what fails.
import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { X509Svid } from '../../runtime/identity/workload/x509.ts';
import { proxyBootstrap } from '../../runtime/proxywasm/envoy/configuration.ts';
import {
  extAuthzFilter,
  extAuthzService,
  grpcCluster,
  platformTrailersFilter,
} from '../../runtime/proxywasm/envoy/filters.ts';
import type { HeaderPairs } from '../../runtime/proxywasm/filter.ts';
import { meshFilter } from '../../runtime/proxywasm/mesh-filter.ts';
import { clientTls, envoyWorld } from '../../runtime/proxywasm/testing/envoy.ts';
import { askMesh, meshDecider } from '../../runtime/proxywasm/testing/mesh.ts';
import { needs } from '../../runtime/testing/needs.ts';
import {
  SAMPLE_GATEWAY,
  SAMPLE_TRUST_DOMAIN,
  sampleAgent,
} from '../../runtime/testing/sample-data.ts';
import { createCheck } from './ext-authz.ts';
import { type ExtAuthzServer, startExtAuthz } from './ext-authz-server.ts';
import { extAuthzRoutes } from './ext-authz-wire.ts';
import { dataBundle, policyBundle, startService } from './testing.ts';

const test = suite('Envoy and ext_authz');
const trustDomain = SAMPLE_TRUST_DOMAIN;
const world = await envoyWorld(`spiffe://${trustDomain}/service/vault`, trustDomain);
const { ca, ask, seen, trailers } = world;
const socket = world.path('policy.sock');
const policy = await policyBundle();
const service = await startService({ policy, data: dataBundle() });
const { engine, modules } = service;
const pair = engine.current()!;
const decide = meshDecider(pair);
let server: ExtAuthzServer | undefined;

async function serve(): Promise<void> {
  const check = createCheck({ engine, modules, trustDomain });
  server = await startExtAuthz({ listen: { path: socket }, routes: extAuthzRoutes(check) });
}

function bootstrap(change: { service?: string; filter?: object } = {}): object {
  const filter = extAuthzFilter({ cluster: 'policy', timeoutMs: 5000 });
  const typed = { ...(filter.typed_config as object), ...change.filter };
  return proxyBootstrap({
    tls: world.identity,
    filters: [{ ...filter, typed_config: typed }, platformTrailersFilter()],
    virtualHost: extAuthzService(change.service ?? 'vault'),
    clusters: [grpcCluster('policy', { pipe: { path: socket } })],
    ...{ facts: 'ext_authz', upstreamPort: world.upstreamPort },
    accessLog: world.path('access.log'),
  });
}

const platformNames = (headers: object) =>
  Object.keys(headers)
    .filter((name) => /^x.platform/.test(name))
    .sort();

if (needs('envoy')) {
  test.before(async () => {
    await serve();
    await world.start(bootstrap());
  });

  test('an allowed peer reaches the service under its own name, with facts of the policy service alone', async () => {
    const agent = sampleAgent(1);
    const { status, upstream, log } = await ask(await ca.issue(agent), {
      'X-Platform-Spiffe-Id': ['spiffe://platform.local/operator/local', 'two'],
      'x-platform-request-id': 'mine',
      X_Platform_Time: 'mine',
      'x-platform_salt': ['mine', 'mine'],
      'x-platform-salt': ['mine', 'yours'],
      'x-platform-mesh-decision': 'mine',
      'x-platform-on-behalf-of': sampleAgent(2),
      'x-platform-approval': 'a1',
      'x-other': 'kept',
    });
    assert.is(status, 200);
    assert.equal(platformNames(upstream!), [
      ...['x-platform-approval', 'x-platform-mesh-decision', 'x-platform-request-id'],
      ...['x-platform-salt', 'x-platform-spiffe-id', 'x-platform-time'],
    ]);
    assert.is(upstream!['x-platform-spiffe-id'], agent);
    assert.is(upstream!['x-platform-approval'], 'a1');
    assert.is(upstream!['x-other'], 'kept');
    assert.match(String(upstream!['x-platform-salt']), /^[0-9a-f]{64}$/);
    assert.is(upstream!['x-platform-time'], log.time);
    assert.is(upstream!['x-platform-mesh-decision'], log.decision_id);
    assert.is(log.decision_id, decide((fact) => log[fact]).id);
  });

  test('a denied peer gets the problem document of the filter, and the access log its reason', async () => {
    const { status, headers, body, upstream, log } = await ask(await ca.issue(sampleAgent(3)));
    assert.is(status, 403);
    assert.is(upstream, undefined);
    assert.is(headers['content-type'], 'application/problem+json');
    assert.is(headers['cache-control'], 'no-store');
    const problem = JSON.parse(body) as Record<string, unknown>;
    assert.equal(problem.reason, {
      code: 'service_not_granted',
      message: 'this agent may not reach this service',
    });
    assert.is(log.reason, 'service_not_granted');
    assert.is(log.rule, 'platform.mesh.service_not_granted');
    assert.is(problem.decision_id, log.decision_id);
    assert.is(log.decision_id, decide((fact) => log[fact]).id);
  });

  test('generated peers and headers pass or not as through the filter', async () => {
    const filter = meshFilter(
      { ...pair, policy: { ...pair.policy, filter: policy.files.get('filter.wasm') } },
      { service: 'vault', trustDomain },
    );
    const svids = new Map<string, X509Svid>();
    const counted = { allowed: 0, denied: 0 };
    const property = fc.asyncProperty(peers, said, async (peer, lists) => {
      const headers = Object.fromEntries(lists);
      if (!svids.has(peer)) svids.set(peer, await ca.issue(peer));
      const answer = await ask(svids.get(peer)!, headers);
      const pairs = Object.entries(headers).flatMap(([name, all]) =>
        all.map((value): [string, string] => [name, value]),
      );
      const own: HeaderPairs = [[':method', 'GET'], [':path', '/'], ...pairs];
      const { verdict, facts } = askMesh(filter, peer, own);
      assert.is(answer.status === 200, verdict.kind === 'continue');
      assert.is(answer.log.reason, facts.get('reason'));
      assert.is(answer.log.rule, facts.get('rule'));
      counted[answer.status === 200 ? 'allowed' : 'denied'] += 1;
      if (answer.log.reason !== 'request_malformed') {
        assert.is(answer.log.decision_id, decide((fact) => answer.log[fact]).id);
      }
      if (answer.status !== 200) return;
      const kept = Object.fromEntries(verdict.headers);
      assert.equal(platformNames(answer.upstream!), platformNames(kept));
    });
    await fc.assert(property, { numRuns: 120 });
    filter.close();
    assert.ok(counted.allowed > 20 && counted.denied > 20, JSON.stringify(counted));
  });

  test('trailers say nothing in the name of the platform either', async () => {
    const session = await connected(await ca.issue(sampleAgent(1)));
    const call = session.request(
      { ':method': 'POST', ':path': '/' },
      { endStream: false, waitForTrailers: true },
    );
    call.once('wantTrailers', () =>
      call.sendTrailers({ 'x-platform-spiffe-id': 'x', x_platform_approval: 'x', 'x-other': 'y' }),
    );
    const answered = once(call, 'response');
    call.end('body');
    const [head] = (await answered) as [{ ':status': number }];
    assert.is(head[':status'], 200);
    call.resume();
    await once(call, 'close');
    session.close();
    assert.equal({ ...trailers.at(-1) }, { 'x-other': 'y' });
  });

  test('many requests of one connection are each decided by themselves', async () => {
    const session = await connected(await ca.issue(sampleAgent(1)));
    const before = seen.length;
    const statuses = await Promise.all(
      Array.from({ length: 200 }, async () => {
        const call = session.request({ ':path': '/' });
        const [head] = (await once(call, 'response')) as [{ ':status': number }];
        call.resume();
        await once(call, 'close');
        return head[':status'];
      }),
    );
    session.close();
    assert.equal(new Set(statuses), new Set([200]));
    const ids = seen.slice(before).map((headers) => headers['x-platform-request-id']);
    assert.is(new Set(ids).size, 200);
  });

  test('what the proxy does not say is denied: joined headers, and an unnamed service', async () => {
    const svid = await ca.issue(sampleAgent(1));
    const before = seen.length;
    await world.start(bootstrap({ filter: { encode_raw_headers: false } }));
    assert.is((await ask(svid)).log.reason, 'request_malformed');
    await world.start(bootstrap({ service: '' }));
    assert.is((await ask(svid)).log.reason, 'unknown_service');
    assert.is(seen.length, before);
  });

  test('with the policy service away nobody gets in, and everybody again when it is back', async () => {
    const svid = await ca.issue(sampleAgent(1));
    await world.start(bootstrap());
    assert.is((await ask(svid)).status, 200);
    await server?.close();
    const before = seen.length;
    for (let time = 0; time < 3; time++) assert.is((await ask(svid)).status, 503);
    assert.is(seen.length, before);
    await serve();
    let status = 0;
    for (let time = 0; time < 100 && status !== 200; time++) status = (await ask(svid)).status;
    assert.is(status, 200);
  });
}

const peers = fc.oneof(
  fc.nat(24).map(sampleAgent),
  fc.constantFrom(SAMPLE_GATEWAY, `spiffe://${trustDomain}/x`, sampleAgent(1).slice(0, -5)),
);
const said = fc.array(
  fc.tuple(
    fc.constantFrom(
      ...['x-platform-request-id', 'x-platform-time', 'x-platform-salt', 'x-platform-x'],
      ...['x-platform-on-behalf-of', 'x-platform-approval', 'x-platform-spiffe-id'],
    ),
    fc.array(
      fc.oneof(
        fc.nat(30).map(sampleAgent),
        fc.uuid({ version: 4 }),
        fc.constantFrom('2026-01-01T00:00:00.000Z', 'ab'.repeat(32), 'a,b', '\xe9'),
      ),
      { minLength: 1, maxLength: 2 },
    ),
  ),
  { maxLength: 3 },
);

async function connected(svid: X509Svid): Promise<ClientHttp2Session> {
  const session = connect(`https://127.0.0.1:${world.port()}`, {
    ...clientTls(ca, svid),
    checkServerIdentity: () => undefined,
  });
  await once(session, 'connect');
  return session;
}

test.after(async () => {
  await world.close();
  await server?.close();
  await service.stop();
});
test.run();
