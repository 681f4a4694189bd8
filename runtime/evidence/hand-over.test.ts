// A log under several keys: who trusts one of them can verify it, and nobody else can continue it.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { keysOf } from './audit/input.ts';
import { verifyLog } from './audit/verify.ts';
import { type Checkpoint, openCheckpoint, signCheckpoint, signHandover } from './checkpoint.ts';
import { nodeReader } from './files.ts';
import { encodeFrame, type Frame, readFrames } from './frame.ts';
import { handOverLog } from './hand-over.ts';
import { KeyChain, parseNoteKeys } from './key-chain.ts';
import { openEvidenceLog } from './log.ts';
import { MemoryFiles } from './memory.ts';
import { formatNoteKey, type NoteKey, type NoteSigner, parseNoteKey, seedSigner } from './note.ts';
import { draft, record } from './testing/drafts.ts';
import { bytesSource } from './testing/walk.ts';

const [first, second, third] = [1, 2, 3].map((byte) =>
  seedSigner(new Uint8Array(32).fill(byte)),
) as [NoteSigner, NoteSigner, NoteSigner];
const folders = { dir: '/evidence', checkpointsDir: '/checkpoints' };
const SEGMENT = '/evidence/segment';

async function appendTo(fs: MemoryFiles, signer: NoteSigner, rows: number): Promise<string> {
  const log = await openEvidenceLog({ ...folders, signer, record, fs });
  for (let row = 0; row < rows; row++) await log.append(draft());
  await log.close();
  return log.status().log;
}

const hand = (fs: MemoryFiles, from: NoteSigner, to: NoteSigner) =>
  handOverLog({ ...folders, record, from, to, fs });

/** A log of two rows under each of three keys. */
async function written(): Promise<{ fs: MemoryFiles; log: string; keys: NoteKey[] }> {
  const fs = new MemoryFiles();
  const log = await appendTo(fs, first, 2);
  await hand(fs, first, second);
  await appendTo(fs, second, 2);
  await hand(fs, second, third);
  await appendTo(fs, third, 2);
  const keys = parseNoteKeys(fs.contents.get(`/checkpoints/${log}.keys`)!.toString('utf8'));
  return { fs, log, keys };
}

async function walk(
  segment: Uint8Array,
  log: string,
  keys: KeyChain,
  witnessed: Checkpoint[] = [],
): Promise<number | string> {
  const steps = verifyLog({ segment: bytesSource(segment), log, keys, record, witnessed });
  try {
    for (;;) {
      const step = await steps.next();
      if (step.done) return step.value.rows;
    }
  } catch (error) {
    return (error as { code: string }).code;
  }
}

test('a log is verified by whoever trusts any one of its keys', async () => {
  const { fs, log, keys } = await written();
  const segment = fs.contents.get(SEGMENT)!;
  assert.is(keys.length, 3);
  for (const key of keys) {
    assert.is(await walk(segment, log, new KeyChain(keys, [key])), 6);
  }
  const stranger = {
    name: keys[0]!.name,
    publicKey: seedSigner(new Uint8Array(32).fill(9)).publicKey,
  };
  assert.throws(() => new KeyChain(keys, [stranger]));
  assert.is(await walk(segment, log, new KeyChain([keys[0]!])), 'checkpoint_invalid');
  assert.is(await walk(segment, log, new KeyChain([keys[0]!, keys[2]!])), 'checkpoint_invalid');
  assert.is(await walk(segment, log, new KeyChain([keys[1]!, keys[2]!])), 'checkpoint_invalid');
});

test('cut off before the first checkpoint of the key that is trusted, a log proves nothing', async () => {
  const { fs, log, keys } = await written();
  const frames: Frame[] = [];
  for await (const frame of readFrames(bytesSource(fs.contents.get(SEGMENT)!))) frames.push(frame);
  const until = (checkpoints: number) => {
    const end = frames.filter(({ kind }) => kind === 'checkpoint')[checkpoints - 1]!.end;
    return fs.contents.get(SEGMENT)!.subarray(0, end);
  };
  // Two checkpoints of rows under each key, and the handover behind them.
  assert.is(await walk(until(2), log, new KeyChain(keys, [keys[1]!])), 'checkpoint_invalid');
  assert.is(await walk(until(3), log, new KeyChain(keys, [keys[1]!])), 2);
  assert.is(await walk(until(3), log, new KeyChain(keys, [keys[2]!])), 'checkpoint_invalid');
});

test('a key that the log was taken from cannot go on with it', async () => {
  const { fs, log, keys } = await written();
  const again = new MemoryFiles();
  for (const [path, bytes] of fs.contents) again.contents.set(path, bytes);
  for (const signer of [first, second]) {
    again.contents.delete('/evidence/lock');
    const code = await appendTo(again, signer, 1).catch((error) => error.code);
    assert.is(code, 'checkpoint_invalid');
  }
  // By hand, over the rows as they are.
  const { origin, size, root } = openCheckpoint(
    fs.contents.get(`/checkpoints/${log}.checkpoint`)!,
    keys[2]!,
  );
  const segment = fs.contents.get(SEGMENT)!;
  const more = [
    signCheckpoint({ origin, size, root }, first),
    signCheckpoint({ origin, size, root }, second),
    signHandover({ origin, size, root }, second, first),
    signHandover({ origin, size, root }, third, first),
  ];
  for (const note of more) {
    const longer = Buffer.concat([segment, encodeFrame('checkpoint', note)]);
    assert.is(await walk(longer, log, new KeyChain(keys)), 'checkpoint_invalid');
  }
});

test('whoever steals an old key cannot show its log to an auditor who knows a later one', async () => {
  const fs = new MemoryFiles();
  const log = await appendTo(fs, first, 2);
  const own = parseNoteKey(text(fs.contents.get(`/checkpoints/${log}.key`)!).trim());
  const identity = { log, origin: own.name };
  const later = { name: own.name, publicKey: second.publicKey };
  const asked = async (): Promise<number | string> => {
    const reader = { ...nodeReader, read: (path: string) => fs.read(path) };
    const given = { checkpoints: '/checkpoints', reader, key: own, moreKeys: [later] };
    const found = await keysOf(given, identity);
    return walk(fs.contents.get(SEGMENT)!, log, new KeyChain(found.keys, found.trusted));
  };
  // The log as if it had never been handed over, with and without the later key in its list.
  assert.is(await asked(), 'checkpoint_invalid');
  const list = [own, later].map((key) => `${formatNoteKey(key)}\n`).join('');
  fs.contents.set(`/checkpoints/${log}.keys`, Buffer.from(list));
  assert.is(await asked(), 'checkpoint_invalid');
  // Handed over to a key of the thief.
  fs.contents.delete(`/checkpoints/${log}.keys`);
  await hand(fs, first, third);
  await appendTo(fs, third, 2);
  assert.is(await asked(), 'checkpoint_invalid');
});

test('a handover needs both signatures, and names one key', async () => {
  const { fs, log, keys } = await written();
  const [frames, segment] = [[] as Frame[], fs.contents.get(SEGMENT)!];
  for await (const frame of readFrames(bytesSource(segment))) frames.push(frame);
  const at = frames.findIndex(
    ({ kind, body }) => kind === 'checkpoint' && text(body).includes('next-key'),
  );
  const whole = text(frames[at]!.body);
  const lines = whole.split('\n');
  const withNote = (note: string) =>
    Buffer.concat(
      frames.map(({ kind, body }, index) =>
        encodeFrame(kind, index === at ? Buffer.from(note) : body),
      ),
    );
  assert.is(await walk(withNote(whole), log, new KeyChain(keys)), 6);
  const changed = [
    lines.toSpliced(5, 1).join('\n'),
    lines.toSpliced(6, 1).join('\n'),
    lines.toSpliced(3, 1).join('\n'),
    lines.toSpliced(3, 0, lines[3]!).join('\n'),
  ];
  for (const note of changed) {
    assert.is(await walk(withNote(note), log, new KeyChain(keys)), 'checkpoint_invalid', note);
  }
});

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8');

test('after a crash at any point, handing over again finishes it', async () => {
  const fs = new MemoryFiles();
  const log = await appendTo(fs, first, 2);
  const files = () => new Map(fs.contents);
  const states = [files()];
  const [write, replace] = [fs.openSegment.bind(fs), fs.replace.bind(fs)];
  fs.replace = async (path, bytes) => {
    states.push(files());
    await replace(path, bytes);
    states.push(files());
  };
  fs.openSegment = async (path) => {
    const segment = await write(path);
    const writeTo = segment.write.bind(segment);
    return {
      ...segment,
      async write(bytes, position) {
        await writeTo(bytes, position);
        states.push(files());
      },
    };
  };
  await hand(fs, first, second);
  assert.ok(states.length > 5, `${states.length} states`);
  for (const state of states) {
    const crashed = new MemoryFiles();
    for (const [path, bytes] of state) crashed.contents.set(path, bytes);
    await hand(crashed, first, second);
    await appendTo(crashed, second, 1);
    const list = crashed.contents.get(`/checkpoints/${log}.keys`)!.toString('utf8');
    const keys = new KeyChain(parseNoteKeys(list));
    assert.is(keys.keys.length, 2);
    assert.is(await walk(crashed.contents.get(SEGMENT)!, log, keys), 3);
  }
});

test.run();
