// Authorization decisions with 200 agents' data: ours beside stock opa-wasm, JSON in to decision out.
import { createRequire } from 'node:module';
import { compilePolicies } from '../runtime/bundle/compile.ts';
import { POLICIES } from '../runtime/bundle/testing.ts';
import type { JsonObject, JsonValue } from '../runtime/json.ts';
import { type BenchmarkCase, type BenchmarkResult, compare } from '../runtime/measure.ts';
import { Authorization } from '../runtime/modules/authorization.ts';
import { Record as RecordModule } from '../runtime/modules/record.ts';
import { moduleBytes } from '../runtime/modules/source.ts';
import { sampleAgent, sampleData, sampleService } from '../runtime/testing/sample-data.ts';

const AGENTS = 200;
const ENTRYPOINT = 'platform/tool/decision';
const SAMPLING = { batch: AGENTS, samples: 150, warmup: 4000 };

interface Peer {
  setData(data: JsonValue): void;
  evaluate(input: unknown, entrypoint: string): { result: JsonValue }[];
}
// The package's ES module lacks the synchronous loader that its CommonJS one has.
const opaWasm = createRequire(import.meta.url)('@open-policy-agent/opa-wasm') as {
  loadPolicySync(wasm: Uint8Array): Peer;
};

/** Compares on the same module, the same data and the same inputs, interleaved in one process. */
export async function run(): Promise<BenchmarkResult> {
  const { wasm, reads } = await compilePolicies(POLICIES);
  const data = sampleData(AGENTS);
  const ours = Authorization.create({ wasm, data: Buffer.from(JSON.stringify(data)), reads });
  const stock = opaWasm.loadPolicySync(wasm);
  stock.setData(data);
  const cases = [
    measure('a call is granted, 0.6 KB', ours, stock, inputs(call(40))),
    measure('an e-mail is granted, 2 KB', ours, stock, inputs(call(1200))),
    measure('a document is granted, 16 KB', ours, stock, inputs(call(15_000))),
    measure('a call is denied, 0.6 KB', ours, stock, inputs(call(40, 'nothing'))),
  ];
  return {
    benchmark: 'policy',
    unit: 'µs',
    cases,
    notes: [
      'opa-wasm: evaluate(JSON.parse(text)), as its documentation shows; opa-wasm bytes: evaluate(ArrayBuffer).',
      'All give the parsed decision; the inputs are canonical JSON. Ours keeps parsed answers, never decisions.',
    ],
  };
}

function measure(
  name: string,
  ours: Authorization,
  stock: Peer,
  bytes: Uint8Array[],
): BenchmarkCase {
  const texts = bytes.map((input) => Buffer.from(input).toString());
  const buffers = bytes.map((input) => new Uint8Array(input).buffer);
  const decide = (round: number) => ours.decideBytes(ENTRYPOINT, bytes[round % AGENTS]!).value;
  const decideStock = (round: number) =>
    stock.evaluate(JSON.parse(texts[round % AGENTS]!), ENTRYPOINT)[0]!.result;
  const decideStockBytes = (round: number) =>
    stock.evaluate(buffers[round % AGENTS]!, ENTRYPOINT)[0]!.result;
  for (let number = 0; number < AGENTS; number++) {
    const answers = [decide, decideStock, decideStockBytes].map((call) =>
      JSON.stringify(call(number)),
    );
    if (new Set(answers).size !== 1) throw new Error(`answers differ: ${answers.join(' ')}`);
  }
  return compare(
    name,
    { ours: decide, 'opa-wasm': decideStock, 'opa-wasm bytes': decideStockBytes },
    SAMPLING,
  );
}

function inputs(of: (number: number) => JsonObject): Uint8Array[] {
  const record = RecordModule.create(moduleBytes('record'));
  return Array.from({ length: AGENTS }, (_, number) => record.canonicalizeValue(of(number)));
}

/** Inputs as the gateway makes them; the arguments hold about `bytes` of text. */
function call(bytes: number, service?: string): (number: number) => JsonObject {
  return (number) => ({
    action: 'call',
    identity: {
      spiffe_id: sampleAgent(number),
      trust_domain: 'platform.local',
      tenant: `tenant-${number % 20}`,
      agent: `agent-${number}`,
      role: 'main',
    },
    resource: {
      kind: 'tool',
      name: 'send_email',
      service: service ?? sampleService(number),
      action: 'write',
      source: 'openapi',
      tags: ['mail'],
    },
    arguments: {
      recipients: [`person-${number}@example.org`],
      subject: `Report ${number}`,
      body: 'All is well. '.repeat(Math.ceil(bytes / 13)).slice(0, bytes),
    },
    provenance: {
      '/recipients/0': [{ source: 'prompt' }],
      '/body': [{ source: 'tool', tool: 'read_file', path: '/content', trust: 'trusted' }],
    },
    session: { id: 's1', calls: number, asked: 0 },
    counters: {
      ...{ agent_minute: 1 + (number % 100), tenant_minute: 1 + number },
      calls: {
        agent: { minute: 1, hour: 1 + (number % 100), day: 1 + number },
        tenant: { minute: 1, hour: 1 + number, day: 1 + 2 * number },
      },
      spend: { agent: 0, tenant: 0 },
    },
    approval: null,
    context: { time: '2026-01-01T00:00:00.000Z', request_id: `req-${number}` },
  });
}
