import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hex } from '../../hex.ts';
import { type Checkpoint, signCheckpoint } from '../checkpoint.ts';
import { encodeFrame, type Frame, readFrames } from '../frame.ts';
import { openEvidenceLog } from '../log.ts';
import { MemoryFiles, memoryEvidenceLog } from '../memory.ts';
import { Frontier } from '../merkle.ts';
import { seedSigner } from '../note.ts';
import { encodeRow } from '../row.ts';
import { draft, record, signer } from '../testing/drafts.ts';
import { bytesSource, walk, witnessedIn } from '../testing/walk.ts';

const SEGMENT = '/evidence/segment';
const codes = [
  'evidence_truncated',
  'evidence_corrupt',
  'checkpoint_invalid',
  'checkpoint_missing',
];

interface Written {
  files: MemoryFiles;
  log: string;
  segment: Buffer;
  /** The files outside the segment after each group, from none on. */
  states: Map<string, Buffer>[];
  /** Hexadecimal root by number of rows. */
  roots: Map<number, string>;
  /** Where each group ends, in bytes, with the rows there are then. */
  ends: { end: number; size: number }[];
}

/** A log of groups of these sizes, and all that was seen while it grew. */
async function write(groups: number[]): Promise<Written> {
  const { log, files } = await memoryEvidenceLog(record);
  const written: Written = {
    ...{ files, log: log.status().log, segment: Buffer.alloc(0) },
    states: [new Map(files.contents)],
    roots: new Map([[0, hex(new Frontier(record).root())]]),
    ends: [{ end: 0, size: 0 }],
  };
  const frontier = new Frontier(record);
  for (const count of groups) {
    const rows = await Promise.all(Array.from({ length: count }, () => log.append(draft())));
    for (const { bytes } of rows) frontier.push(record.leafHash(bytes));
    written.roots.set(frontier.size, hex(frontier.root()));
    written.ends.push({ end: files.contents.get(SEGMENT)!.byteLength, size: frontier.size });
    written.states.push(new Map(files.contents));
  }
  await log.close();
  written.segment = files.contents.get(SEGMENT)!;
  return written;
}

/** Opens a log over this segment and these other files; its size and root, or the code. */
async function reopen(segment: Uint8Array, others: Map<string, Buffer>) {
  const fs = new MemoryFiles();
  for (const [path, bytes] of others) fs.contents.set(path, bytes);
  fs.contents.delete('/evidence/lock');
  fs.contents.set(SEGMENT, Buffer.from(segment));
  const options = { dir: '/evidence', checkpointsDir: '/checkpoints', signer, record, fs };
  try {
    const log = await openEvidenceLog(options);
    const { size, checkpoint, log: id } = log.status();
    await log.append(draft());
    await log.close();
    const after = await walk(fs.contents.get(SEGMENT)!, id, [witnessedIn(fs, id)]);
    assert.is(after.summary?.rows, size + 1, 'it goes on and verifies');
    assert.is(after.summary?.tailBytes, 0, 'nothing of the torn group is left behind it');
    return { size, root: checkpoint.split('\n')[2]! };
  } catch (error) {
    return { code: (error as { code: string }).code };
  }
}

test('cut at every byte, a log gives a committed prefix or refuses to open', async () => {
  const written = await write([2, 1]);
  for (let length = 0; length <= written.segment.byteLength; length++) {
    const left = written.ends.findLast(({ end }) => end <= length)!;
    const segment = written.segment.subarray(0, length);
    for (const [group, others] of written.states.entries()) {
      const witnessed = written.ends[group]!.size;
      const found = await reopen(segment, others);
      if (witnessed > left.size) {
        assert.equal(found, { code: 'evidence_truncated' }, `${length} bytes, ${witnessed} rows`);
        continue;
      }
      const root = Buffer.from(written.roots.get(left.size)!, 'hex').toString('base64');
      assert.equal(found, { size: left.size, root }, `${length} bytes, ${witnessed} rows`);
    }
  }
});

test('every flipped bit is found by recovery and by the audit', async () => {
  const written = await write([1, 1]);
  const witnessed = [witnessedIn(written.files, written.log)];
  for (let bit = 0; bit < written.segment.byteLength * 8; bit++) {
    const segment = Buffer.from(written.segment);
    segment[bit >> 3]! ^= 1 << (bit & 7);
    const { code } = await walk(segment, written.log, witnessed);
    assert.ok(codes.includes(code ?? ''), `audit, bit ${bit}: ${code}`);
    const opened = await reopen(segment, written.files.contents);
    assert.ok(codes.includes(opened.code ?? ''), `recovery, bit ${bit}: ${opened.code}`);
  }
});

/** The segment with its frames changed and every frame's checksum right again. */
async function reframe(segment: Buffer, change: (frames: Frame[]) => Frame[]): Promise<Buffer> {
  const frames: Frame[] = [];
  for await (const frame of readFrames(bytesSource(segment))) frames.push(frame);
  return Buffer.concat(change(frames).map(({ kind, body }) => encodeFrame(kind, body)));
}

const edited = (frame: Frame, from: string, to: string): Frame => ({
  ...frame,
  body: Buffer.from(Buffer.from(frame.body).toString('utf8').replace(from, to)),
});

test('a change with right checksums is found by recovery and by the audit', async () => {
  const written = await write([1, 3, 2]);
  const witness = witnessedIn(written.files, written.log);
  const stranger = seedSigner(new Uint8Array(32).fill(3));
  const forge = (frame: Frame, by = stranger): Frame => {
    const forged = { ...witness, root: new Uint8Array(32).fill(1) };
    return { ...frame, body: signCheckpoint(forged, by) };
  };
  // Frames: row, checkpoint, row, row, row, checkpoint, row, row, checkpoint.
  const attacks: Record<string, (frames: Frame[]) => Frame[]> = {
    'a changed row': (f) => f.with(2, edited(f[2]!, 'send_email', 'read_email')),
    'white space in a row': (f) => f.with(2, edited(f[2]!, '{', '{ ')),
    'a row of another log': (f) => f.with(2, edited(f[2]!, written.log, '0'.repeat(32))),
    'a dropped row': (f) => f.toSpliced(3, 1),
    'a dropped row, renumbered': (f) =>
      f.with(4, edited(f[4]!, '"sequence":3', '"sequence":2')).toSpliced(3, 1),
    'a dropped last row': (f) => f.toSpliced(7, 1),
    'a dropped checkpoint': (f) => f.toSpliced(8, 1),
    'a dropped group': (f) => f.toSpliced(2, 4),
    'a dropped last group': (f) => f.slice(0, 6),
    'two rows swapped': (f) => f.with(3, f[4]!).with(4, f[3]!),
    'a row twice': (f) => f.toSpliced(3, 0, f[3]!),
    'an added row': (f) => f.toSpliced(8, 0, edited(f[7]!, '"sequence":5', '"sequence":6')),
    'a forged checkpoint': (f) => f.with(8, forge(f[8]!)),
    'a checkpoint of our key over another root': (f) => f.with(8, forge(f[8]!, signer)),
    'checkpoints swapped': (f) => f.with(1, f[5]!).with(5, f[1]!),
    'an empty log': () => [],
  };
  for (const [name, attack] of Object.entries(attacks)) {
    const segment = await reframe(written.segment, attack);
    assert.not.equal(segment, written.segment, name);
    const audit = await walk(segment, written.log, [witness]);
    assert.ok(codes.includes(audit.code ?? ''), `audit, ${name}: ${audit.code}`);
    const opened = await reopen(segment, written.files.contents);
    assert.ok(codes.includes(opened.code ?? ''), `recovery, ${name}: ${opened.code}`);
  }
});

/** A segment of these rows under one rightly signed checkpoint: what only the key's holder can make. */
function signedSegment(
  log: string,
  bodies: Uint8Array[],
  over: Partial<Checkpoint> = {},
  by = signer,
) {
  const frontier = new Frontier(record);
  for (const body of bodies) frontier.push(record.leafHash(body));
  const origin = `platform.local/evidence/${log}`;
  const checkpoint = { origin, size: frontier.size, root: frontier.root(), ...over };
  const frames = bodies.map((body) => encodeFrame('row', body));
  const note = signCheckpoint(checkpoint, by);
  return { segment: Buffer.concat([...frames, encodeFrame('checkpoint', note)]), checkpoint };
}

test('even the holder of the key is held to encoding, order, log and what was witnessed', async () => {
  const written = await write([1]);
  const { log } = written;
  const row = (sequence: number, of = log) =>
    encodeRow(draft({ action: 'a' }), of, sequence, record);
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8');
  const fair = signedSegment(log, [row(0), row(1)]);
  assert.is((await walk(fair.segment, log, [fair.checkpoint])).summary?.rows, 2);

  const other = signedSegment(log, [row(0), encodeRow(draft(), log, 1, record)]);
  const stranger = seedSigner(new Uint8Array(32).fill(3));
  const cases: [string, Buffer, string, boolean][] = [
    ['another history of the size that was witnessed', other.segment, 'evidence_corrupt', true],
    [
      'a longer one over another beginning',
      signedSegment(
        log,
        [row(0), row(1), row(2)].toSpliced(1, 1, encodeRow(draft(), log, 1, record)),
      ).segment,
      'evidence_corrupt',
      true,
    ],
    [
      'a row that is not canonical',
      signedSegment(log, [row(0), Buffer.from(text(row(1)).replace('{', '{ '))]).segment,
      'evidence_corrupt',
      false,
    ],
    [
      'a row with a member twice',
      signedSegment(log, [Buffer.from(text(row(0)).replace('{', '{"action":"b",'))]).segment,
      'evidence_corrupt',
      false,
    ],
    [
      'a sequence with a gap',
      signedSegment(log, [row(0), row(2)]).segment,
      'evidence_corrupt',
      true,
    ],
    [
      'a row of another log',
      signedSegment(log, [row(0), row(1, 'f'.repeat(32))]).segment,
      'evidence_corrupt',
      true,
    ],
    [
      'a checkpoint that counts wrong',
      signedSegment(log, [row(0), row(1)], { size: 3 }).segment,
      'evidence_corrupt',
      true,
    ],
    [
      'a checkpoint of another key',
      signedSegment(log, [row(0), row(1)], {}, stranger).segment,
      'checkpoint_invalid',
      true,
    ],
    [
      'a checkpoint of another origin',
      signedSegment(log, [row(0), row(1)], { origin: 'other' }).segment,
      'checkpoint_invalid',
      true,
    ],
  ];
  const outside = new Map(written.files.contents);
  const note = signCheckpoint(fair.checkpoint, signer);
  for (const name of ['checkpoint', 'synced.checkpoint']) {
    outside.set(`/checkpoints/${log}.${name}`, Buffer.from(note));
  }
  for (const [name, segment, code, atStart] of cases) {
    const witnessed =
      name.includes('witnessed') || name.includes('beginning') ? [fair.checkpoint] : [];
    assert.is((await walk(segment, log, witnessed)).code, code, `audit, ${name}`);
    // What only the audit checks (the canonical form of every row) is let pass at a start.
    if (atStart) assert.is((await reopen(segment, outside)).code, code, `recovery, ${name}`);
  }
});

test('what is outside the segment cannot be lost or swapped unseen', async () => {
  const written = await write([2, 1]);
  const other = await write([1]);
  const { contents } = written.files;
  const base = `/checkpoints/${written.log}`;
  const both = [`${base}.checkpoint`, `${base}.synced.checkpoint`];
  const otherNote = other.files.contents.get(`/checkpoints/${other.log}.checkpoint`)!;
  const without = (paths: string[]) =>
    new Map([...contents].filter(([path]) => !paths.includes(path)));
  const code = async (others: Map<string, Buffer>, segment: Buffer = written.segment) =>
    (await reopen(segment, others)).code;

  assert.is(await code(contents), undefined);
  assert.is(await code(without([both[0]!])), undefined, 'one of two checkpoints is enough');
  assert.is(await code(new Map([...contents, [both[0]!, Buffer.alloc(0)]])), undefined);
  assert.is(await code(without(both)), 'checkpoint_missing');
  const torn = new Map([...contents, [both[0]!, contents.get(both[0]!)!.subarray(0, 99)]]);
  assert.is(await code(torn), undefined, 'a power cut may tear the one that is overwritten');
  const swapped = new Map([...contents, [both[1]!, otherNote]]);
  assert.is(await code(swapped), 'checkpoint_invalid');
  assert.is(await code(new Map([...torn, [both[1]!, Buffer.alloc(0)]])), 'checkpoint_invalid');
  assert.is(await code(without(['/evidence/log.json'])), 'evidence_truncated');
  const emptied = await reopen(Buffer.alloc(0), without(['/evidence/log.json']));
  assert.is(emptied.code, 'evidence_truncated', 'a deleted log does not come back empty');
  assert.is(
    await code(new Map([...contents, ['/evidence/log.json', Buffer.from('{')]])),
    'evidence_corrupt',
  );
});

test('an older log of the same key, with its own checkpoints put back, is told by a kept one', async () => {
  const written = await write([2, 1]);
  const kept = witnessedIn(written.files, written.log);
  const older = written.states[1]!;
  const segment = older.get(SEGMENT)!;
  assert.is((await walk(segment, written.log, [])).summary?.rows, 2);
  assert.is((await walk(segment, written.log, [kept])).code, 'evidence_truncated');
});

test.run();
