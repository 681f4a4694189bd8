// Attacks on a real log, through the command: each is found, named, and told by the exit code.
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { buildPolicyBundle } from '../../../runtime/bundle/build.ts';
import { createBundleKey } from '../../../runtime/bundle/keys.ts';
import { signBundle } from '../../../runtime/bundle/sign.ts';
import { samplePolicies } from '../../../runtime/bundle/testing.ts';
import { signCheckpoint } from '../../../runtime/evidence/checkpoint.ts';
import { encodeFrame, type Frame, readFrames } from '../../../runtime/evidence/frame.ts';
import { seedSigner } from '../../../runtime/evidence/note.ts';
import { digestOf } from '../../../runtime/evidence/objects.ts';
import { exportOpenings } from '../../../runtime/evidence/openings.ts';
import { decider, decideTool, draftOf, place } from '../../../runtime/evidence/testing/place.ts';
import { bytesSource } from '../../../runtime/evidence/testing/walk.ts';
import { runAuditCommand } from './testing.ts';

const at = await place('attacked');
const early = join(at.root, 'early.checkpoint');
for (const to of ['a', 'b', 'c', 'd']) {
  if (to === 'd') writeFileSync(early, at.log.status().checkpoint);
  await at.log.append(draftOf(decideTool({ to })));
}
const note = Buffer.from(at.log.status().checkpoint);
const { log, origin } = at.log.status();
await at.close();

let copies = 0;
/** The state folder with its segment's frames changed, every checksum right, and other changes made. */
async function attacked(
  change: (frames: Frame[]) => Frame[] = (frames) => frames,
  more: (state: string) => void | Promise<void> = () => undefined,
) {
  const state = `${at.root}-${copies++}`;
  cpSync(at.root, state, { recursive: true });
  const path = join(state, 'evidence', 'segment');
  const frames: Frame[] = [];
  for await (const frame of readFrames(bytesSource(readFileSync(path)))) frames.push(frame);
  const changed = change(frames).map(({ kind, body }) => encodeFrame(kind, body));
  writeFileSync(path, Buffer.concat(changed));
  await more(state);
  return runAuditCommand(['--verify', '--state', state, '--stored-openings']);
}

/** Frames: each row with its checkpoint behind it. */
const rowAt = (row: number) => row * 2;
const without = (frames: Frame[], from: number, count: number) => frames.toSpliced(from, count);
const rewritten = (frame: Frame, from: string, to: string): Frame => {
  const text = Buffer.from(frame.body).toString('utf8');
  assert.ok(text.includes(from));
  return { ...frame, body: Buffer.from(text.replace(from, to)) };
};

test('the log before any attack is reproduced', async () => {
  const { code, out } = await attacked();
  assert.is(code, 0, out);
});

test('a flipped bit of a row: by its checksum, or by the root where the checksum was put right', async () => {
  const torn = await attacked(undefined, (state) => {
    const path = join(state, 'evidence', 'segment');
    const bytes = readFileSync(path);
    bytes[100]! ^= 1;
    writeFileSync(path, bytes);
  });
  assert.is(torn.code, 5);
  assert.match(torn.out, /tampered the segment is damaged at byte 0.*\(evidence_corrupt\)/);
  const rooted = await attacked((frames) =>
    frames.with(rowAt(2), rewritten(frames[rowAt(2)]!, 'mail_send', 'mail_senD')),
  );
  assert.is(rooted.code, 5);
  assert.match(rooted.out, /the first 3 rows do not give the signed root \(evidence_corrupt\)/);
  assert.match(rooted.out, 'the 2 rows before it are proved');
});

test('the last rows dropped: how many are left of how many', async () => {
  const { code, out } = await attacked((frames) => frames.slice(0, rowAt(3)));
  assert.is(code, 5);
  assert.match(out, /3 rows are left of 4 that a signed checkpoint covers \(evidence_truncated\)/);
});

test('a row in the middle dropped, rows in another order, a row twice: which row says what', async () => {
  const dropped = await attacked((frames) => without(frames, rowAt(1), 2));
  assert.is(dropped.code, 5);
  assert.match(dropped.out, /row 1 says it is row 2 \(evidence_corrupt\)/);
  const reordered = await attacked((frames) =>
    frames.with(rowAt(1), frames[rowAt(2)]!).with(rowAt(2), frames[rowAt(1)]!),
  );
  assert.is(reordered.code, 5);
  assert.match(reordered.out, /row 1 says it is row 2 \(evidence_corrupt\)/);
  const twice = await attacked((frames) => frames.toSpliced(rowAt(2), 0, frames[rowAt(1)]!));
  assert.is(twice.code, 5);
  assert.match(twice.out, /row 2 says it is row 1 \(evidence_corrupt\)/);
});

test('a forged checkpoint, in the log and outside: whose signature does not hold', async () => {
  const forged = signCheckpoint(
    { origin, size: 4, root: new Uint8Array(32).fill(1) },
    seedSigner(new Uint8Array(32).fill(3)),
  );
  const inside = await attacked((frames) => frames.with(7, { ...frames[7]!, body: forged }));
  assert.is(inside.code, 5);
  assert.match(inside.out, /tampered .*signatures? of platform\.local.* \(checkpoint_invalid\)/);
  const outside = await attacked(undefined, (state) => {
    writeFileSync(join(state, 'checkpoints', `${log}.synced.checkpoint`), forged);
  });
  assert.is(outside.code, 5);
  assert.match(outside.out, 'checkpoint_invalid');
});

test('rows after the newest checkpoint that was kept outside are undetermined, and it is said', async () => {
  const { out, code } = await runAuditCommand([
    ...['--verify', '--state', at.root, '--stored-openings', '--checkpoint', early],
  ]);
  assert.is(code, 3, out);
  assert.match(out, /proved for the first 3, up to .*The 1 rows after it hold, but whether more/);
});

test('another log of the same key with fewer rows does not pass for the one that was kept', async () => {
  const kept = join(at.root, 'kept.checkpoint');
  writeFileSync(kept, note);
  const state = `${at.root}-rewound`;
  cpSync(at.root, state, { recursive: true });
  const path = join(state, 'evidence', 'segment');
  const frames: Frame[] = [];
  for await (const frame of readFrames(bytesSource(readFileSync(path)))) frames.push(frame);
  writeFileSync(path, readFileSync(path).subarray(0, frames[rowAt(3)]!.start));
  for (const name of [`${log}.checkpoint`, `${log}.synced.checkpoint`]) {
    writeFileSync(join(state, 'checkpoints', name), frames[rowAt(3) - 1]!.body);
  }
  const verify = ['--verify', '--state', state, '--stored-openings'];
  const { code, out } = await runAuditCommand([...verify, '--checkpoint', kept]);
  assert.is(code, 5, out);
  assert.match(out, 'evidence_truncated');
});

test('a bundle swapped, or a newer one under the old name: it is not the one that its name says', async () => {
  const [first, second] = readdirSync(join(at.evidence, 'bundles'));
  const swapped = await attacked(undefined, (state) => {
    const folder = join(state, 'evidence', 'bundles');
    cpSync(join(folder, second!), join(folder, first!));
  });
  assert.is(swapped.code, 3, swapped.out);
  assert.match(swapped.out, /undetermined: 4 × .*bundle/);

  const policy = [first!, second!].find((name) =>
    readFileSync(join(at.evidence, 'bundles', name), 'utf8').includes('policy.wasm'),
  )!;
  const newer = buildPolicyBundle({
    ...(await samplePolicies()),
    files: [
      ...(await samplePolicies()).files,
      { path: 'newer.rego', content: 'package platform.newer\n' },
    ],
  });
  const keys = await createBundleKey();
  await signBundle(newer.files, 'policy', keys.privateKey);
  const replaced = await attacked(undefined, (state) => {
    const listing = [...newer.files].map(([path, bytes]) => {
      const digest = digestOf(bytes);
      const name = digest.slice(7);
      const folder = join(state, 'evidence', 'objects', name.slice(0, 2));
      writeObject(folder, name.slice(2), bytes);
      return [path, digest];
    });
    writeFileSync(join(state, 'evidence', 'bundles', policy), JSON.stringify(listing));
    const pub = join(state, 'keys', 'bundle.json.pub');
    const { keys: known } = JSON.parse(readFileSync(pub, 'utf8'));
    writeFileSync(pub, JSON.stringify({ keys: [...known, keys.publicKey] }));
  });
  assert.is(replaced.code, 3, replaced.out);
  assert.match(replaced.out, 'a kept bundle is not the one that its name says');
});

test('an object that was changed is named by its digest', async () => {
  const { code, out } = await attacked(undefined, (state) => {
    const objects = join(state, 'evidence', 'objects');
    for (const folder of readdirSync(objects)) {
      for (const name of readdirSync(join(objects, folder))) {
        const path = join(objects, folder, name);
        const bytes = readFileSync(path);
        if (!bytes.includes('"agents"')) continue;
        writeFileSync(
          path,
          Buffer.from(bytes.toString('latin1').replace('agents', 'agentz'), 'latin1'),
        );
      }
    }
  });
  assert.ok(code === 3 || code === 5, out);
  assert.match(out, 'object_corrupt');
});

test('a commitment opened with a wrong salt, or to another value, stays closed', async () => {
  const scanned = await place('scanned');
  const input = { direction: 'input', scanners: ['PII'], text: 'card 4111 1111 1111 1111' };
  const request = { boundary: 'tool', module: 'guard', salt: randomBytes(32), input } as const;
  await scanned.log.append(draftOf(decider.decide(request)));
  await scanned.close();
  const openings = await scanned.openings.read();
  const file = join(scanned.root, 'openings.jsonl');
  const verify = ['--verify', '--state', scanned.root, '--openings', file];
  writeFileSync(file, exportOpenings(openings));
  assert.is((await runAuditCommand(verify)).code, 0);
  for (const change of [{ salt: 'f'.repeat(64) }, { value: Buffer.from('"other"') }]) {
    const wrong = new Map([...openings].map(([name, each]) => [name, { ...each, ...change }]));
    writeFileSync(file, exportOpenings(wrong));
    const { code, out } = await runAuditCommand(verify);
    assert.is(code, 3, out);
    assert.match(
      out,
      'undetermined: 1 × the field text is committed and no opening of it is given',
    );
  }
});

function writeObject(folder: string, name: string, bytes: Uint8Array): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), bytes);
}

test.run();
