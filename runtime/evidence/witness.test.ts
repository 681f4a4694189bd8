import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { audit } from './audit/audit.ts';
import { signCheckpoint } from './checkpoint.ts';
import { nodeReader } from './files.ts';
import { readFrames } from './frame.ts';
import { openEvidenceLog, type SegmentLog } from './log.ts';
import { MemoryFiles } from './memory.ts';
import { draft, record, signer, temporaryState } from './testing/drafts.ts';
import { Witness } from './witness.ts';

const origin = 'platform.local/evidence/log';
const key = { name: origin, publicKey: signer.publicKey };
const noteOf = (size: number) => signCheckpoint({ origin, size, root: new Uint8Array(32) }, signer);

test('the last checkpoint before a silence is synced without another one or a close', async () => {
  const files = new MemoryFiles();
  const witness = new Witness(files, '/checkpoints', 'log', key, 20);
  await witness.begin(noteOf(0));
  const synced = () => files.contents.get('/checkpoints/log.synced.checkpoint')!.toString();
  for (let size = 1; size <= 50; size++) await witness.publish(noteOf(size));
  const last = Buffer.from(noteOf(50)).toString();
  assert.is.not(synced(), last, 'not with every checkpoint');
  for (let tries = 0; tries < 500 && synced() !== last; tries++) await sleep(10);
  assert.is(synced(), last);
  await witness.close();
});

test('a failed sync is told to the next one that publishes, once', async () => {
  const files = new MemoryFiles();
  const witness = new Witness(files, '/checkpoints', 'log', key, 0);
  await witness.begin(noteOf(0));
  const { replace } = files;
  files.replace = () => Promise.reject(new Error('no space'));
  await witness.publish(noteOf(1));
  files.replace = replace;
  await sleep(1);
  const code = await witness.publish(noteOf(2)).catch((error) => error.message);
  assert.is(code, 'no space');
  await witness.publish(noteOf(3));
  await witness.close();
});

/** Rows that were acknowledged, then a kill, then the segment cut to its first group. */
async function cutLog() {
  const state = temporaryState();
  const logs: SegmentLog[] = [await openEvidenceLog({ ...state, signer, record })];
  const { log: id } = logs[0]!.status();
  for (let row = 0; row < 5; row++) await logs[0]!.append(draft());
  const path = join(state.checkpointsDir, `${id}.synced.checkpoint`);
  await using segment = await nodeReader.open(join(state.dir, 'segment'));
  let end = 0;
  for await (const frame of readFrames(segment)) {
    end = frame.end;
    if (frame.kind === 'checkpoint') break;
  }
  const { checkpoint } = logs[0]!.status();
  await logs[0]!.close();
  // What the disk holds where the process was killed before the next sync.
  const note = signCheckpoint({ origin: checkpoint.split('\n')[0]!, size: 0, root: empty }, signer);
  writeFileSync(path, note);
  truncateSync(join(state.dir, 'segment'), end);
  const latest = join(state.checkpointsDir, `${id}.checkpoint`);
  const run = () =>
    audit({
      ...{ evidence: state.dir, checkpoints: state.checkpointsDir, record },
      ...{ openings: new Map(), bundleKeys: [] },
    });
  return { state, latest, run };
}

const empty = record.sha256(new Uint8Array(0)).slice();

test('rows cut off behind a damaged checkpoint are never passed over in silence', async () => {
  const { state, latest, run } = await cutLog();
  assert.is((await run()).tampered?.code, 'evidence_truncated');
  for (const damage of ['garbage', '']) {
    writeFileSync(latest, damage);
    const report = await run();
    assert.is(report.tampered, undefined);
    assert.ok(report.checkpointDamage);

    const troubles: { code: string }[] = [];
    const onTrouble = (error: unknown) => troubles.push(error as { code: string });
    const log = await openEvidenceLog({ ...state, signer, record, onTrouble });
    assert.equal(
      troubles.map(({ code }) => code),
      ['checkpoint_invalid'],
    );
    await log.close();
    const after = await run();
    assert.is(after.checkpointDamage, undefined, 'the file is a checkpoint again');
    assert.ok(after.rowVerdicts.undetermined > 0, 'the log itself says what happened');
  }
  state.remove();
});

test('a checkpoint that is missing is told like a damaged one; a whole one leaves no row', async () => {
  const fs = new MemoryFiles();
  const options = { dir: '/evidence', checkpointsDir: '/checkpoints', signer, record, fs };
  const troubles: unknown[] = [];
  const open = () => openEvidenceLog({ ...options, onTrouble: (error) => troubles.push(error) });
  const log = await open();
  await log.append(draft());
  await log.close();
  const again = await open();
  assert.is(again.status().size, 1);
  await again.close();
  fs.contents.delete(`/checkpoints/${log.status().log}.checkpoint`);
  const third = await open();
  assert.is(third.status().size, 2);
  assert.is(troubles.length, 1);
  await third.close();
});

test.run();
