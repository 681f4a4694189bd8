// Decisions over HTTP: `platform policy serve` beside OPA's own server, on the same bundles and requests.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { writeSamplePair } from '../runtime/bundle/testing.ts';
import {
  type BenchmarkCase,
  type BenchmarkResult,
  type Figures,
  figures,
} from '../runtime/measure.ts';
import { needs } from '../runtime/testing/needs.ts';
import { type OpaServer, startOpaServer } from '../runtime/testing/opa-server.ts';
import { sampleAgent, sampleData, sampleService } from '../runtime/testing/sample-data.ts';

const AGENTS = 200;
const ROUNDS = 12;
const REQUESTS = 400;
const path = '/v1/data/platform/tool/decision';
const peer = "OPA's server";

/** A tool call of about 700 bytes. */
function body(number: number): string {
  const agent = number % AGENTS;
  const service = sampleService(agent);
  return JSON.stringify({
    input: {
      action: 'call',
      identity: {
        ...{ spiffe_id: sampleAgent(agent), trust_domain: 'platform.local' },
        ...{ tenant: `tenant-${agent % 20}`, agent: `agent-${agent}`, role: 'main' },
      },
      resource: {
        ...{ kind: 'tool', name: `${service}_get`, service, action: 'read', source: 'openapi' },
        tags: [],
      },
      arguments: { id: number, note: 'x'.repeat(200) },
      counters: { agent_minute: 3, tenant_minute: 9 },
      context: { time: '2026-01-01T00:00:00.000Z', request_id: `request-${number}` },
    },
  });
}

const bodies = Array.from({ length: 1000 }, (_, number) => body(number));

interface Sample {
  times: number[];
  seconds: number;
}

/** Sends `REQUESTS` requests, `atOnce` under way at a time, and adds what each took. */
async function load(pool: Pool, atOnce: number, into: Sample): Promise<void> {
  let next = 0;
  const started = process.hrtime.bigint();
  const worker = async () => {
    while (next < REQUESTS) {
      const number = next++;
      const sent = process.hrtime.bigint();
      const answer = await pool.request({ method: 'POST', path, body: bodies[number % 1000]! });
      const text = await answer.body.text();
      into.times.push(Number(process.hrtime.bigint() - sent) / 1e3);
      if (answer.statusCode !== 200 || !text.includes('"allow":')) throw new Error(text);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  into.seconds += Number(process.hrtime.bigint() - started) / 1e9;
}

async function measure(name: string, atOnce: number, urls: string[]): Promise<BenchmarkCase> {
  const pools = urls.map((url) => new Pool(url, { connections: atOnce, pipelining: 1 }));
  const samples = pools.map((): Sample => ({ times: [], seconds: 0 }));
  for (let round = -2; round < ROUNDS; round++) {
    for (const [index, pool] of pools.entries()) {
      await load(pool, atOnce, round < 0 ? { times: [], seconds: 0 } : samples[index]!);
    }
  }
  await Promise.all(pools.map((pool) => pool.close()));
  const [ours, theirs] = samples.map(
    ({ times, seconds }): Figures => ({ ...figures(times), perSecond: times.length / seconds }),
  );
  const isAlone = theirs === undefined;
  return {
    name,
    ours: ours!,
    peers: isAlone ? {} : { [peer]: theirs },
    ratios: isAlone ? {} : { [peer]: theirs.p50 / ours!.p50 },
  };
}

/** Starts `platform policy serve` in a process of its own, and resolves to its URL. */
async function startOurs(folder: string): Promise<OpaServer> {
  const entry = fileURLToPath(new URL('../cli/platform.ts', import.meta.url));
  const [policy, data] = [join(folder, 'policy'), join(folder, 'data')];
  const child = spawn(
    process.execPath,
    [entry, 'policy', 'serve', policy, '--data', data, '--addr', '127.0.0.1:0', '--json'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { url } = JSON.parse(line.toString()) as { url: string };
  return { url, close: () => void child.kill() };
}

/** `npm run bench -- serve`. */
export async function run(): Promise<BenchmarkResult> {
  const folder = mkdtempSync(join(tmpdir(), 'platform-bench-serve-'));
  await writeSamplePair(folder, { data: sampleData(AGENTS) });
  const servers: OpaServer[] = [await startOurs(folder)];
  if (needs('go')) servers.push(await startOpaServer(folder, ['policy', 'data']));
  const urls = servers.map(({ url }) => url);
  try {
    return {
      benchmark: 'serve',
      unit: 'µs',
      cases: [
        await measure('one request at a time', 1, urls),
        await measure('sixteen at a time', 16, urls),
      ],
      notes: [
        `${Buffer.byteLength(bodies[0]!)} bytes of JSON a request; ${AGENTS} agents in the data bundle; the client runs on the same machine.`,
        "Ours answers with the platform's decision id, which is a SHA-256 over input and output; OPA's server logs no decisions and has no id.",
      ],
    };
  } finally {
    for (const server of servers) server.close();
    rmSync(folder, { recursive: true });
  }
}
