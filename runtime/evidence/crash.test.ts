import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hex } from '../hex.ts';
import { openCheckpoint } from './checkpoint.ts';
import { openEvidenceLog } from './log.ts';
import { memoryEvidenceLog } from './memory.ts';
import { decodeRow, type RowContent } from './row.ts';
import { draft, record, signer, temporaryState } from './testing/drafts.ts';
import { walk } from './testing/walk.ts';

const writer = fileURLToPath(new URL('./testing/writer.ts', import.meta.url));
const KILLS = 20;

interface Acknowledged {
  kind: string;
  sequence: number;
  leaf: string;
  action: string;
}

/**
 * Runs the writer until it has acknowledged that many rows and a little longer, kills it without
 * warning, and returns all that it had acknowledged: what it said before is in the pipe.
 */
async function runAndKill(dir: string, checkpointsDir: string, rows: number, delayMs: number) {
  const child = spawn(process.execPath, [writer, dir, checkpointsDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  let killing = false;
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    if (killing || text.split('\n').length <= rows) return;
    killing = true;
    setTimeout(() => child.kill('SIGKILL'), delayMs);
  });
  await once(child, 'close');
  assert.is(child.signalCode, 'SIGKILL');
  const lines = text.slice(0, text.lastIndexOf('\n')).split('\n').slice(1);
  return lines.map((line): Acknowledged => {
    const [kind, sequence, leaf, action] = line.split(' ');
    return { kind: kind!, sequence: Number(sequence), leaf: leaf!, action: action! };
  });
}

test('killed at random points, no acknowledged row is lost and every open intent is closed', async () => {
  const state = temporaryState();
  const acknowledged: Acknowledged[] = [];
  let unknown = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const rows = Math.floor(Math.random() * 200);
    const delayMs = Math.random() * 8;
    acknowledged.push(...(await runAndKill(state.dir, state.checkpointsDir, rows, delayMs)));

    const log = await openEvidenceLog({ ...state, signer, record });
    const found: RowContent[] = [];
    const leaves: string[] = [];
    for await (const { bytes } of log.rows()) {
      found.push(decodeRow(bytes));
      leaves.push(hex(record.leafHash(bytes)));
    }
    for (const { kind, sequence, leaf, action } of acknowledged) {
      assert.is(leaves[sequence], leaf, `acknowledged row ${sequence}`);
      assert.is(found[sequence]?.kind, kind);
      assert.is(found[sequence]?.action, action);
    }
    const intents = found.filter(({ kind }) => kind === 'intent').map(({ action }) => action);
    const outcomes = found.filter(({ kind }) => kind === 'outcome').map(({ action }) => action);
    assert.equal(outcomes.toSorted(), intents.toSorted(), 'one outcome for each intent');
    unknown = found.filter(({ outcome }) => outcome === 'unknown').length;

    const { log: id, origin, checkpoint, size } = log.status();
    const key = { name: origin, publicKey: signer.publicKey };
    const segment = readFileSync(join(state.dir, 'segment'));
    const verified = await walk(segment, id, [openCheckpoint(Buffer.from(checkpoint), key)]);
    assert.is(verified.summary?.rows, size);
    assert.is(verified.summary?.tailBytes, 0);
    await log.close();
  }
  assert.ok(acknowledged.length > 100, `${acknowledged.length} rows were acknowledged`);
  assert.ok(unknown > 0, 'some action was cut off between intent and outcome');
  state.remove();
});

test('any number of open intents is closed, whatever may wait for the disk', async () => {
  const { log, files } = await memoryEvidenceLog(record);
  const intents = Array.from({ length: 1000 }, (_, at) =>
    log.append(draft({ kind: 'intent', action: String(at) })),
  );
  await Promise.all(intents);
  await log.close();
  const again = await memoryEvidenceLog(record, { fs: files, pendingRowsMax: 300 });
  assert.is(again.log.status().size, 2000);
  await again.log.close();
});

test('an intent that was cut off is closed once, and not again at the next start', async () => {
  const state = temporaryState();
  const options = { ...state, signer, record };
  const log = await openEvidenceLog(options);
  await log.append(draft({ kind: 'intent', action: 'a', subject: { tool: 'x' } }));
  await log.append(draft({ kind: 'intent', action: 'b' }));
  await log.append(draft({ kind: 'outcome', action: 'b', outcome: 'ok' }));
  await log.close();
  for (let start = 0; start < 2; start++) {
    const again = await openEvidenceLog({ ...options, clock: () => new Date(0) });
    assert.is(again.status().size, 4);
    const rows: RowContent[] = [];
    for await (const { bytes } of again.rows(3)) rows.push(decodeRow(bytes));
    assert.is(rows[0]?.action, 'a');
    assert.is(rows[0]?.outcome, 'unknown');
    assert.is(rows[0]?.time, '1970-01-01T00:00:00.000Z');
    assert.equal(rows[0]?.subject, { tool: 'x' });
    assert.equal(rows[0]?.detail, { intent: 0 });
    await again.close();
  }
  state.remove();
});

test.run();
