// Exports through the command: an auditor with one file, and what was done to it on the way.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ArchiveWriter } from '../../../runtime/evidence/export/archive.ts';
import { readEntries } from '../../../runtime/evidence/export/archive-reader.ts';
import { SELECTION } from '../../../runtime/evidence/export/selection.ts';
import { formatNoteKey } from '../../../runtime/evidence/note.ts';
import { digestOf } from '../../../runtime/evidence/objects.ts';
import { draft, signer } from '../../../runtime/evidence/testing/drafts.ts';
import { decideTool, draftOf, place } from '../../../runtime/evidence/testing/place.ts';
import { bytesSource } from '../../../runtime/evidence/testing/walk.ts';
import { UsageError } from '../../options.ts';
import { audit } from '../audit.ts';
import { runAuditCommand } from './testing.ts';

const at = await place('exported');
const mine = 'spiffe://platform.local/agent/tenant-1/agent-1/main';
for (const [minute, to] of ['a', 'b', 'c', 'd'].entries()) {
  const time = `2026-01-31T12:0${minute}:00.000Z`;
  await at.log.append({ ...draftOf(decideTool({ to })), time });
  await at.log.append(draft({ time, reason: { code: 'request_malformed', message: '' } }));
}
const { origin } = at.log.status();
await at.close();
// As `platform up` keeps it: the seed of the log's key, with which an export is signed.
writeFileSync(join(at.root, 'keys', 'evidence.seed'), new Uint8Array(32).fill(7));
const file = (name: string) => join(at.root, name);
const key = file('trusted.key');
writeFileSync(key, `${formatNoteKey({ name: origin, publicKey: signer.publicKey })}\n`);
const trust = ['--key', key, '--bundle-keys', file('keys/bundle.json.pub')];
const state = ['--state', at.root];
const exported = async (name: string, ...more: string[]) => {
  const { code, out } = await runAuditCommand(['export', ...state, '--out', file(name), ...more]);
  assert.is(code, 0, out);
  return out;
};
const verify = (name: string, ...more: string[]) =>
  runAuditCommand(['--verify', '--from-export', file(name), ...more]);

test('an auditor who has the file, and the keys, needs nothing else', async () => {
  await exported('whole.tar');
  const trusted = await verify('whole.tar', ...trust);
  assert.is(trusted.code, 0, trusted.out);
  assert.match(trusted.out, 'export       the whole log, made ');
  assert.match(trusted.out, ', signed');
  assert.not.match(trusted.out, 'inside the file');
  const { code, out } = await verify('whole.tar');
  assert.is(code, 0, out);
  assert.match(out, "verified with the keys inside the file (the log's, the bundles')");
  const kept = file('kept.checkpoint');
  writeFileSync(kept, at.log.status().checkpoint);
  assert.is((await verify('whole.tar', ...trust, '--checkpoint', kept)).code, 0);
});

test('the key of another log is refused, and without the right bundle keys nothing is executed', async () => {
  const other = await place('stranger');
  await other.close();
  const otherKey = join(other.checkpoints, `${other.log.status().log}.key`);
  const { code, out } = await verify('whole.tar', '--key', otherKey);
  assert.is(code, 5, out);
  assert.match(out, 'checkpoint_invalid');
});

test('a selection: its rows alone, their decisions with the bundles, and what it cannot show', async () => {
  const said = await exported('mine.tar', '--agent', mine, '--from', '2026-01-31T12:01:00Z');
  assert.match(said, '3 of 8 rows, each with its proof');
  assert.match(said, 'without bundles');
  const blind = await verify('mine.tar', ...trust);
  assert.is(blind.code, 3, blind.out);
  assert.match(blind.out, 'undetermined: 3 × the policy bundle is not kept');
  assert.match(blind.out, 'whoever made the export may have left rows out');

  const warned = await exported('with.tar', '--agent', mine, '--with-bundles');
  assert.match(warned, 'with bundles, which hold the rules and data of all agents');
  const whole = await verify('with.tar', ...trust, '--json');
  assert.is(whole.code, 0, whole.out);
  const report = JSON.parse(whole.out);
  assert.is(report.rows, 4);
  assert.is(report.export.size, 8);
  assert.equal(report.export.selection, { agent: mine });
  assert.is(report.keys.log.source, 'given');
});

/** The file with its entries changed, and a manifest that lists them as they are then. */
async function repacked(
  name: string,
  change: (path: string, bytes: Buffer) => Buffer,
  isListed = true,
): Promise<string> {
  const bytes = readFileSync(file(name));
  const entries = await readEntries(bytesSource(bytes));
  let packed = Buffer.alloc(0);
  const writer = new ArchiveWriter({
    write: async (more) => {
      packed = Buffer.concat([packed, more]);
    },
    patch: async (more, position) => void packed.set(more, position),
  });
  const digests = new Map<string, { bytes: number; sha256: string }>();
  for (const { name: path, start, bytes: length } of entries.values()) {
    let content = change(path, bytes.subarray(start, start + length));
    if (path === 'manifest.json' && isListed) {
      const manifest = JSON.parse(content.toString());
      for (const each of manifest.files) Object.assign(each, digests.get(each.path));
      content = Buffer.from(`${JSON.stringify(manifest)}\n`);
    }
    digests.set(path, { bytes: content.length, sha256: digestOf(content).slice(7) });
    await writer.add(path, [content]);
  }
  await writer.end();
  writeFileSync(file('attacked.tar'), packed);
  return 'attacked.tar';
}

test('what was changed in the file on the way is named', async () => {
  const flip = (which: string) => (path: string, bytes: Buffer) => {
    if (path !== which) return bytes;
    const changed = Buffer.from(bytes);
    changed[changed.length >> 1]! ^= 1;
    return changed;
  };
  const cases: [string, () => Promise<string>, RegExp][] = [
    [
      'a bit of the segment',
      () => repacked('whole.tar', flip('evidence/segment'), false),
      /segment is damaged|signed root|evidence_/,
    ],
    [
      'a bit of the keys',
      () => repacked('whole.tar', flip('keys/bundle.json.pub'), false),
      /keys\/bundle\.json\.pub is not what the manifest lists|bundle/,
    ],
    [
      'another list, whose signature is the old one',
      () =>
        repacked('whole.tar', (path, bytes) =>
          path === 'evidence/log.json' ? Buffer.concat([bytes, Buffer.from('\n')]) : bytes,
        ),
      /the manifest of the export: its signature .*\(export_invalid\)/,
    ],
    [
      'the index is not the list',
      () =>
        repacked(
          'whole.tar',
          (path, bytes) =>
            path === 'evidence/log.json' ? Buffer.concat([bytes, Buffer.from('\n')]) : bytes,
          false,
        ),
      /index of the file is not that of its manifest: evidence\/log\.json .*\(export_invalid\)/,
    ],
    [
      'a row left out of a selection',
      () =>
        repacked('with.tar', (path, bytes) =>
          path === SELECTION ? bytes.subarray(bytes.indexOf('\n\n') + 2) : bytes,
        ),
      /manifest counts 4 rows, the file has 3 \(export_invalid\)/,
    ],
    [
      'a row twice',
      () =>
        repacked('with.tar', (path, bytes) =>
          path === SELECTION
            ? Buffer.concat([bytes.subarray(0, bytes.indexOf('\n\n') + 2), bytes])
            : bytes,
        ),
      /is row 0 a second time \(evidence_corrupt\)/,
    ],
    [
      'a proof of another row',
      () => repacked('with.tar', (path, bytes) => (path === SELECTION ? swapProofs(bytes) : bytes)),
      /the proof of row 0 does not lead from it to the signed root \(evidence_corrupt\)/,
    ],
    [
      'a manifest of fewer rows, as if the selection were all',
      () =>
        repacked('with.tar', (path, bytes) =>
          path === 'manifest.json'
            ? Buffer.from(bytes.toString().replace('"size":8', '"size":4'))
            : bytes,
        ),
      /the manifest counts 4 rows in the log, or a root, as its checkpoint does not \(export_invalid\)/,
    ],
    [
      'a changed row',
      () =>
        repacked('with.tar', (path, bytes) =>
          path === SELECTION
            ? Buffer.from(bytes.toString().replace('mail_send', 'mail_senD'))
            : bytes,
        ),
      /the proof of row 0 does not lead/,
    ],
    [
      'a manifest of another file',
      async () => {
        const other = await entryOf('with.tar', 'manifest.json');
        return repacked(
          'whole.tar',
          (path, bytes) => (path === 'manifest.json' ? other : bytes),
          false,
        );
      },
      /index of the file is not that of its manifest/,
    ],
  ];
  for (const [what, attack, said] of cases) {
    const { code, out } = await verify(await attack(), ...trust);
    assert.is(code, 5, `${what}: ${out}`);
    assert.match(out, said, what);
  }
});

test('a log that was handed over to another key is exported with both, and either is enough', async () => {
  const rotated = await place('rotated');
  await rotated.log.append(draftOf(decideTool({ to: 'a' })));
  const { log } = rotated.log.status();
  await rotated.close();
  writeFileSync(join(rotated.root, 'keys', 'evidence.seed'), new Uint8Array(32).fill(7));
  const old = readFileSync(join(rotated.checkpoints, `${log}.key`));
  assert.is((await runAuditCommand(['rotate-key', '--state', rotated.root])).code, 0);
  const now = readFileSync(join(rotated.checkpoints, `${log}.key`));
  assert.not.equal(old, now);
  for (const [name, ...selection] of [
    ['handed'],
    ['some', '--tenant', 'tenant-1', '--with-bundles'],
  ]) {
    const out = join(rotated.root, `${name}.tar`);
    await runAuditCommand(['export', '--state', rotated.root, '--out', out, ...selection]);
    for (const trusted of [old, now, Buffer.concat([old, now])]) {
      const file = join(rotated.root, 'trusted.key');
      writeFileSync(file, trusted);
      const found = await runAuditCommand(['--verify', '--from-export', out, '--key', file]);
      const isUnsignedByOld = name === 'some' && trusted === old;
      assert.is(found.code, isUnsignedByOld ? 5 : 0, `${name} ${found.out}`);
      if (isUnsignedByOld) assert.match(found.out, 'manifest');
    }
  }
});

test('two entries of one name, and what is no export at all', async () => {
  const bytes = readFileSync(file('whole.tar'));
  const first = (await readEntries(bytesSource(bytes))).get('evidence/log.json')!;
  const end = Math.ceil((first.start + first.bytes) / 512) * 512;
  writeFileSync(file('twice.tar'), Buffer.concat([bytes.subarray(0, end), bytes]));
  const twice = await verify('twice.tar', ...trust);
  assert.is(twice.code, 5);
  assert.match(twice.out, /two entries named evidence\/log\.json \(export_invalid\)/);
  writeFileSync(file('noise.tar'), 'no export');
  assert.is((await verify('noise.tar')).code, 5);
  assert.is((await verify('missing.tar')).code, 'object_missing');
});

test('a wrong command line of export is refused before anything is done', async () => {
  const wrong = [
    ['export'],
    ['export', '--out', 'x', '--from', 'yesterday'],
    ['export', '--out', 'x', '--to', '2026-02-30'],
    ['export', '--out', 'x', '--from', '2026-01-31T25:00:00Z'],
    ['export', '--out', 'x', '--agent', 'acme'],
    ['export', '--out', 'x', '--with-bundles'],
    ['export', '--out', 'x', '--key', 'k'],
    ['--verify', '--from-export', 'x', '--state', 'y'],
    ['--verify', '--from-export', 'x', '--stored-openings'],
    ['--verify', '--report', 'x.pdf'],
    ['--verify', '--replay'],
    ['--replay'],
    ['--verify', '--bundle', 'x'],
  ];
  for (const args of wrong) {
    const error = await audit.run(args).catch((thrown) => thrown);
    assert.instance(error, UsageError, args.join(' '));
  }
});

async function entryOf(name: string, path: string): Promise<Buffer> {
  const bytes = readFileSync(file(name));
  const { start, bytes: length } = (await readEntries(bytesSource(bytes))).get(path)!;
  return bytes.subarray(start, start + length);
}

/** The first two rows each with the hashes of the other. */
function swapProofs(bytes: Buffer): Buffer {
  const [first, second, ...rest] = bytes.toString().split('\n\n');
  const [rowA, indexA, ...pathA] = first!.split('\n');
  const [rowB, indexB, ...pathB] = second!.split('\n');
  const swapped = [[rowA, indexA, ...pathB].join('\n'), [rowB, indexB, ...pathA].join('\n')];
  return Buffer.from([...swapped, ...rest].join('\n\n'));
}

test.run();
