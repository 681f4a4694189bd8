// Envoy with the mesh filter and nothing but the identity server: its certificate and trust bundle over SDS, peers with SVIDs.
import { writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadPair } from '../../runtime/bundle/load.ts';
import { writeSamplePair } from '../../runtime/bundle/testing.ts';
import { createLocalDecider } from '../../runtime/decide/local.ts';
import type { X509Svid } from '../../runtime/identity/workload/x509.ts';
import { decideMesh } from '../../runtime/mesh/connect.ts';
import { proxyBootstrap } from '../../runtime/proxywasm/envoy/configuration.ts';
import { grpcCluster, meshHttpFilter } from '../../runtime/proxywasm/envoy/filters.ts';
import { meshFilterConfiguration } from '../../runtime/proxywasm/mesh-filter.ts';
import { type Answer, type EnvoyWorld, envoyWorld } from '../../runtime/proxywasm/testing/envoy.ts';
import { eventually } from '../../runtime/testing/eventually.ts';
import { needs } from '../../runtime/testing/needs.ts';
import { trustDomain } from './testing/identity.ts';
import { startWithAuthority, type TestPlatform } from './testing/platform.ts';

const test = suite('Envoy, filter and identity server');
const idOf = (path: string) => `spiffe://${trustDomain}${path}`;
const ENVOY = '/agent/acme/envoy/main';
const REGISTERED = '/agent/acme/bot/main';
const NARROWED = '/agent/acme/narrow/main';
const STRANGER = '/agent/acme/bot/other';
const GATEWAY = '/service/gateway';

let platform: TestPlatform;
let other: TestPlatform;
let world: EnvoyWorld;
const agent = (name: string, more: object = {}) => ({
  ...{ tenant: 'acme', agent: name, role: 'main', resources: {}, credentials: {} },
  ...more,
});
const data = {
  agents: {
    [idOf(REGISTERED)]: agent('bot'),
    [idOf(NARROWED)]: agent('narrow', { services: { gateway: true } }),
  },
  services: { vault: { agents: true, callers: { [idOf(GATEWAY)]: true } } },
};

/** The newest SVID of an entry, straight from the server. */
async function svidOf(from: TestPlatform, path: string): Promise<X509Svid> {
  const source = from.server.sourceFor(idOf(path));
  await source.ready();
  const [svid] = source.current().svids;
  await source.close();
  return svid!;
}

if (needs('envoy')) {
  let pair: Awaited<ReturnType<typeof loadPair>>;

  test.before(async () => {
    platform = await startWithAuthority({ publishAheadMs: 1000 });
    other = await startWithAuthority();
    for (const path of [REGISTERED, NARROWED, STRANGER, GATEWAY]) {
      for (const each of [platform, other]) await each.enter(path, [`service:${path.slice(-3)}`]);
    }
    world = await envoyWorld(idOf(ENVOY), trustDomain, () => platform.authority.x509Bundle());
    const { trusted } = await writeSamplePair(world.path('bundles'), { data });
    pair = await loadPair(world.path('bundles'), trusted);
    writeFileSync(world.path('filter.wasm'), pair.policy.filter!);
    const configuration = meshFilterConfiguration(pair, { service: 'vault', trustDomain });
    const bootstrap = proxyBootstrap({
      tls: { cluster: 'identity', certificate: idOf(ENVOY), validation: idOf('') },
      filters: [
        meshHttpFilter({
          filter: world.path('filter.wasm'),
          configuration: Buffer.from(configuration).toString(),
          vmId: `vault ${pair.data.revision}`,
        }),
      ],
      clusters: [grpcCluster('identity', { pipe: { path: platform.workloadSocket } })],
      ...{ facts: 'filter', upstreamPort: world.upstreamPort },
      accessLog: world.path('access.log'),
    });
    await world.start(bootstrap, {
      async known(pid) {
        await platform.enter(ENVOY, [platform.register(pid, 'envoy')]);
      },
    });
  });

  /** Asks until Envoy has its certificate. */
  const asked = async (svid: X509Svid, headers = {}): Promise<Answer> => {
    let answer: Answer | undefined;
    await eventually(async () => {
      answer = await world.ask(svid, headers).catch(() => undefined);
      return answer !== undefined;
    }, 20_000);
    return answer!;
  };

  test('peers with SVIDs of the identity server are decided, each under its own name and id', async () => {
    const decider = createLocalDecider({ current: () => pair });
    const expected: [path: string, status: number, reason: string][] = [
      [REGISTERED, 200, 'agent_admitted'],
      [GATEWAY, 200, 'caller_admitted'],
      [NARROWED, 403, 'service_not_granted'],
      [STRANGER, 403, 'unknown_caller'],
    ];
    for (const [path, status, reason] of expected) {
      const forged = { 'x-platform-spiffe-id': idOf(GATEWAY) };
      const { log, upstream, ...answer } = await asked(await svidOf(platform, path), forged);
      assert.is(answer.status, status, path);
      assert.is(log.spiffe_id, idOf(path));
      assert.is(upstream?.['x-platform-spiffe-id'], status === 200 ? idOf(path) : undefined);
      const decision = decideMesh(decider, {
        ...{ spiffeId: log.spiffe_id!, trustDomain, service: log.service! },
        ...{ requestId: log.request_id!, time: log.time! },
      });
      assert.is(log.decision_id, decision.id);
      assert.is(decision.reason.code, reason);
    }
  });

  test('an SVID of the same name from another CA does not get in', async () => {
    await asked(await svidOf(platform, REGISTERED));
    const before = world.seen.length;
    const outcome = await world.ask(await svidOf(other, REGISTERED)).then(
      ({ status }) => String(status),
      (error: NodeJS.ErrnoException) => error.code ?? '',
    );
    assert.match(outcome, /ERR_SSL|ECONNRESET|EPIPE/);
    assert.is(world.seen.length, before);
  });

  test('after the CA has changed, old and new SVIDs are still decided', async () => {
    const old = await svidOf(platform, REGISTERED);
    await platform.authority.rotateNow('x509');
    await eventually(async () => {
      const renewed = await svidOf(platform, REGISTERED);
      const isNew = !Buffer.from(renewed.certificates[0]!).equals(
        Buffer.from(old.certificates[0]!),
      );
      if (!isNew) return false;
      const answer = await world.ask(renewed).catch(() => undefined);
      return answer?.status === 200;
    }, 20_000);
    assert.is((await asked(old)).status, 200);
    assert.is((await asked(await svidOf(platform, STRANGER))).status, 403);
  });
}

test.after(async () => {
  await world?.close();
  await platform?.close();
  await other?.close();
});
test.run();
