// Exports of real logs: what goes in, what stays out, and that equal logs give equal files.
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openCheckpoint } from '../checkpoint.ts';
import { parseNoteKey } from '../note.ts';
import { verifyInclusion } from '../proof.ts';
import { decodeRow } from '../row.ts';
import { draft, record, signer } from '../testing/drafts.ts';
import { decideTool, draftOf, type Place, place } from '../testing/place.ts';
import { bytesSource } from '../testing/walk.ts';
import { type ExportOptions, exportEvidence, OPENINGS } from './export.ts';
import { ExportArchive } from './reader.ts';
import { readProved, SELECTION } from './selection.ts';

const time = new Date('2026-02-01T00:00:00.000Z');
const SECRET = 'S3cr3t-to-nobody';

/** A log of two tenants, one of which sends a secret in an argument. */
async function twoTenants(name: string): Promise<Place> {
  const at = await place(name);
  await at.log.append(draftOf(decideTool({ password: SECRET })));
  const other = (tenant: string) => `spiffe://platform.local/agent/${tenant}/bot/main`;
  for (let minute = 0; minute < 9; minute++) {
    const when = `2026-01-31T12:0${minute}:00.000Z`;
    await at.log.append(
      draft({ time: when, spiffe_id: other(minute % 3 === 0 ? 'acme' : 'globex') }),
    );
  }
  await at.close();
  return at;
}

const exported = (at: Place, name: string, over: Partial<ExportOptions> = {}) =>
  exportEvidence({
    ...{ evidence: at.evidence, checkpoints: at.checkpoints, record, time, signer },
    bundleKeys: readFileSync(join(at.root, 'keys/bundle.json.pub')),
    out: join(at.root, name),
    ...over,
  });

function opened(at: Place, name: string) {
  return ExportArchive.open(bytesSource(readFileSync(join(at.root, name))));
}

test('a whole log: the segment as it is, all that belongs to it, and the same bytes every time', async () => {
  const at = await twoTenants('whole');
  const { manifest, bytes } = await exported(at, 'a.tar');
  await exported(at, 'b.tar');
  const file = readFileSync(join(at.root, 'a.tar'));
  assert.is(file.byteLength, bytes);
  assert.equal(file, readFileSync(join(at.root, 'b.tar')));
  assert.is(statSync(join(at.root, 'a.tar')).mode & 0o777, 0o600);
  assert.is(manifest.rows, 10);
  const archive = await opened(at, 'a.tar');
  await archive.verifyContents();
  const key = parseNoteKey(
    Buffer.from((await archive.reader.read(`checkpoints/${manifest.log}.key`))!)
      .toString()
      .trim(),
  );
  await archive.verifySignature([key]);
  const segment = await archive.reader.open('evidence/segment');
  assert.equal(
    Buffer.from(await segment.read(0, await segment.size())),
    readFileSync(join(at.evidence, 'segment')),
  );
  for (const name of readdirSync(at.checkpoints)) {
    assert.ok(await archive.reader.read(`checkpoints/${name}`), name);
  }
  const names = readdirSync(join(at.evidence, 'bundles'));
  assert.equal(await archive.reader.list('evidence/bundles'), names.sort());
  assert.not(file.includes(SECRET), 'no opening unless it is asked for');
});

test('a selection: only its rows, each proved under the newest checkpoint', async () => {
  const at = await twoTenants('selection');
  const selections = [
    [{ tenant: 'acme' }, [1, 4, 7]],
    [{ agent: 'spiffe://platform.local/agent/globex/bot/main' }, [2, 3, 5, 6, 8, 9]],
    [{ from: '2026-01-31T12:02:00.000Z', to: '2026-01-31T12:04:00.000Z' }, [3, 4]],
    [{ tenant: 'acme', from: '2026-01-31T12:05:00.000Z' }, [7]],
    [{ tenant: 'acm' }, []],
  ] as const;
  for (const [which, [selection, expected]] of selections.entries()) {
    const name = `${which}.tar`;
    const { manifest } = await exported(at, name, { selection });
    assert.is(manifest.rows, expected.length);
    assert.is(manifest.size, 10);
    assert.not(manifest.bundles);
    const archive = await opened(at, name);
    await archive.verifyContents();
    const { reader } = archive;
    const key = parseNoteKey(
      Buffer.from((await reader.read(`checkpoints/${manifest.log}.key`))!)
        .toString()
        .trim(),
    );
    const note = (await reader.read(`checkpoints/${manifest.log}.checkpoint`))!;
    const { size, root } = openCheckpoint(note, key);
    const found: number[] = [];
    for await (const { row, index, path } of readProved(await reader.open(SELECTION))) {
      assert.ok(verifyInclusion(record, record.leafHash(row), index, size, path, root));
      assert.is(decodeRow(row).sequence, index);
      found.push(index);
    }
    assert.equal(found, expected);
    const file = readFileSync(join(at.root, name)).toString('latin1');
    if ('tenant' in selection && selection.tenant === 'acme') assert.not(file.includes('globex'));
    assert.equal(await reader.list('evidence/bundles'), [], 'bundles hold the data of all agents');
  }
});

test('bundles, and openings, are in a selection only where they are asked for', async () => {
  const at = await twoTenants('asked');
  const selection = { tenant: 'tenant-1' };
  const openings = await at.openings.read();
  assert.ok(openings.size > 0);
  const { manifest } = await exported(at, 'with.tar', { selection, withBundles: true, openings });
  assert.ok(manifest.bundles && manifest.openings);
  const archive = await opened(at, 'with.tar');
  assert.is((await archive.reader.list('evidence/bundles')).length, 2);
  assert.match(Buffer.from((await archive.reader.read(OPENINGS))!).toString(), SECRET);
  const others = await exported(at, 'others.tar', { selection: { tenant: 'acme' }, openings });
  assert.ok(others.manifest.openings);
  assert.not(readFileSync(join(at.root, 'others.tar')).includes(SECRET), 'those of its rows alone');
});

test('a file that is there, or a link, is never written over, and a failure leaves nothing', async () => {
  const at = await twoTenants('there');
  writeFileSync(join(at.root, 'there.tar'), 'mine');
  symlinkSync(join(at.root, 'nowhere'), join(at.root, 'link.tar'));
  for (const name of ['there.tar', 'link.tar', 'no-such-folder/x.tar']) {
    assert.is(await exported(at, name).catch((error) => error.code), 'state_unwritable', name);
  }
  assert.is(readFileSync(join(at.root, 'there.tar'), 'utf8'), 'mine');
  const none = { evidence: join(at.root, 'none') };
  assert.is(await exported(at, 'none.tar', none).catch((error) => error.code), 'object_missing');
  const segment = join(at.evidence, 'segment');
  const bytes = readFileSync(segment);
  bytes[200]! ^= 1;
  writeFileSync(segment, bytes);
  const selection = { tenant: 'acme' };
  const code = await exported(at, 'bad.tar', { selection }).catch((error) => error.code);
  assert.ok(['evidence_corrupt', 'object_missing'].includes(code), code);
  const left = readdirSync(at.root).filter((name) => /\.(tar|new|hashes)/.test(name));
  assert.equal(left.sort(), ['link.tar', 'there.tar']);
});

test.run();
