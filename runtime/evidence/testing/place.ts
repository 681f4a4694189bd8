// Logs with everything that replay needs: real bundles, real decisions, openings and objects.
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JWK } from 'jose';
import { readBundle } from '../../bundle/files.ts';
import { loadPair } from '../../bundle/load.ts';
import { writeSamplePair } from '../../bundle/testing.ts';
import type { Decision } from '../../decide/decision.ts';
import { BUILT_MODULES, createLocalDecider } from '../../decide/local.ts';
import { moduleBytes } from '../../modules/source.ts';
import { openEvidenceLog, type SegmentLog } from '../log.ts';
import { OpeningsStore } from '../openings.ts';
import type { EvidenceDraft } from '../row.ts';
import { draft, record, signer } from './drafts.ts';

const root = mkdtempSync(join(tmpdir(), 'audit-'));
process.on('exit', () => rmSync(root, { recursive: true, force: true }));
const { trusted } = await writeSamplePair(join(root, 'bundles'));
const pair = await loadPair(join(root, 'bundles'), trusted);

/** Decides under the sample bundles. */
export const decider = createLocalDecider({ current: () => pair });

/** The state folder of a platform that has an evidence log and little else. */
export interface Place {
  /** The state folder. */
  root: string;
  evidence: string;
  checkpoints: string;
  bundleKeys: JWK[];
  log: SegmentLog;
  openings: OpeningsStore;
  close(): Promise<void>;
}

/** Opens a log in a fresh state folder of that name. */
export async function place(name: string): Promise<Place> {
  const at = (part: string) => join(root, name, part);
  const openings = new OpeningsStore({ dir: at('openings'), keysDir: at('keys/openings') });
  const [evidence, checkpoints] = [at('evidence'), at('checkpoints')];
  const log = await openEvidenceLog({
    ...{ dir: evidence, checkpointsDir: checkpoints, signer, record, openings },
  });
  for (const kind of ['policy', 'data'] as const) {
    const files = await readBundle(join(root, 'bundles', kind));
    await log.objects.putBundle(pair[kind].revision, files);
  }
  for (const module of BUILT_MODULES) await log.putObject(moduleBytes(module));
  mkdirSync(at('keys'), { recursive: true });
  writeFileSync(at('keys/bundle.json.pub'), JSON.stringify({ keys: trusted }));
  const close = async () => {
    await log.close();
    await openings.close();
  };
  const folders = { root: join(root, name), evidence, checkpoints };
  return { ...folders, bundleKeys: trusted, log, openings, close };
}

const toolInput = (args: Record<string, string>) => ({
  action: 'call',
  identity: {
    spiffe_id: 'spiffe://platform.local/agent/tenant-1/agent-1/main',
    trust_domain: 'platform.local',
    tenant: 'tenant-1',
    agent: 'agent-1',
    role: 'main',
  },
  resource: {
    ...{ kind: 'tool', name: 'mail_send', service: 'mail', action: 'write', source: 'x', tags: [] },
  },
  arguments: args,
  provenance: {},
  session: null,
  counters: { agent_minute: 1, tenant_minute: 1 },
  approval: null,
  context: { time: '2026-01-31T12:00:00.000Z', request_id: 'r' },
});
/** Decides a call of a tool with these arguments. */
export const decideTool = (args: Record<string, string>): Decision =>
  decider.decide({
    ...{ boundary: 'tool', module: 'authorization', input: toolInput(args), salt: randomBytes(32) },
  });
/** The row that such a decision leaves, were it the only one of its request. */
export const draftOf = (decision: Decision): EvidenceDraft => {
  const { boundary, allow, module, openings, controls, reason } = decision;
  const input = JSON.parse(Buffer.from(decision.committedInput).toString('utf8')) as Facts;
  const tool = boundary === 'tool' ? input?.resource?.name : undefined;
  // What a module other than policy allows is no effect yet; here the request goes wrong after it.
  const wrong = { code: 'request_malformed', message: 'the body ended early' };
  return draft({
    kind: allow && module === 'authorization' ? 'intent' : 'denial',
    ...{ boundary, decisions: [decision], openings, controls },
    spiffe_id: input?.identity?.spiffe_id ?? input?.spiffe_id ?? '',
    subject: tool === undefined ? {} : { tool },
    reason: allow ? (module === 'authorization' ? undefined : wrong) : reason,
  });
};

type Facts = {
  identity?: { spiffe_id?: string };
  /** At exchanges, whose input is flat. */
  spiffe_id?: string;
  resource?: { name?: string };
} | null;
