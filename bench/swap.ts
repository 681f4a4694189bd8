// A bundle of 10,000 agents put in force while decisions go on, and the memory that many decisions leave.
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createBundleKey } from '../runtime/bundle/keys.ts';
import { writeSamplePair } from '../runtime/bundle/testing.ts';
import { watchBundles } from '../runtime/bundle/watch.ts';
import type { Decider } from '../runtime/decide/decide.ts';
import type { DecisionRequest } from '../runtime/decide/decision.ts';
import { createLocalDecider } from '../runtime/decide/local.ts';
import type { JsonObject } from '../runtime/json.ts';
import { type BenchmarkCase, type BenchmarkResult, figures } from '../runtime/measure.ts';
import { sampleAgent, sampleData, sampleService } from '../runtime/testing/sample-data.ts';

const AGENTS = 10_000;
const SWAPS = 12;
const WARMUP = 3;
const QUIET_MS = 150;
const REQUESTS = 1000;
const DECISIONS = 1_000_000;
const NEVER_MS = 1 << 30;
const PAGE_BYTES = 65_536;
const MIB = 1 << 20;
/** In milliseconds. */
const SECOND = 1000;

const requests = Array.from({ length: REQUESTS }, (_, number): DecisionRequest => {
  const service = sampleService(number);
  return {
    ...{ boundary: 'tool', module: 'authorization', salt: new Uint8Array(32) },
    input: {
      action: 'call',
      identity: { spiffe_id: sampleAgent(number), tenant: `tenant-${number % 20}` },
      resource: { kind: 'tool', name: `${service}_get`, service, action: 'read', tags: [] },
      arguments: { id: number, note: 'x'.repeat(200) },
      context: { time: '2026-01-01T00:00:00.000Z', request_id: `request-${number}` },
    },
  };
});

/** `npm run bench -- swap [--decisions NUMBER]` */
export async function run(): Promise<BenchmarkResult> {
  const memories = watchMemories();
  const folder = mkdtempSync(join(tmpdir(), 'platform-bench-'));
  const keys = await createBundleKey();
  const { trusted } = await writeSamplePair(folder, { keys, data: sampleData(AGENTS) });
  const other = join(folder, 'other');
  await writeSamplePair(other, { keys, data: changed(sampleData(AGENTS)) });
  const watcher = await watchBundles(folder, trusted, { intervalMs: NEVER_MS });
  const decider = createLocalDecider(watcher);
  const exchange = () => {
    renameSync(join(folder, 'data'), join(folder, 'last'));
    renameSync(join(other, 'data'), join(folder, 'data'));
    renameSync(join(folder, 'last'), join(other, 'data'));
  };
  const taken: number[] = [];
  const slowest: number[] = [];
  const busiest: number[] = [];
  const still: number[] = [];
  const quiet: number[] = [];
  for (let round = -WARMUP; round < SWAPS; round++) {
    const without = await whileDeciding(decider, () => pause(QUIET_MS));
    exchange();
    const swap = await whileDeciding(decider, () => watcher.refresh());
    const error = watcher.lastError();
    if (error !== undefined) throw error;
    if (round < 0) continue;
    taken.push(swap.elapsed);
    slowest.push(largest(swap.latencies));
    busiest.push(largest(swap.computed));
    still.push(largest(without.latencies));
    for (const latency of without.latencies) quiet.push(latency);
  }
  const memory = await memoryNote(decider, memories);
  watcher.close();
  if (existsSync(folder)) rmSync(folder, { recursive: true });
  return {
    benchmark: 'swap',
    unit: 'ms',
    cases: [
      alone(`until ${AGENTS} agents are in force`, taken),
      {
        ...alone('slowest decision meanwhile', slowest),
        ...beside(slowest, 'without a swap, as long', still),
      },
      alone('the same in time of the processor', busiest),
    ],
    notes: [
      'A decision counts from one turn of the event loop, when it is asked, to the end of its own in the next.',
      'The time of the processor is that of the thread: without what other programs took of it, by the ticks of the system.',
      `Without a swap p99 of all decisions is ${figures(quiet, SECOND).p99.toFixed(3)} ms.`,
      memory,
    ],
  };
}

function largest(times: number[]): number {
  return times.reduce((most, time) => Math.max(most, time), 0);
}

/** The same agents with other limits, so that the bundle has another revision. */
function changed(data: JsonObject): JsonObject {
  return { ...data, limits: { agent_minute: 121, tenant_minute: 600 } };
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Milliseconds that this thread has computed so far. */
function computing(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Decides once a turn of the event loop until `task` is done; milliseconds of it and of each decision. */
async function whileDeciding(
  decider: Decider,
  task: () => Promise<void>,
): Promise<{ elapsed: number; latencies: number[]; computed: number[] }> {
  const latencies: number[] = [];
  const computed: number[] = [];
  let isDone = false;
  const loop = (async () => {
    for (let number = 0; !isDone; number++) {
      const asked = performance.now();
      const before = computing();
      await new Promise((resolve) => setImmediate(resolve));
      decider.decide(requests[number % REQUESTS]!);
      latencies.push(performance.now() - asked);
      computed.push(computing() - before);
    }
  })();
  const started = performance.now();
  await task();
  const elapsed = performance.now() - started;
  isDone = true;
  await loop;
  return { elapsed, latencies, computed };
}

function alone(name: string, times: number[]): BenchmarkCase {
  return { name, ours: figures(times, SECOND), peers: {}, ratios: {} };
}

function beside(ours: number[], peer: string, times: number[]): Partial<BenchmarkCase> {
  const of = figures(times, SECOND);
  return {
    peers: { [`ours ${peer}`]: of },
    ratios: { [`ours ${peer}`]: of.p50 / figures(ours, SECOND).p50 },
  };
}

/** Every Wasm memory that is made from now on: hosts keep theirs to themselves. */
function watchMemories(): WeakRef<WebAssembly.Memory>[] {
  const memories: WeakRef<WebAssembly.Memory>[] = [];
  const { Instance } = WebAssembly;
  WebAssembly.Instance = class extends Instance {
    constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
      super(module, imports);
      const { memory } = this.exports;
      if (memory instanceof WebAssembly.Memory) memories.push(new WeakRef(memory));
    }
  };
  return memories;
}

async function memoryNote(
  decider: Decider,
  memories: WeakRef<WebAssembly.Memory>[],
): Promise<string> {
  const { decisions } = parseArgs({
    strict: false,
    options: { decisions: { type: 'string', default: String(DECISIONS) } },
  }).values;
  const count = Number(decisions);
  const decide = async (times: number) => {
    for (let number = 0; number < times; number++) {
      decider.decide(requests[number % REQUESTS]!);
      if (number % REQUESTS === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const pages = () =>
    memories.reduce((sum, memory) => sum + (memory.deref()?.buffer.byteLength ?? 0), 0) /
    PAGE_BYTES;
  const resident = () => (process.memoryUsage.rss() / MIB).toFixed(0);
  await decide(100_000);
  const before = { pages: pages(), resident: resident() };
  await decide(count);
  return `Memory before and after ${count} decisions: ${before.resident} and ${resident()} MiB resident, ${before.pages} and ${pages()} pages of all modules.`;
}
