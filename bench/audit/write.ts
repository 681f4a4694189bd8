// Writes the evidence of many tool calls with the platform's own writer, for the benchmark of the audit.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBundle } from '../../runtime/bundle/files.ts';
import { loadPair } from '../../runtime/bundle/load.ts';
import { writeSamplePair } from '../../runtime/bundle/testing.ts';
import type { Decider } from '../../runtime/decide/decide.ts';
import type { Decision } from '../../runtime/decide/decision.ts';
import { BUILT_MODULES, createLocalDecider, loadModules } from '../../runtime/decide/local.ts';
import { openEvidenceLog, type SegmentLog } from '../../runtime/evidence/log.ts';
import { seedSigner } from '../../runtime/evidence/note.ts';
import { OpeningsStore } from '../../runtime/evidence/openings.ts';
import type { EvidenceDraft } from '../../runtime/evidence/row.ts';
import type { JsonObject } from '../../runtime/json.ts';
import { moduleBytes } from '../../runtime/modules/source.ts';
import {
  SAMPLE_OPERATOR,
  sampleAgent,
  sampleData,
  sampleService,
} from '../../runtime/testing/sample-data.ts';

const AGENTS = 200;
/** Calls under way at the same time, which is how many share a commit group at most. */
const AT_ONCE = 2048;

/** What one call leaves: its rows in their order. */
type Drafts = (decider: Decider, call: number) => EvidenceDraft[];

/** Writes the rows of `calls` calls below the folder, with their openings where they are wanted. */
export async function writeLog(
  folder: string,
  calls: number,
  drafts: Drafts,
  withOpenings = false,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const { trusted } = await writeSamplePair(join(folder, 'bundles'), { data: sampleData(AGENTS) });
  const pair = await loadPair(join(folder, 'bundles'), trusted);
  const modules = loadModules();
  const decider = createLocalDecider({ current: () => pair }, modules);
  const [evidence, checkpoints] = [join(folder, 'evidence'), join(folder, 'checkpoints')];
  const openings = new OpeningsStore({
    ...{ dir: join(folder, 'openings'), keysDir: join(folder, 'keys') },
  });
  const signer = seedSigner(new Uint8Array(32).fill(7));
  const log = await openEvidenceLog({
    ...{ dir: evidence, checkpointsDir: checkpoints, signer, record: modules.record },
    ...(withOpenings && { openings }),
  });
  for (const kind of ['policy', 'data'] as const) {
    await log.objects.putBundle(
      pair[kind].revision,
      await readBundle(join(folder, 'bundles', kind)),
    );
  }
  for (const module of BUILT_MODULES) await log.putObject(moduleBytes(module));
  let next = 0;
  const worker = async () => {
    for (let call = next++; call < calls; call = next++) await append(log, drafts(decider, call));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  await log.close();
  await openings.close();
  writeFileSync(join(folder, 'bundle.json.pub'), JSON.stringify({ keys: trusted }));
}

async function append(log: SegmentLog, rows: EvidenceDraft[]): Promise<void> {
  for (const row of rows) await log.append(row);
}

/** A call of a tool with a credential: an intent with two authorizations, and its outcome. */
export function toolCall(decider: Decider, call: number): EvidenceDraft[] {
  const agent = call % AGENTS;
  const service = sampleService(agent);
  const time = new Date(Date.UTC(2026, 0, 1) + call * 250).toISOString();
  const facts = {
    context: { request_id: `request-${call}`, time },
    counters: { agent_minute: call % 97, tenant_minute: call % 89 },
    identity: identityOf(agent),
  };
  const name = `${service}_get`;
  const decisions = [
    decide(decider, 'tool', call, {
      ...facts,
      action: 'call',
      approval: null,
      arguments: { id: call, note: 'x'.repeat(call % 200), query: 'open orders of the last week' },
      provenance: { '/query': [{ source: 'prompt' }] },
      resource: { action: 'read', kind: 'tool', name, service, source: 'openapi', tags: [] },
      session: { asked: 0, calls: call % 50, id: `session-${call >> 5}` },
    }),
    decide(decider, 'credential', call, {
      ...facts,
      action: 'use',
      resource: {
        ...{ kind: 'credential', name: 'key', origin: `https://api.example/${call}`, service },
        registered_by: SAMPLE_OPERATOR,
      },
    }),
  ];
  const common = {
    ...{ action: `action-${call}`, request: `request-${call}`, spiffe_id: sampleAgent(agent) },
    ...{ boundary: 'tool', subject: { tool: name, service }, controls: decisions[0]!.controls },
  };
  const detail = { bytes: 700 + (call % 300), duration_ms: call % 40, status: 200 };
  return [
    { ...common, kind: 'intent', time, decisions },
    { ...common, kind: 'outcome', time, decisions: [], outcome: 'ok', detail },
  ];
}

/** A denial row with one scan of a text of this many bytes, with its openings. */
export function guardScan(text: (call: number) => string): Drafts {
  return (decider, call) => {
    const time = new Date(Date.UTC(2026, 0, 1) + call * 250).toISOString();
    const input = {
      direction: 'input',
      scanners: ['InvisibleText', 'PII', 'Secrets'],
      text: text(call),
    };
    const decision = decider.decide({
      ...{ boundary: 'tool', module: 'guard', salt: saltOf(call), input },
    });
    return [
      {
        ...{ kind: 'denial', action: `action-${call}`, request: `request-${call}`, time },
        ...{ spiffe_id: sampleAgent(call % AGENTS), boundary: 'tool', subject: {}, controls: [] },
        ...{ decisions: [decision], openings: decision.openings },
        reason: { code: 'request_malformed', message: 'the request ended early' },
      },
    ];
  };
}

function decide(
  decider: Decider,
  boundary: 'tool' | 'credential',
  call: number,
  input: JsonObject,
): Decision {
  const module = 'authorization';
  const decision = decider.decide({ boundary, module, input, salt: saltOf(call) });
  if (!decision.allow) throw new Error(`call ${call} at ${boundary}: ${decision.reason.code}`);
  return decision;
}

/** Another salt for each call, the same at every run. */
function saltOf(call: number): Uint8Array {
  const salt = Buffer.alloc(32);
  salt.writeUInt32BE(call);
  return salt;
}

function identityOf(agent: number): JsonObject {
  return {
    ...{ agent: `agent-${agent}`, role: 'main', spiffe_id: sampleAgent(agent) },
    ...{ tenant: `tenant-${agent % 20}`, trust_domain: 'platform.local' },
  };
}
