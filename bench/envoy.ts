// What authorization adds to a request through Envoy: the filter, external authorization, and OPA's Envoy plugin.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readBundle } from '../runtime/bundle/files.ts';
import { loadPair } from '../runtime/bundle/load.ts';
import type { LoadedPair } from '../runtime/bundle/pair.ts';
import { writeSamplePair } from '../runtime/bundle/testing.ts';
import type { JsonObject } from '../runtime/json.ts';
import {
  type BenchmarkCase,
  type BenchmarkResult,
  type Figures,
  figures,
} from '../runtime/measure.ts';
import { type ProxyConfig, proxyBootstrap } from '../runtime/proxywasm/envoy/configuration.ts';
import {
  extAuthzFilter,
  extAuthzService,
  grpcCluster,
  type HttpFilter,
  meshHttpFilter,
} from '../runtime/proxywasm/envoy/filters.ts';
import { meshFilterConfiguration } from '../runtime/proxywasm/mesh-filter.ts';
import { clientTls, type EnvoyWorld, envoyWorld } from '../runtime/proxywasm/testing/envoy.ts';
import { needs } from '../runtime/testing/needs.ts';
import { SAMPLE_TRUST_DOMAIN, sampleAgent, sampleData } from '../runtime/testing/sample-data.ts';
import { startOpa, startOurs, startYes } from './peers/envoy-servers.ts';
import { type Client, tlsClient } from './peers/tls-client.ts';

const AGENTS = 200;
const ROUNDS = 80;
const WARM_UP_ROUNDS = 8;
const REQUESTS = 25;
const AT_ONCE = 8;
const trustDomain = SAMPLE_TRUST_DOMAIN;
const peer = sampleAgent(1);
const NO_FILTER = 'no filter';

/** A tool call of 2 KB. */
const request = {
  path: '/mcp',
  body: JSON.stringify({
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: {
      name: 'read_note',
      arguments: { path: 'notes/march.md', text: 'All is well. '.repeat(144) },
    },
  }),
};

/** One listener, and the name of the alternative that it is. */
interface Alternative {
  name: string;
  filters: HttpFilter[];
  virtualHost?: object;
  clusters?: object[];
}

/** `vault` takes agents without a look at bodies; of `notes` everything is read. */
function data(): JsonObject {
  const sample = sampleData(AGENTS) as Record<string, Record<string, JsonObject>>;
  const schema = {
    type: 'object',
    required: ['path'],
    properties: { path: { type: 'string', maxLength: 200 }, text: { type: 'string' } },
    additionalProperties: false,
  };
  const body = {
    ...{ protocol: 'mcp', arguments: true, scanners: ['InvisibleText', 'PII', 'Secrets'] },
    ...{ paths: { 'POST /mcp': true }, methods: { 'tools/call': true } },
  };
  const agent = sample.agents![peer]!;
  const granted = { ...agent, resources: { notes: { actions: { read: true } } } };
  return {
    ...sample,
    agents: { ...sample.agents, [peer]: granted },
    services: { ...sample.services, notes: { agents: true, callers: {}, body } },
    tools: { notes: { read_note: { action: 'read', schema } } },
  };
}

/** `npm run bench -- envoy`: mutual TLS on each connection, 2 KB of body, one Envoy with one worker. */
export async function run(): Promise<BenchmarkResult> {
  if (!needs('envoy')) throw new Error('this benchmark needs Envoy');
  const world = await envoyWorld(`spiffe://${trustDomain}/service/vault`, trustDomain);
  const children: ChildProcess[] = [];
  try {
    const { pair, policy } = await bundles(world);
    const { alternatives, notes } = await alternativesOf(world, pair, policy, children);
    const upstream = await startUpstream(children);
    await world.start(bootstrapOf(world, alternatives, upstream));
    const ports = await portsOf(world);
    const svid = await world.ca.issue(peer);
    const connected = (names: string[]) =>
      connectAll(names, (name) => tlsClient(ports.get(name)!, clientTls(world.ca, svid), request));
    const [one, many] = [await connected(namesOf(alternatives)), [] as Map<string, Client>[]];
    for (let made = 0; made < AT_ONCE; made++) many.push(await connected(namesOf(alternatives)));
    const alone = await race([one]);
    const together = await race(many);
    return {
      benchmark: 'envoy',
      unit: 'µs',
      cases: [
        whole('whole request, one at a time', alone),
        added('added to it, one at a time', alone),
        whole(`whole request, ${AT_ONCE} connections`, together),
      ],
      notes: [
        ...notes,
        'Mutual TLS 1.3, HTTP/1.1 kept alive, POST of 2 KB; Envoy has one worker, and the client is one process.',
        'Added at p50 is the median, over the rounds, of the difference to a round without a filter; at p99 the difference of the 99th percentiles.',
      ],
    };
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await world.close();
  }
}

async function bundles(world: EnvoyWorld) {
  const { trusted } = await writeSamplePair(world.folder, { data: data() });
  writeFileSync(world.path('keys.json'), JSON.stringify(trusted));
  const pair = await loadPair(world.folder, trusted);
  writeFileSync(world.path('filter.wasm'), pair.policy.filter!);
  return { pair, policy: await readBundle(world.path('policy')) };
}

async function alternativesOf(
  world: EnvoyWorld,
  pair: LoadedPair,
  policy: Awaited<ReturnType<typeof readBundle>>,
  children: ChildProcess[],
): Promise<{ alternatives: Alternative[]; notes: string[] }> {
  const wasm = (service: string) =>
    meshHttpFilter({
      filter: world.path('filter.wasm'),
      configuration: Buffer.from(
        meshFilterConfiguration(pair, { service, trustDomain }),
      ).toString(),
      vmId: service,
    });
  const authz = (name: string, cluster: string, service: string, bodies = false): Alternative => ({
    name,
    filters: [extAuthzFilter({ cluster, timeoutMs: 10_000, bodies })],
    virtualHost: extAuthzService(service, { bodies }),
  });
  const cluster = (name: string) => grpcCluster(name, { pipe: { path: world.path(`${name}.s`) } });
  children.push(await startOurs(world.folder, world.path('ours.s')));
  const alternatives: Alternative[] = [
    { name: 'ours', filters: [wasm('vault')] },
    { name: NO_FILTER, filters: [], clusters: [cluster('ours')] },
    authz('our ext_authz', 'ours', 'vault'),
    { name: 'ours, with body, arguments and guard', filters: [wasm('notes')] },
    authz('our ext_authz, with body, arguments and guard', 'ours', 'notes', true),
  ];
  if (!needs('go')) return { alternatives, notes: ['Without Go, the limit and OPA did not run.'] };
  children.push(await startYes(world.path('yes.s')));
  const opa = { policy, data: pair.data.json };
  children.push(await startOpa(world.folder, opa, world.path('opa.s')));
  alternatives.push(
    { ...authz('limit: ext_authz that says yes', 'yes', 'vault'), clusters: [cluster('yes')] },
    { ...opaAlternative(authz("OPA's Envoy plugin", 'opa', 'vault')), clusters: [cluster('opa')] },
  );
  return { alternatives, notes: [] };
}

/** OPA's plugin reads headers as Envoy sends them by default. */
function opaAlternative(alternative: Alternative): Alternative {
  const [filter] = alternative.filters;
  const typed = { ...(filter!.typed_config as object), encode_raw_headers: false };
  return { ...alternative, filters: [{ ...filter!, typed_config: typed }] };
}

const namesOf = (alternatives: Alternative[]) => alternatives.map(({ name }) => name);

async function startUpstream(children: ChildProcess[]): Promise<number> {
  const program = fileURLToPath(new URL('./programs/upstream.ts', import.meta.url));
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return Number(line.toString());
}

interface Bootstrap {
  static_resources: { listeners: { name: string }[]; clusters: { name: string }[] };
}

/** One Envoy with a listener an alternative, so that all share its worker and its service. */
function bootstrapOf(world: EnvoyWorld, alternatives: Alternative[], upstreamPort: number): object {
  const each = alternatives.map(({ name, filters, virtualHost, clusters }) => {
    const facts: ProxyConfig['facts'] = virtualHost === undefined ? 'filter' : 'ext_authz';
    const config = { tls: world.identity, filters, virtualHost, clusters, facts, upstreamPort };
    const made = proxyBootstrap({ ...config, accessLog: '/dev/null' }) as Bootstrap;
    made.static_resources.listeners[0]!.name = name;
    return made;
  });
  const clusters = each.flatMap(({ static_resources }) => static_resources.clusters);
  return {
    ...each[0],
    static_resources: {
      listeners: each.flatMap(({ static_resources }) => static_resources.listeners),
      clusters: [...new Map(clusters.map((one) => [one.name, one])).values()],
    },
  };
}

async function portsOf(world: EnvoyWorld): Promise<Map<string, number>> {
  const { listener_statuses: all } = JSON.parse(await world.admin('/listeners?format=json')) as {
    listener_statuses: {
      name: string;
      local_address: { socket_address: { port_value: number } };
    }[];
  };
  return new Map(all.map((one) => [one.name, one.local_address.socket_address.port_value]));
}

async function connectAll(
  names: string[],
  connect: (name: string) => Promise<Client>,
): Promise<Map<string, Client>> {
  const clients = new Map<string, Client>();
  for (const name of names) clients.set(name, await connect(name));
  return clients;
}

interface Sample {
  times: number[];
  /** One a round. */
  medians: number[];
  seconds: number;
}

/** Short rounds in turn, so that drift hits all alike; each set of clients is one connection an alternative. */
async function race(clients: Map<string, Client>[]): Promise<Map<string, Sample>> {
  const names = [...clients[0]!.keys()];
  const samples = new Map(
    names.map((name): [string, Sample] => [name, { times: [], medians: [], seconds: 0 }]),
  );
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    for (const name of names) {
      const times: number[] = [];
      const started = process.hrtime.bigint();
      const worker = async (client: Client) => {
        for (let made = 0; made < REQUESTS; made++) times.push(await client.post());
      };
      await Promise.all(clients.map((of) => worker(of.get(name)!)));
      const sample = samples.get(name)!;
      if (round < 0) continue;
      sample.seconds += Number(process.hrtime.bigint() - started) / 1e9;
      sample.times.push(...times);
      sample.medians.push(median(times));
    }
  }
  for (const of of clients) for (const client of of.values()) client.close();
  return samples;
}

const median = (times: number[]) => figures(times).p50;

function whole(name: string, samples: Map<string, Sample>): BenchmarkCase {
  return caseOf(name, samples, ({ times, seconds }) => ({
    ...figures(times),
    perSecond: times.length / seconds,
  }));
}

function added(name: string, samples: Map<string, Sample>): BenchmarkCase {
  const base = samples.get(NO_FILTER)!;
  const others = new Map([...samples].filter(([key]) => key !== NO_FILTER));
  return caseOf(name, others, ({ times, medians, seconds }) => ({
    p50: median(medians.map((each, round) => each - base.medians[round]!)),
    p99: figures(times).p99 - figures(base.times).p99,
    perSecond: times.length / seconds,
  }));
}

function caseOf(
  name: string,
  samples: Map<string, Sample>,
  read: (sample: Sample) => Figures,
): BenchmarkCase {
  const all = [...samples].map(([key, sample]): [string, Figures] => [key, read(sample)]);
  const [[, ours], ...peers] = all as [[string, Figures], ...[string, Figures][]];
  return {
    ...{ name, ours, peers: Object.fromEntries(peers) },
    ratios: Object.fromEntries(peers.map(([key, of]) => [key, of.p50 / ours.p50])),
  };
}
