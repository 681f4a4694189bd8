// What the step counter costs: each decision module as it is built beside the same without the counter.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPolicies } from '../runtime/bundle/compile.ts';
import { POLICIES } from '../runtime/bundle/testing.ts';
import type { JsonValue } from '../runtime/json.ts';
import { type BenchmarkCase, type BenchmarkResult, compare } from '../runtime/measure.ts';
import { DECISION_LIMITS } from '../runtime/metering/limits.ts';
import { meter } from '../runtime/metering/meter.ts';
import { ArgumentsModule } from '../runtime/modules/arguments.ts';
import { Decisions } from '../runtime/modules/decisions.ts';
import { Guard } from '../runtime/modules/guard.ts';
import { Record as RecordModule } from '../runtime/modules/record.ts';
import { RegoCompiler } from '../runtime/modules/rego.ts';
import { moduleBytes } from '../runtime/modules/source.ts';
import { compilePlan } from '../runtime/plan/compile.ts';
import { sampleAgent, sampleData, sampleService } from '../runtime/testing/sample-data.ts';

const AGENTS = 200;
const FAST = { batch: 200, samples: 150, warmup: 20_000 };
const SLOW = { batch: 20, samples: 100, warmup: 200 };
const UNMETERED = join(import.meta.dirname, '..', 'wasm', 'build', 'unmetered');

type Module = 'record' | 'guard' | 'arguments';

/** `npm run bench -- limits`; a ratio below 1 is what the counter costs. */
export async function run(): Promise<BenchmarkResult> {
  const cases = [await decisions(), canonicalize(), scan(), validate()];
  return {
    benchmark: 'limits',
    unit: 'µs',
    cases,
    notes: ['"unmetered" is the same module before the counter is put in.'],
  };
}

async function decisions(): Promise<BenchmarkCase> {
  const compiler = await RegoCompiler.load();
  const { plan } = compiler.plan(await readPolicies(POLICIES));
  const { wasm } = await compilePlan(plan as never, moduleBytes('engine'));
  if (wasm === undefined) throw new Error('the policies are not compiled');
  const data = Buffer.from(JSON.stringify(sampleData(AGENTS)));
  const metered = Decisions.create({ wasm: meter(wasm, DECISION_LIMITS), data });
  const unmetered = Decisions.create({ wasm, data });
  const inputs = Array.from({ length: AGENTS }, (_, number) => toolCall(number));
  const decide = (of: Decisions) => (round: number) =>
    of.decide('platform/tool/decision', inputs[round % AGENTS]!).value;
  return beside('a tool call is decided', decide(metered), decide(unmetered), FAST);
}

function canonicalize(): BenchmarkCase {
  const input = Buffer.from(JSON.stringify(toolCall(1)));
  const of = (record: RecordModule) => () => record.canonicalize(input);
  const [metered, unmetered] = both('record', RecordModule.create);
  return beside('an input is made canonical, 0.6 KB', of(metered), of(unmetered), FAST);
}

function scan(): BenchmarkCase {
  const text = 'Dear all, the figures of March are attached; call 5 or write soon. '.repeat(250);
  const scanners = ['InvisibleText', 'PII', 'Secrets'] as const;
  const of = (guard: Guard) => () => guard.scan({ direction: 'input', scanners, text });
  const [metered, unmetered] = both('guard', Guard.create);
  return beside('a text is scanned, 16 KB', of(metered), of(unmetered), SLOW);
}

function validate(): BenchmarkCase {
  const schema = Buffer.from(
    JSON.stringify({
      type: 'object',
      required: ['recipients', 'subject'],
      additionalProperties: false,
      properties: {
        recipients: { type: 'array', items: { type: 'string', pattern: '^[a-z-]+@[a-z.]+$' } },
        subject: { type: 'string', maxLength: 200 },
        body: { type: 'string' },
      },
    }),
  );
  const args = Buffer.from(
    JSON.stringify({
      recipients: Array.from({ length: 10 }, (_, number) => `person-${'x'.repeat(number)}@a.org`),
      subject: 'Report',
      body: 'All is well. '.repeat(40),
    }),
  );
  const of = (module: ArgumentsModule) => () => module.validateBytes(schema, args);
  const [metered, unmetered] = both('arguments', ArgumentsModule.create);
  return beside('arguments are validated, 0.8 KB', of(metered), of(unmetered), FAST);
}

function both<Host>(name: Module, create: (bytes: Uint8Array) => Host): [Host, Host] {
  return [create(moduleBytes(name)), create(readFileSync(join(UNMETERED, `${name}.wasm`)))];
}

function beside(
  name: string,
  metered: (round: number) => unknown,
  unmetered: (round: number) => unknown,
  sampling: typeof FAST,
): BenchmarkCase {
  if (JSON.stringify(metered(0)) !== JSON.stringify(unmetered(0))) {
    throw new Error(`${name}: the answers differ`);
  }
  return compare(name, { ours: metered, unmetered }, sampling);
}

function toolCall(number: number): JsonValue {
  return {
    action: 'call',
    identity: {
      spiffe_id: sampleAgent(number),
      trust_domain: 'platform.local',
      tenant: `tenant-${number % 20}`,
      agent: `agent-${number}`,
      role: 'main',
    },
    resource: {
      ...{ kind: 'tool', name: 'send_email', service: sampleService(number) },
      ...{ action: 'write', source: 'openapi', tags: ['mail'] },
    },
    arguments: { recipients: [`person-${number}@example.org`], subject: `Report ${number}` },
    provenance: { '/recipients/0': [{ source: 'prompt' }] },
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
  };
}
