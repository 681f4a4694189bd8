// The same decisions by the same modules in Python and in Node: what a host costs beside its Wasm.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { writeBundleKey } from '../runtime/bundle/keys.ts';
import { loadPair } from '../runtime/bundle/load.ts';
import { writeSamplePair } from '../runtime/bundle/testing.ts';
import type { DecisionModule } from '../runtime/decide/boundary.ts';
import type { Decider } from '../runtime/decide/decide.ts';
import { createLocalDecider } from '../runtime/decide/local.ts';
import type { JsonObject } from '../runtime/json.ts';
import type { BenchmarkCase, BenchmarkResult } from '../runtime/measure.ts';
import { figures } from '../runtime/measure.ts';
import { sampleData } from '../runtime/testing/sample-data.ts';
import { pythonForTests } from '../sdk/python/environment.ts';
import { toolCall } from './decide.ts';

const AGENTS = 200;
const REQUESTS = 200;
const SALT = new Uint8Array(32).fill(1);
const SAMPLES = 300;
const WARMUP_SAMPLES = 30;
const NODE = 'ours in Node';
const LIMIT = 'ours, its calls of WebAssembly alone';
const modules = fileURLToPath(new URL('../wasm/build', import.meta.url));
const program = fileURLToPath(new URL('programs/decide.py', import.meta.url));

interface Case {
  name: string;
  module: DecisionModule;
  batch: number;
  inputOf(number: number): JsonObject;
  schema?: Uint8Array;
}

const SCHEMA = Buffer.from(
  JSON.stringify({
    additionalProperties: false,
    properties: {
      id: { minimum: 0, type: 'integer' },
      note: { maxLength: 400, type: 'string' },
      query: { pattern: '^[a-z ]+$', type: 'string' },
    },
    required: ['id', 'query'],
    type: 'object',
  }),
);
const SCHEMA_NAME = `sha256:${createHash('sha256').update(SCHEMA).digest('hex')}`;
const PROSE = 'The orders of the last week are attached, please look at those that are open. ';

const CASES: readonly Case[] = [
  { name: 'tool call, authorization', module: 'authorization', batch: 20, inputOf: toolCall },
  {
    name: 'its arguments',
    module: 'arguments',
    batch: 20,
    schema: SCHEMA,
    inputOf: (number) => ({ arguments: toolCall(number).arguments!, schema: SCHEMA_NAME }),
  },
  {
    name: 'guard, 2 KB of prose',
    module: 'guard',
    batch: 5,
    inputOf: (number) => ({
      direction: 'input',
      scanners: ['InvisibleText', 'PII', 'PromptInjection', 'Secrets'],
      text: `${number} ${PROSE.repeat(26)}`,
    }),
  },
];

/** `npm run bench -- python`: both hosts in one run, batch by batch in turn. */
export async function run(): Promise<BenchmarkResult> {
  const folder = mkdtempSync(join(tmpdir(), 'platform-bench-'));
  try {
    const { keys, trusted } = await writeSamplePair(folder, { data: sampleData(AGENTS) });
    await writeBundleKey(join(folder, 'bundle.jwk'), keys);
    const pair = await loadPair(folder, trusted);
    const cases: BenchmarkCase[] = [];
    for (const of of CASES) {
      // Each case begins in a fresh host of either kind.
      const decider = createLocalDecider({ current: () => pair });
      cases.push(await measured(of, decider, folder));
    }
    return {
      benchmark: 'python',
      unit: 'µs',
      cases,
      notes: [
        'Both hosts get the same bytes of JSON and must give the same ids; each times itself, in batches that take turns.',
        `"${LIMIT}" is what Python spends in the record module and in the one that decides, copies of memory included.`,
      ],
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function measured(of: Case, decider: Decider, folder: string): Promise<BenchmarkCase> {
  const requests = Array.from({ length: REQUESTS }, (_, number) => ({
    boundary: 'tool' as const,
    module: of.module,
    input: Buffer.from(JSON.stringify(of.inputOf(number))),
    salt: SALT,
    schema: of.schema,
  }));
  const python = await startPython(folder, requests);
  try {
    requests.forEach((request, index) => {
      const { id, allow } = decider.decide(request);
      if (python.decisions[index]!.id !== id || (of.module !== 'authorization' && !allow)) {
        throw new Error(`${of.name}: ${id} in Node, ${python.decisions[index]!.id} in Python`);
      }
    });
    const times = { whole: [] as number[], node: [] as number[], bare: [] as number[] };
    for (let sample = -WARMUP_SAMPLES; sample < SAMPLES; sample++) {
      const first = (sample + WARMUP_SAMPLES) * of.batch;
      const whole = await python.time('whole', first, of.batch);
      const bare = await python.time('bare', first, of.batch);
      const started = process.hrtime.bigint();
      for (let at = first; at < first + of.batch; at++) decider.decide(requests[at % REQUESTS]!);
      const node = Number(process.hrtime.bigint() - started) / of.batch / 1e3;
      if (sample < 0) continue;
      times.whole.push(whole);
      times.bare.push(bare);
      times.node.push(node);
    }
    const ours = figures(times.whole);
    const peers = { [NODE]: figures(times.node), [LIMIT]: figures(times.bare) };
    const ratios = Object.fromEntries(
      Object.entries(peers).map(([peer, found]) => [peer, found.p50 / ours.p50]),
    );
    return { name: of.name, ours, peers, ratios };
  } finally {
    python.stop();
  }
}

interface Request {
  boundary: string;
  module: string;
  input: Buffer;
  salt: Uint8Array;
  schema?: Uint8Array;
}

/** A process with the Python SDK that has decided every request once and waits for orders. */
async function startPython(folder: string, requests: readonly Request[]) {
  const { python } = await pythonForTests();
  const args = ['-B', program, folder, join(folder, 'bundle.jwk.pub'), modules];
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(python, args, {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async (): Promise<unknown> => {
    const { value, done } = await lines.next();
    if (done) throw new Error('the Python process has ended');
    return JSON.parse(value as string);
  };
  const written = requests.map(({ input, salt, schema, ...rest }) =>
    JSON.stringify({
      ...rest,
      input: input.toString('base64'),
      salt: Buffer.from(salt).toString('hex'),
      ...(schema && { schema: Buffer.from(schema).toString('base64') }),
    }),
  );
  child.stdin.write(`${written.join('\n')}\n\n`);
  const decisions = (await answer()) as { id: string; allow: boolean }[];
  return {
    decisions,
    async time(kind: 'whole' | 'bare', first: number, batch: number): Promise<number> {
      child.stdin.write(`${JSON.stringify({ kind, first, batch })}\n`);
      return (await answer()) as number;
    },
    stop: () => void child.stdin.end(),
  };
}
