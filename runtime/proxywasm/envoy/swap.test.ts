// New bundles under load: Envoy takes each new filter with no failed request, and then decides by it alone.
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:http2';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compilePolicies } from '../../bundle/compile.ts';
import type { LoadedPair } from '../../bundle/pair.ts';
import { POLICIES, samplePolicies, writeSamplePair } from '../../bundle/testing.ts';
import { type BundleWatcher, watchBundles } from '../../bundle/watch.ts';
import type { JsonObject } from '../../json.ts';
import { eventually } from '../../testing/eventually.ts';
import { needs } from '../../testing/needs.ts';
import { SAMPLE_TRUST_DOMAIN, sampleAgent, sampleData } from '../../testing/sample-data.ts';
import { clientTls, envoyWorld } from '../testing/envoy.ts';
import { meshDecider } from '../testing/mesh.ts';
import { proxyBootstrap } from './configuration.ts';
import { discoveredMeshFilter } from './filters.ts';
import { DISCOVERY_FILE, followBundles } from './publish.ts';

const test = suite('Envoy under new bundles');
/** Requests that a revision has to decide before the next one comes. */
const REQUESTS_EACH = 100;
const peer = sampleAgent(1);
const world = await envoyWorld(
  `spiffe://${SAMPLE_TRUST_DOMAIN}/service/vault`,
  SAMPLE_TRUST_DOMAIN,
);
const { ca, seen } = world;
const bundles = mkdtempSync(world.path('bundles-'));
const published = world.path('published');

/** Policies that refuse one agent more than the repository's own do. */
async function otherPolicies() {
  const own = world.path('own');
  mkdirSync(own);
  const rule = `deny contains {"code": "closed"} if input.identity.agent == "agent-2"`;
  writeFileSync(join(own, 'own.rego'), `package platform.mesh.operator\n\n${rule}\n`);
  return compilePolicies([POLICIES, own]);
}

const dataOf = (round: number): JsonObject => sampleData(20 + round);

/** Clients that go on until they are stopped; what each answer was. */
async function load(): Promise<{ statuses: Map<number | string, number>; stop(): Promise<void> }> {
  const tls = {
    ...clientTls(ca, await ca.issue(peer)),
    ...{ host: '127.0.0.1', port: world.port(), checkServerIdentity: () => undefined },
  };
  const statuses = new Map<number | string, number>();
  const count = (status: number | string) => statuses.set(status, (statuses.get(status) ?? 0) + 1);
  let isOn = true;
  const http1 = async (agent: Agent | false) => {
    while (isOn) {
      count(
        await new Promise<number | string>((resolve) => {
          const call = request({ ...tls, agent, path: '/', method: 'POST' }, (answer) => {
            answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
          });
          call.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
          call.end('body');
        }),
      );
    }
  };
  const http2 = async (requestsOfSession: number) => {
    while (isOn) {
      const session = connect(`https://127.0.0.1:${tls.port}`, tls);
      session.on('error', (error: NodeJS.ErrnoException) => count(error.code ?? 'error'));
      for (let made = 0; isOn && made < requestsOfSession; made++) {
        const call = session.request({ ':path': '/', ':method': 'POST' });
        call.on('error', (error: NodeJS.ErrnoException) => count(error.code ?? 'error'));
        call.end('body');
        const [head] = (await once(call, 'response')) as [{ ':status': number }];
        call.resume();
        if (!call.closed) await once(call, 'close');
        count(head[':status']);
      }
      session.close();
    }
  };
  const agent = new Agent({ keepAlive: true });
  const loops = [http1(agent), http1(false), http2(Number.POSITIVE_INFINITY), http2(5)];
  return {
    statuses,
    async stop() {
      isOn = false;
      await Promise.all(loops);
      agent.destroy();
    },
  };
}

/** Which pair made the decision that a request came with; -1 for none of them. */
function decidedBy(
  headers: IncomingHttpHeaders,
  decides: ReturnType<typeof meshDecider>[],
): number {
  const facts = new Map([
    ['spiffe_id', headers['x-platform-spiffe-id']],
    ['request_id', headers['x-platform-request-id']],
    ['time', headers['x-platform-time']],
    ['service', 'vault'],
  ]);
  const id = headers['x-platform-mesh-decision'];
  return decides.findIndex((decide) => decide((fact) => facts.get(fact) as string).id === id);
}

if (needs('envoy')) {
  test('six pairs follow each other: no request fails, none passes undecided', async () => {
    const policies = [await samplePolicies(), await otherPolicies()];
    const { keys, trusted } = await writeSamplePair(bundles, { data: dataOf(0) });
    const watcher: BundleWatcher = await watchBundles(bundles, trusted);
    const pairs: LoadedPair[] = [watcher.current()];
    const errors: unknown[] = [];
    const config = { folder: published, service: 'vault', trustDomain: SAMPLE_TRUST_DOMAIN };
    const unfollow = await followBundles(watcher, config, { error: (error) => errors.push(error) });
    await world.start(
      proxyBootstrap({
        tls: world.identity,
        filters: [discoveredMeshFilter(join(published, DISCOVERY_FILE))],
        ...{ facts: 'filter', upstreamPort: world.upstreamPort },
        accessLog: world.path('access.log'),
      }),
      { workers: 2 },
    );
    const { statuses, stop } = await load();
    // In turn other data and another policy; never both, since the watcher may see one before the other.
    const versions = [0, 0, 1, 1, 0, 0];
    const rounds = [0, 1, 1, 2, 2, 3];
    const begins = [0];
    for (let version = 1; version < versions.length; version++) {
      await decidedAfter(begins.at(-1)!, pairs);
      const policy = policies[versions[version]!]!;
      begins.push(seen.length);
      await writeSamplePair(bundles, { keys, policies: policy, data: dataOf(rounds[version]!) });
      await watcher.refresh();
      pairs.push(watcher.current());
    }
    await decidedAfter(begins.at(-1)!, pairs);
    await stop();
    await unfollow();
    watcher.close();
    assert.equal(errors, []);
    assert.equal([...statuses.keys()], [200], JSON.stringify([...statuses]));
    assert.is(statuses.get(200), seen.length);
    const decides = pairs.map(meshDecider);
    const by = seen.map((headers) => decidedBy(headers, decides));
    assert.not(by.includes(-1), 'every request was decided by one of the pairs');
    for (const [version, begin] of begins.entries()) {
      const until = begins[version + 1] ?? by.length;
      const window = by.slice(begin, until);
      // Each worker changes at a moment of its own; from then on there is no older decision.
      const since = window.lastIndexOf(version - 1) + 1;
      assert.ok(
        window.slice(since).every((found) => found === version),
        `since ${version}`,
      );
      assert.ok(window.length - since >= REQUESTS_EACH, `${version}: ${since} of ${window.length}`);
      const older = window.slice(0, since);
      assert.ok(
        older.every((found) => found >= version - 1),
        `before ${version}`,
      );
    }
    const filters = readdirSync(published).filter((name) => name.endsWith('.wasm'));
    assert.is(filters.length, 1, 'the last change was one of data');
  });

  test('what Envoy cannot use is refused, and the filter before decides on', async () => {
    const file = join(published, DISCOVERY_FILE);
    const svid = await ca.issue(peer);
    const good = readFileSync(file, 'utf8');
    const broken = [
      good.replace('trust_domain', 'trust_domein').replace(/"vm_id":"/g, '"vm_id":"other '),
      good.replace(/filter-[0-9a-f]{32}/, 'filter-missing'),
      good.slice(0, 1000),
    ];
    for (const text of broken) {
      assert.is.not(text, good);
      const before = await refusals();
      writeFileSync(`${file}.new`, text);
      renameSync(`${file}.new`, file);
      await eventually(async () => (await refusals()) > before, 15_000);
      const { status, upstream } = await world.ask(svid);
      assert.is(status, 200);
      assert.match(String(upstream!['x-platform-mesh-decision']), /^[0-9a-f]{64}$/);
    }
  });
}

/** How many times Envoy refused what it discovered. */
async function refusals(): Promise<number> {
  const stats = await world.admin('/stats?filter=extension_config_discovery');
  return [...stats.matchAll(/(?:config_fail|update_rejected|update_failure): (\d+)/g)]
    .map(([, count]) => Number(count))
    .reduce((sum, count) => sum + count, 0);
}

/** Waits until the newest pair has decided so many requests in a row. */
async function decidedAfter(begin: number, pairs: readonly LoadedPair[]): Promise<void> {
  const decides = [meshDecider(pairs.at(-1)!)];
  let read = begin;
  let from = begin;
  await eventually(() => {
    for (; read < seen.length; read++) if (decidedBy(seen[read]!, decides) !== 0) from = read + 1;
    return seen.length - from >= REQUESTS_EACH;
  }, 60_000);
}

test.after(async () => {
  await world.close();
  rmSync(bundles, { recursive: true, force: true });
});
test.run();
