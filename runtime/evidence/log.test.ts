import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hex } from '../hex.ts';
import { openCheckpoint } from './checkpoint.ts';
import { type EvidenceFiles, nodeFiles, type SegmentFile } from './files.ts';
import { openEvidenceLog } from './log.ts';
import { MemoryFiles, memoryEvidenceLog } from './memory.ts';
import { OpeningsStore } from './openings.ts';
import { decodeRow, type EvidenceRow } from './row.ts';
import { readRows } from './rows.ts';
import { draft, record, signer, temporaryState } from './testing/drafts.ts';

const key = (origin: string) => ({ name: origin, publicKey: signer.publicKey });

test('an appended row is a canonical leaf under a signed checkpoint, and outlives a reopening', async () => {
  const state = temporaryState();
  const options = { ...state, signer, record };
  const log = await openEvidenceLog(options);
  const row = await log.append(draft({ subject: { tool: 'é', a: 1 } }));
  assert.is(row.sequence, 0);
  assert.is(hex(record.canonicalize(row.bytes)), hex(row.bytes));
  const { checkpoint, origin } = log.status();
  const { size, root } = openCheckpoint(Buffer.from(checkpoint), key(origin));
  assert.is(size, 1);
  assert.is(hex(root), hex(record.leafHash(row.bytes)));
  assert.is(row.leaf, hex(root));
  await log.close();

  const again = await openEvidenceLog(options);
  assert.is(again.status().size, 1);
  assert.is((await again.append(draft())).sequence, 1);
  assert.is(decodeRow(row.bytes).subject.tool, 'é');
  await again.close();
  state.remove();
});

test('a log has one writer', async () => {
  const state = temporaryState();
  const options = { ...state, signer, record };
  const log = await openEvidenceLog(options);
  const second = await openEvidenceLog(options).catch((error) => error);
  assert.is(second.code, 'state_locked');
  await log.close();
  await (await openEvidenceLog(options)).close();
  state.remove();
});

interface Progress {
  syncs: number;
  written: number;
  /** Rows that were synced, and rows that a checkpoint outside the log covers. */
  durable: number;
  witnessed: number;
}

/** The real file system, counting what is written, synced and witnessed. */
function watched(progress: Progress): EvidenceFiles {
  return {
    ...nodeFiles,
    async openSegment(path): Promise<SegmentFile> {
      const file = await nodeFiles.openSegment(path);
      if (path.endsWith('.checkpoint')) return witnessFile(file, progress);
      return {
        ...file,
        async write(bytes, position) {
          progress.written += countRows(bytes);
          await file.write(bytes, position);
        },
        async datasync() {
          const written = progress.written;
          await file.datasync();
          progress.syncs++;
          progress.durable = written;
        },
      };
    },
  };
}

function witnessFile(file: SegmentFile, progress: Progress): SegmentFile {
  return {
    ...file,
    async write(bytes, position) {
      await file.write(bytes, position);
      progress.witnessed = Number(Buffer.from(bytes).toString('utf8').split('\n')[1]);
    },
  };
}

function countRows(bytes: Uint8Array): number {
  return Buffer.from(bytes).toString('latin1').split('"schema":"platform/evidence/v1"').length - 1;
}

test('a thousand concurrent appends share few syncs, and none resolves before its own', async () => {
  const state = temporaryState();
  const progress: Progress = { syncs: 0, written: 0, durable: 0, witnessed: 0 };
  const log = await openEvidenceLog({ ...state, signer, record, fs: watched(progress) });
  progress.syncs = 0;
  const appends: Promise<void>[] = [];
  for (let turn = 0; turn < 10; turn++) {
    for (let row = 0; row < 100; row++) {
      const checked = log.append(draft()).then(({ sequence }) => {
        assert.ok(sequence < progress.durable, `row ${sequence} before its sync`);
        assert.ok(sequence < progress.witnessed, `row ${sequence} before its checkpoint`);
      });
      appends.push(checked);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(appends);
  assert.ok(progress.syncs >= 1 && progress.syncs <= 11, `${progress.syncs} syncs`);
  assert.is(log.status().size, 1000);
  await log.close();
  state.remove();
});

test('an append waits while its sync hangs', async () => {
  const state = temporaryState();
  let release = () => {};
  let hang: Promise<void> | undefined;
  const fs: EvidenceFiles = {
    ...nodeFiles,
    async openSegment(path) {
      const file = await nodeFiles.openSegment(path);
      return { ...file, datasync: () => (hang ?? Promise.resolve()).then(file.datasync) };
    },
  };
  const log = await openEvidenceLog({ ...state, signer, record, fs });
  hang = new Promise((resolve) => {
    release = resolve;
  });
  let resolved: EvidenceRow | undefined;
  const append = log.append(draft()).then((row) => {
    resolved = row;
  });
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.is(resolved, undefined);
  release();
  await append;
  assert.is(resolved?.sequence, 0);
  await log.close();
  state.remove();
});

test('a row that is no JSON is refused alone, without a gap in the sequence', async () => {
  const { log, rows } = await memoryEvidenceLog(record);
  const good = log.append(draft());
  const bad = await log.append(draft({ subject: { tool: '\ud800' } })).catch((error) => error);
  const after = log.append(draft());
  assert.is(bad.code, 'evidence_row_invalid');
  assert.equal([(await good).sequence, (await after).sequence], [0, 1]);
  assert.equal(
    (await rows()).map(({ sequence }) => sequence),
    [0, 1],
  );
});

test('a row over its maximum is refused, never cut', async () => {
  const { log } = await memoryEvidenceLog(record);
  const large = draft({ subject: { text: 'x'.repeat(2 << 20) } });
  assert.is((await log.append(large).catch((error) => error)).code, 'evidence_row_invalid');
});

test('rows waiting for the disk are bounded', async () => {
  const { log } = await memoryEvidenceLog(record, { pendingRowsMax: 3 });
  const appends = Array.from({ length: 5 }, () => log.append(draft()).catch((e) => e.code));
  const results = await Promise.all(appends);
  assert.equal(results.slice(3), ['evidence_unavailable', 'evidence_unavailable']);
});

test('nothing is appended after close', async () => {
  const { log } = await memoryEvidenceLog(record);
  await log.close();
  assert.is((await log.append(draft()).catch((e) => e)).code, 'evidence_unavailable');
});

test('no append is left hanging by a close, however close together they come', async () => {
  for (let steps = 0; steps < 20; steps++) {
    const { log } = await memoryEvidenceLog(record);
    let late: Promise<string> | undefined;
    const first = log.append(draft()).then(async () => {
      for (let step = 0; step < steps; step++) await null;
      late = log.append(draft()).then(
        () => 'acked',
        (error) => error.code,
      );
    });
    await log.close();
    await first;
    const hung = new Promise((resolve) => setImmediate(() => setImmediate(resolve, 'hung')));
    assert.is(await Promise.race([late, hung]), 'evidence_unavailable');
    await log.close();
  }
});

test('an append opens no file: segment, checkpoint and openings stay open', async () => {
  const fs = new MemoryFiles();
  const openings = new OpeningsStore({ dir: '/openings', keysDir: '/keys', fs });
  const { log } = await memoryEvidenceLog(record, { fs, openings });
  const opening = { field: 'arguments', salt: '0'.repeat(64), value: Buffer.from('{}') };
  await log.append(draft({ openings: [opening] }));
  const opened: string[] = [];
  for (const name of ['openSegment', 'read', 'makeFolder', 'list'] as const) {
    const real = fs[name].bind(fs) as (path: string) => Promise<never>;
    const counted = (path: string) => {
      opened.push(`${name} ${path}`);
      return real(path);
    };
    Object.assign(fs, { [name]: counted });
  }
  for (let row = 0; row < 20; row++) await log.append(draft({ openings: [opening] }));
  assert.equal(opened, []);
  await log.close();
  assert.is((await openings.read()).size, 1);
  await openings.close();
});

test('rows are read up to where they are committed, without asking for a byte more', async () => {
  const { log, files } = await memoryEvidenceLog(record);
  for (let row = 0; row < 3; row++) await log.append(draft());
  await log.close();
  const bytes = files.contents.get('/evidence/segment')!;
  let furthest = 0;
  const segment = {
    size: async () => bytes.byteLength,
    async read(position: number, length: number) {
      furthest = Math.max(furthest, position + length);
      return Buffer.from(bytes.subarray(position, position + length));
    },
  };
  const found: number[] = [];
  const committed = { segment, end: bytes.byteLength - 1 };
  for await (const row of readRows(committed, { offset: 0, sequence: 0 })) found.push(row.sequence);
  assert.equal(found, [0, 1, 2], 'the last frame, a checkpoint, is beyond');
  assert.is(furthest, committed.end);
});

test.run();
