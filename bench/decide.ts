// A whole decision per second: authorization, its id, and its evidence row encoded and hashed.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadPolicy } from '@open-policy-agent/opa-wasm';
import canonicalize from 'canonicalize';
import { loadPair } from '../runtime/bundle/load.ts';
import { writeSamplePair } from '../runtime/bundle/testing.ts';
import type { DecisionRequest } from '../runtime/decide/decision.ts';
import { createLocalDecider, loadModules } from '../runtime/decide/local.ts';
import { encodeRow } from '../runtime/evidence/row.ts';
import type { JsonObject, JsonValue } from '../runtime/json.ts';
import type { BenchmarkResult } from '../runtime/measure.ts';
import { compare } from '../runtime/measure.ts';
import { sampleAgent, sampleData, sampleService } from '../runtime/testing/sample-data.ts';

const AGENTS = 200;
const SALT = new Uint8Array(32).fill(1);

/** A tool call as the gateway hands it to the policy: about 1 KB of JSON. */
function toolCall(number: number): JsonObject {
  const spiffeId = sampleAgent(number % AGENTS);
  const service = sampleService(number % AGENTS);
  return {
    action: 'call',
    identity: {
      spiffe_id: spiffeId,
      trust_domain: 'platform.local',
      tenant: `tenant-${(number % AGENTS) % 20}`,
      agent: `agent-${number % AGENTS}`,
      role: 'main',
    },
    resource: {
      kind: 'tool',
      name: `${service}_get`,
      service,
      action: 'read',
      source: 'openapi',
      tags: [],
    },
    arguments: { id: number, query: 'open orders of the last week', note: 'x'.repeat(200) },
    provenance: { '/query': [{ source: 'prompt' }] },
    session: { id: 'session-1', calls: 3, asked: 0 },
    counters: { agent_minute: 3, tenant_minute: 9 },
    approval: null,
    context: { time: '2026-01-01T00:00:00.000Z', request_id: `request-${number}` },
  };
}

/** `npm run bench -- decide`: ours beside the same steps with the stock parts. */
export async function run(): Promise<BenchmarkResult> {
  const folder = mkdtempSync(join(tmpdir(), 'platform-bench-'));
  const { trusted } = await writeSamplePair(folder, { data: sampleData(AGENTS) });
  const pair = await loadPair(folder, trusted);
  rmSync(folder, { recursive: true });
  const modules = loadModules();
  const decider = createLocalDecider({ current: () => pair }, modules);
  const inputs = Array.from({ length: 1000 }, (_, number) => toolCall(number));
  const requests = inputs.map(
    (input): DecisionRequest => ({
      boundary: 'tool',
      module: 'authorization',
      input,
      salt: SALT,
    }),
  );
  const stock = await loadPolicy(pair.policy.wasm as unknown as ArrayBuffer);
  stock.setData(JSON.parse(Buffer.from(pair.data.json).toString()) as object);
  const decideWithStock = (input: JsonValue) =>
    (stock.evaluate(input, 'platform/tool/decision') as { result: JsonValue }[])[0]!.result;

  const id = (round: number) => decider.decide(requests[round % 1000]!);
  const stockId = (round: number) => {
    const input = inputs[round % 1000]!;
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
        boundary: 'tool',
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
      .update(Buffer.from(JSON.stringify(inputs[round % 1000])))
      .digest();

  const sampling = { batch: 20, samples: 1500, warmup: 3000 };
  const peer = 'opa-wasm + canonicalize + crypto';
  const bare = 'limit: JSON.stringify + one SHA-256';
  return {
    benchmark: 'decide',
    unit: 'µs',
    cases: [
      compare(
        'authorization and decision id',
        { ours: id, [peer]: stockId, [bare]: limit },
        sampling,
      ),
      compare(
        'with evidence row encoded and hashed',
        { ours: row, [peer]: stockRow, [bare]: limit },
        sampling,
      ),
    ],
    notes: [
      `input: ${Buffer.byteLength(JSON.stringify(inputs[0]))} bytes of JSON, from a JavaScript object; ${AGENTS} agents in the data bundle.`,
      'The peer commits no field and checks no input: it is the plain way to the same three steps.',
    ],
  };
}
