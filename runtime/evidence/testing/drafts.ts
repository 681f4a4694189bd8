// Drafts, openings and helpers that the tests of evidence share.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../json.ts';
import { Record } from '../../modules/record.ts';
import { moduleBytes } from '../../modules/source.ts';
import { seedSigner } from '../note.ts';
import type { DecisionFacts, EvidenceDraft } from '../row.ts';

export const record = Record.create(moduleBytes('record'));
export const signer = seedSigner(new Uint8Array(32).fill(7));

/** A plausible row of one tool call; `over` replaces fields. */
export function draft(over: Partial<EvidenceDraft> = {}): EvidenceDraft {
  return {
    kind: 'denial',
    action: randomBytes(8).toString('hex'),
    request: 'req-1',
    time: '2026-01-31T12:00:00.000Z',
    spiffe_id: 'spiffe://platform.local/agent/acme/bot/main',
    boundary: 'tool',
    subject: { tool: 'send_email' },
    decisions: [],
    controls: ['SOC2:CC6.1'],
    ...over,
  };
}

/** The facts of a decision that answered `output`; nothing about it is recomputable. */
export function decision(output: JsonObject, over: Partial<DecisionFacts> = {}): DecisionFacts {
  return {
    id: 'a'.repeat(64),
    module: 'authorization',
    boundary: 'tool',
    moduleDigest: `sha256:${'b'.repeat(64)}`,
    policyRevision: `sha256:${'c'.repeat(64)}`,
    dataRevision: `sha256:${'d'.repeat(64)}`,
    committedInput: Buffer.from('{"action":"call"}'),
    outputBytes: Buffer.from(JSON.stringify(output)),
    ...over,
  };
}

/** A temporary folder with places for a log and its checkpoints; `remove` deletes it. */
export function temporaryState(): { dir: string; checkpointsDir: string; remove: () => void } {
  const root = mkdtempSync(join(tmpdir(), 'evidence-'));
  return {
    dir: join(root, 'evidence'),
    checkpointsDir: join(root, 'checkpoints'),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
