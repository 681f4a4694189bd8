import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { EvidenceFiles, SegmentFile } from './files.ts';
import { openEvidenceLog, type SegmentLog } from './log.ts';
import { MemoryFiles } from './memory.ts';
import { decodeRow } from './row.ts';
import { draft, record, signer } from './testing/drafts.ts';
import { walk, witnessedIn } from './testing/walk.ts';

type Fault = 'none' | 'write' | 'half write' | 'sync' | 'checkpoint' | 'open';

/** A disk in memory that fails in one way while told to. */
class FaultyFiles extends MemoryFiles {
  fault: Fault = 'none';

  fail(fault: Fault): void {
    if (this.fault === fault) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
  }

  override async openSegment(path: string): Promise<SegmentFile> {
    this.fail('open');
    const file = await super.openSegment(path);
    const isCheckpoint = path.endsWith('.checkpoint');
    return {
      ...file,
      write: async (bytes, position) => {
        if (isCheckpoint) this.fail('checkpoint');
        else this.fail('write');
        if (this.fault === 'half write' && !isCheckpoint) {
          await file.write(bytes.subarray(0, bytes.byteLength >> 1), position);
          this.fail('half write');
        }
        await file.write(bytes, position);
      },
      datasync: async () => this.fail('sync'),
    };
  }
}

const options = (fs: EvidenceFiles) => ({
  ...{ dir: '/evidence', checkpointsDir: '/checkpoints', signer, record, fs },
  retryMs: 0,
});
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'acked',
    (error) => error.code,
  );

async function contentOf(log: SegmentLog) {
  const rows = [];
  for await (const { bytes } of log.rows()) rows.push(decodeRow(bytes));
  return rows;
}

for (const fault of ['write', 'half write', 'sync', 'checkpoint'] as const) {
  test(`${fault} fails: every append is refused, and what was acknowledged outlives it`, async () => {
    const fs = new FaultyFiles();
    const log = await openEvidenceLog({ ...options(fs), retryMs: 1e9 });
    await log.append(draft({ action: 'before' }));
    fs.fault = fault;
    const during = Array.from({ length: 5 }, () => codeOf(log.append(draft({ action: 'during' }))));
    assert.equal(new Set(await Promise.all(during)), new Set(['evidence_unavailable']));
    fs.fault = 'none';
    assert.is(log.status().state, 'failed');
    assert.is(await codeOf(log.append(draft())), 'evidence_unavailable', 'until it tries again');
    await log.close();

    const again = await openEvidenceLog(options(fs));
    await again.append(draft({ action: 'after' }));
    const actions = (await contentOf(again)).map(({ action }) => action);
    assert.is(actions[0], 'before');
    assert.is(actions.at(-1), 'after');
    await again.close();
    const { log: id } = again.status();
    const found = await walk(fs.contents.get('/evidence/segment')!, id, [witnessedIn(fs, id)]);
    assert.is(found.summary?.rows, actions.length);
  });

  test(`${fault} fails and the disk returns: the log goes on without a restart`, async () => {
    const fs = new FaultyFiles();
    const log = await openEvidenceLog(options(fs));
    await log.append(draft({ action: 'before' }));
    for (let time = 0; time < 3; time++) {
      fs.fault = fault;
      const refused = await codeOf(log.append(draft({ action: 'during', kind: 'intent' })));
      assert.is(refused, 'evidence_unavailable');
      assert.is(await codeOf(log.append(draft())), 'evidence_unavailable');
      fs.fault = 'none';
      await log.append(draft({ action: `after ${time}` }));
    }
    await log.close();
    const { log: id } = log.status();
    const found = await walk(fs.contents.get('/evidence/segment')!, id, [witnessedIn(fs, id)]);
    assert.is(found.code, undefined);
    assert.is(found.summary?.tailBytes, 0);
    const rows = found.rows.map(({ action, kind, outcome }) => [action, kind, outcome]);
    const expected = ['before', 'after 0', 'after 1', 'after 2'];
    assert.equal(
      rows.filter(([, kind]) => kind === 'denial').map(([action]) => action),
      expected,
    );
    // An intent whose row got to the disk although its caller was refused is closed, not left open.
    const intents = rows.filter(([, kind]) => kind === 'intent').length;
    const closed = rows.filter(([, , outcome]) => outcome === 'unknown').length;
    assert.is(intents, fault === 'checkpoint' ? 3 : 0);
    assert.is(closed, intents);
  });
}

test('while the disk is away, one append in a while tries it and the others do not wait', async () => {
  const fs = new FaultyFiles();
  const log = await openEvidenceLog(options(fs));
  fs.fault = 'sync';
  assert.is(await codeOf(log.append(draft())), 'evidence_unavailable');
  fs.fault = 'open';
  const tries = await Promise.all([codeOf(log.append(draft())), codeOf(log.append(draft()))]);
  assert.equal(tries, ['evidence_unavailable', 'evidence_unavailable']);
  fs.fault = 'none';
  assert.is(await codeOf(log.append(draft())), 'acked');
  await log.close();
});

test('a folder that cannot be used is refused with a code, and leaves no lock', async () => {
  const fs = new FaultyFiles();
  fs.fault = 'open';
  assert.is(await codeOf(openEvidenceLog(options(fs))), 'state_unwritable');
  fs.fault = 'none';
  await (await openEvidenceLog(options(fs))).close();
});

test('openings that cannot be kept are reported and do not hold up the row', async () => {
  const troubles: unknown[] = [];
  const fault = new Error('no space for openings');
  const log = await openEvidenceLog({
    ...options(new MemoryFiles()),
    openings: { keep: () => Promise.reject(fault) },
    onTrouble: (error) => troubles.push(error),
  });
  const opening = { field: 'arguments', salt: '0'.repeat(64), value: Buffer.from('{}') };
  assert.is((await log.append(draft({ openings: [opening] }))).sequence, 0);
  assert.equal(troubles, [fault]);
  await log.close();
});

test.run();
