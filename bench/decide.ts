// A whole decision per second: authorization, its id, and its evidence row encoded and hashed.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadPolicy } from '@open-policy-agent/opa-wasm';
import canonicalize from 'canonicalize';
import { loadPair } from '../runtime/bundle/load.ts';
import type { LoadedPair } from '../runtime/bundle/pair.ts';
import { writeSamplePair } from '../runtime/bundle/testing.ts';
import type { Boundary } from '../runtime/decide/boundary.ts';
import type { DecisionRequest } from '../runtime/decide/decision.ts';
import { createLocalDecider, loadModules } from '../runtime/decide/local.ts';
import { encodeRow } from '../runtime/evidence/row.ts';
import type { JsonObject, JsonValue } from '../runtime/json.ts';
import type { BenchmarkCase, BenchmarkResult } from '../runtime/measure.ts';
import { compare } from '../runtime/measure.ts';
import {
  SAMPLE_OPERATOR,
  sampleAgent,
  sampleData,
  sampleService,
} from '../runtime/testing/sample-data.ts';

const AGENTS = 200;
const REQUESTS = 1000;
const SALT = new Uint8Array(32).fill(1);
const SAMPLING = { batch: 20, samples: 1500, warmup: 3000 };
const PEER = 'opa-wasm + canonicalize + crypto';
const LIMIT = 'limit: JSON.stringify + one SHA-256';

function identityOf(agent: number): JsonObject {
  return {
    agent: `agent-${agent}`,
    role: 'main',
    spiffe_id: sampleAgent(agent),
    tenant: `tenant-${agent % 20}`,
    trust_domain: 'platform.local',
  };
}

/** The use of a credential: about 0.6 KB, none of it committed. */
function credentialUse(number: number): JsonObject {
  const agent = number % AGENTS;
  return {
    action: 'use',
    context: { request_id: `request-${number}`, time: '2026-01-01T00:00:00.000Z' },
    counters: { agent_minute: 3, tenant_minute: 9 },
    identity: identityOf(agent),
    resource: {
      kind: 'credential',
      name: 'key',
      origin: `https://api.example/${'x'.repeat(200)}`,
      registered_by: SAMPLE_OPERATOR,
      service: sampleService(agent),
    },
  };
}

/** A tool call as the gateway hands it to the policy: about 0.8 KB, of which two members are committed. */
export function toolCall(number: number): JsonObject {
  const agent = number % AGENTS;
  const service = sampleService(agent);
  return {
    action: 'call',
    approval: null,
    arguments: { id: number, note: 'x'.repeat(200), query: 'open orders of the last week' },
    context: { request_id: `request-${number}`, time: '2026-01-01T00:00:00.000Z' },
    counters: { agent_minute: 3, tenant_minute: 9 },
    identity: identityOf(agent),
    provenance: { '/query': [{ source: 'prompt' }] },
    resource: {
      action: 'read',
      kind: 'tool',
      name: `${service}_get`,
      service,
      source: 'openapi',
      tags: [],
    },
    session: { asked: 0, calls: 3, id: 'session-1' },
  };
}

/** `npm run bench -- decide`: ours beside the same steps with the stock parts. */
export async function run(): Promise<BenchmarkResult> {
  const folder = mkdtempSync(join(tmpdir(), 'platform-bench-'));
  const { trusted } = await writeSamplePair(folder, { data: sampleData(AGENTS) });
  const pair = await loadPair(folder, trusted);
  rmSync(folder, { recursive: true });
  const bytes = (of: JsonObject) => Buffer.byteLength(JSON.stringify(of));
  return {
    benchmark: 'decide',
    unit: 'µs',
    cases: [
      ...(await measured(pair, 'credential', 'nothing committed', credentialUse)),
      ...(await measured(pair, 'tool', 'two members committed', toolCall)),
    ],
    notes: [
      `Inputs: ${bytes(credentialUse(0))} and ${bytes(toolCall(0))} bytes of JSON, from a JavaScript object; ${AGENTS} agents in the data bundle.`,
      'The peer commits no field and checks no input: it is the plain way to the same three steps.',
    ],
  };
}

async function measured(
  pair: LoadedPair,
  boundary: Boundary,
  what: string,
  inputOf: (number: number) => JsonObject,
): Promise<BenchmarkCase[]> {
  const modules = loadModules();
  const decider = createLocalDecider({ current: () => pair }, modules);
  const inputs = Array.from({ length: REQUESTS }, (_, number) => inputOf(number));
  const requests = inputs.map(
    (input): DecisionRequest => ({ boundary, module: 'authorization', input, salt: SALT }),
  );
  const stock = await loadPolicy(pair.policy.wasm as unknown as ArrayBuffer);
  stock.setData(JSON.parse(Buffer.from(pair.data.json).toString()) as object);
  const decideWithStock = (input: JsonValue) =>
    (stock.evaluate(input, `platform/${boundary}/decision`) as { result: JsonValue }[])[0]!.result;

  const id = (round: number) => decider.decide(requests[round % REQUESTS]!);
  if (!id(0).allow) throw new Error(`${boundary}: ${id(0).reason.code}`);
  const stockId = (round: number) => {
    const input = inputs[round % REQUESTS]!;
    const output = decideWithStock(input);
    const committed = canonicalize(input)!;
    const digest = createHash('sha256').update(committed).update(canonicalize(output)!);
    return { committed, output, id: digest.digest('hex') };
  };
  const row = (round: number) => {
    const decision = id(round);
    const bytes = encodeRow(
      {
        kind: 'intent',
        action: 'action-1',
        request: 'request-1',
        time: '2026-01-01T00:00:00.000Z',
        spiffe_id: sampleAgent(round % AGENTS),
        boundary,
        subject: { tool: 'orders_get' },
        decisions: [decision],
        reason: decision.reason,
        controls: decision.controls,
      },
      'log-1',
      round,
      modules.record,
    );
    return modules.record.leafHash(bytes);
  };
  const stockRow = (round: number) => {
    const decided = stockId(round);
    const bytes = canonicalize({ ...decided, sequence: round, log: 'log-1', kind: 'intent' })!;
    return createHash('sha256').update('\0').update(bytes).digest();
  };
  const limit = (round: number) =>
    createHash('sha256')
      .update(Buffer.from(JSON.stringify(inputs[round % REQUESTS])))
      .digest();
  return [
    compare(
      `${boundary}, ${what}: with id`,
      { ours: id, [PEER]: stockId, [LIMIT]: limit },
      SAMPLING,
    ),
    compare(
      `${boundary}, ${what}: with id and row`,
      { ours: row, [PEER]: stockRow, [LIMIT]: limit },
      SAMPLING,
    ),
  ];
}
