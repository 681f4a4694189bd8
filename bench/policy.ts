// Decisions in one run: ours, OPA in its three forms, regorus, Cedar, and a function written by hand.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { compileSources } from '../runtime/bundle/compile.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../runtime/json.ts';
import type { BenchmarkCase, BenchmarkResult } from '../runtime/measure.ts';
import { Authorization } from '../runtime/modules/authorization.ts';
import { needs } from '../runtime/testing/needs.ts';
import { startOpaServer } from '../runtime/testing/opa-server.ts';
import { type Asked, cedarKeyed, cedarRules } from './peers/cedar.ts';
import { type Contestant, local, race } from './peers/contestant.ts';
import { bareLimit } from './peers/limit.ts';
import { startProgram } from './peers/program.ts';

const ENTRYPOINT = 'bench/decision';
const GRANTS = 620;
const RATE = 600;
const tools = ['orders_get', 'orders_list', 'mail_send', 'mail_list', 'files_read', 'files_write'];
const fixtures = fileURLToPath(new URL('./fixtures', import.meta.url));
const inputs = JSON.parse(readFileSync(join(fixtures, 'inputs.json'), 'utf8')) as (Asked &
  JsonObject)[];
const idOf = (agent: number) =>
  `spiffe://platform.local/agent/tenant-${agent % 20}/agent-${agent}/main`;
const toolOf = (agent: number) => tools[agent % tools.length]!;
const agentsOf = (count: number) =>
  Array.from({ length: count }, (_, agent): [string, string] => [idOf(agent), toolOf(agent)]);

interface Stock {
  setData(data: JsonValue): void;
  evaluate(input: unknown, entrypoint: string): { result: { allow: boolean } }[];
}
// The package's ES module lacks the synchronous loader that its CommonJS one has.
const { loadPolicySync } = createRequire(import.meta.url)('@open-policy-agent/opa-wasm') as {
  loadPolicySync(wasm: Uint8Array): Stock;
};

/** What one case is about. */
interface Question {
  name: string;
  policy: 'keyed' | 'scanned' | 'rules';
  data: JsonObject;
  /** Decisions a sample of the peers, which differ by three orders of magnitude. */
  batches: { stock: number; programs: number };
  others: (() => Promise<Contestant> | Contestant)[];
}

const questions: Question[] = [
  ...[200, 10_000].map((agents): Question => {
    const all = new Map(agentsOf(agents));
    return {
      name: `keyed, ${agents} agents`,
      policy: 'keyed',
      data: { agents: Object.fromEntries([...all].map(([id, tool]) => [id, grantsOf(tool)])) },
      batches: { stock: 1000, programs: 200 },
      others: [
        () => cedarKeyed(inputs, (agent) => all.get(agent)!),
        () => bareLimit(inputs, [...all]),
      ],
    };
  }),
  {
    name: `${GRANTS} rules`,
    policy: 'rules',
    data: {},
    batches: { stock: 200, programs: 200 },
    others: [() => cedarRules(inputs, agentsOf(GRANTS)), () => bareLimit(inputs, agentsOf(GRANTS))],
  },
  {
    name: `scan over ${GRANTS} grants`,
    policy: 'scanned',
    data: {
      grants: agentsOf(GRANTS).map(([agent, tool]) => ({
        ...{ agent, tool, action: 'read', rate: RATE },
      })),
    },
    batches: { stock: 100, programs: 20 },
    others: [],
  },
];

function grantsOf(tool: string): JsonObject {
  return { tools: { [tool]: { actions: { read: true, list: true }, rate: RATE } } };
}

/** `npm run bench -- policy`: from an input, as each peer holds it, to its decision. */
export async function run(): Promise<BenchmarkResult> {
  const notes = [
    `Inputs: ${inputs.length} of ${JSON.stringify(inputs[0]).length} bytes as JSON, from a JavaScript object (Go map, Rust value, body of a request).`,
  ];
  const cases: BenchmarkCase[] = [];
  for (const question of questions) cases.push(await measured(question, notes));
  return { benchmark: 'policy', unit: 'µs', cases, notes: [...new Set(notes)] };
}

async function measured(question: Question, notes: string[]): Promise<BenchmarkCase> {
  const { name, policy, data, batches } = question;
  const folder = mkdtempSync(join(tmpdir(), 'bench-policy-'));
  const files = {
    policy: join(fixtures, `${policy}.rego`),
    data: join(folder, 'data.json'),
    inputs: join(fixtures, 'inputs.json'),
  };
  writeFileSync(files.data, JSON.stringify(data));
  try {
    const contestants = [...(await modules(question, readFileSync(files.policy, 'utf8')))];
    const add = async (who: string, make: () => Promise<Contestant> | Contestant) => {
      try {
        contestants.push(await make());
      } catch (error) {
        notes.push(`${who} was not run: ${(error as Error).message.split('\n')[0]}`);
      }
    };
    await add('OPA in Go', () => startProgram('opa', files, batches.programs));
    await add('regorus', () => startProgram('regorus', files, batches.programs));
    if (policy === 'keyed') await add("OPA's server", () => server(folder, files));
    for (const make of question.others) await add('a peer', make);
    return await race(name, contestants);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Ours and stock opa-wasm, of one compilation of the policy. */
async function modules({ data, batches }: Question, content: string): Promise<Contestant[]> {
  const policies = await compileSources({
    files: [{ path: 'policy.rego', content }],
    capabilities: JSON.parse(
      readFileSync(new URL('../policies/capabilities.json', import.meta.url), 'utf8'),
    ) as JsonObject,
    entrypoints: [ENTRYPOINT],
    roots: ['bench'],
  });
  const ours = Authorization.create({ ...policies, data: Buffer.from(JSON.stringify(data)) });
  const stock = loadPolicySync(policies.wasm);
  stock.setData(data);
  return [
    local('ours', inputs.length, 4000, (number) => {
      const { value } = ours.decide(ENTRYPOINT, inputs[number]!);
      return isJsonObject(value) && value.allow === true;
    }),
    local(
      'opa-wasm',
      inputs.length,
      batches.stock,
      (number) => stock.evaluate(inputs[number], ENTRYPOINT)[0]!.result.allow,
    ),
  ];
}

async function server(folder: string, files: { policy: string }): Promise<Contestant> {
  if (!needs('go')) throw new Error('there is no Go');
  writeFileSync(join(folder, 'policy.rego'), readFileSync(files.policy));
  const { url, close } = await startOpaServer(folder, ['.']);
  const pool = new Pool(url, { connections: 1, pipelining: 1 });
  const bodies = inputs.map((input) => JSON.stringify({ input }));
  const ask = async (number: number): Promise<boolean> => {
    const answer = await pool.request({
      ...{ method: 'POST', path: '/v1/data/bench/decision' },
      body: bodies[number % bodies.length]!,
    });
    return ((await answer.body.json()) as { result: { allow: boolean } }).result.allow;
  };
  let next = 0;
  return {
    name: "OPA's server",
    batch: 50,
    async verdicts() {
      const all: boolean[] = [];
      for (let number = 0; number < inputs.length; number++) all.push(await ask(number));
      return all;
    },
    async run(count) {
      const started = process.hrtime.bigint();
      for (let made = 0; made < count; made++) await ask(next++);
      return Number(process.hrtime.bigint() - started);
    },
    close() {
      void pool.destroy();
      close();
    },
  };
}
