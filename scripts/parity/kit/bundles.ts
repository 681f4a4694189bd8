// The kit's layer of bundles: archives that are good, and archives of which each has one thing wrong.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { readArchive, writeArchive } from '../../../runtime/bundle/archive.ts';
import { buildDataBundle } from '../../../runtime/bundle/build.ts';
import { type BundleKeyPair, createBundleKey } from '../../../runtime/bundle/keys.ts';
import { loadData, loadPolicy } from '../../../runtime/bundle/load.ts';
import type { BundleFiles } from '../../../runtime/bundle/reader.ts';
import { setManifest } from '../../../runtime/bundle/revision.ts';
import { signBundle } from '../../../runtime/bundle/sign.ts';
import { codeOf } from '../../../runtime/errors.ts';
import { sampleData } from '../../../runtime/testing/sample-data.ts';
import type { Layer, Vector } from './layer.ts';

/** An entry of an archive, which may be none that a bundle may have. */
interface Entry {
  name: string;
  content?: string | Uint8Array;
  link?: string;
}

/** The bytes of a .tar.gz with these entries as they are. */
async function archiveOf(entries: readonly Entry[]): Promise<Uint8Array> {
  const tar = pack();
  for (const { name, content, link } of entries) {
    if (link === undefined) tar.entry({ name, mtime: new Date(0) }, Buffer.from(content ?? ''));
    else tar.entry({ name, type: 'symlink', linkname: link, mtime: new Date(0) });
  }
  tar.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of tar) chunks.push(chunk as Buffer);
  return gzipSync(Buffer.concat(chunks), { level: 9 });
}

const entriesOf = (files: BundleFiles): Entry[] =>
  [...files].map(([name, content]) => ({ name, content }));
const text = (files: BundleFiles, name: string) => Buffer.from(files.get(name)!).toString();

/** A small data bundle, signed, and changed before or after that. */
async function dataFiles(
  keys: BundleKeyPair,
  change: { before?: (files: BundleFiles) => void; kind?: 'policy' | 'data' } = {},
): Promise<BundleFiles> {
  const { files } = buildDataBundle(sampleData(2));
  change.before?.(files);
  await signBundle(files, change.kind ?? 'data', keys.privateKey, new Date(0));
  return files;
}

/** Archives by name: the first are good. */
async function archives(keys: BundleKeyPair): Promise<[name: string, archive: Uint8Array][]> {
  const good = await dataFiles(keys);
  const made: [string, Uint8Array][] = [['good', await writeArchive(good)]];
  const signed = async (name: string, change: Parameters<typeof dataFiles>[1]) =>
    made.push([name, await writeArchive(await dataFiles(keys, change))]);
  const changed = async (name: string, change: (files: BundleFiles) => void) => {
    const files = new Map(good);
    change(files);
    made.push([name, await writeArchive(files)]);
  };
  const entries = entriesOf(good);
  made.push([
    'good-with-dot-slash',
    await archiveOf(entries.map((of) => ({ ...of, name: `./${of.name}` }))),
  ]);
  made.push(['good-in-another-order', await archiveOf(entries.toReversed())]);
  await changed('bit-of-data-flipped', (files) => {
    const data = Buffer.from(files.get('data.json')!);
    data[data.indexOf('agent')]! ^= 1;
    files.set('data.json', data);
  });
  await changed('file-missing', (files) => files.delete('data.json'));
  await changed('file-added', (files) => files.set('more.json', Buffer.from('{}')));
  await changed('signature-missing', (files) => files.delete('.signatures.json'));
  await changed('signature-twice', (files) => {
    const [jws] = (JSON.parse(text(files, '.signatures.json')) as { signatures: string[] })
      .signatures;
    files.set('.signatures.json', Buffer.from(JSON.stringify({ signatures: [jws, jws] })));
  });
  await changed('signature-flipped', (files) => {
    // The first character of the signature: of the last one not every bit counts.
    const flipped = text(files, '.signatures.json').replace(
      /\.([^.])([^.]*"\])/,
      (_, first, rest) => `.${first === 'A' ? 'B' : 'A'}${rest}`,
    );
    files.set('.signatures.json', Buffer.from(flipped));
  });
  await changed('algorithm-none', (files) => {
    const [jws = ''] = (JSON.parse(text(files, '.signatures.json')) as { signatures: string[] })
      .signatures;
    const header = Buffer.from('{"alg":"none"}').toString('base64url');
    const unsigned = `${header}.${jws.split('.')[1]}.`;
    files.set('.signatures.json', Buffer.from(JSON.stringify({ signatures: [unsigned] })));
  });
  const stranger = await createBundleKey();
  made.push(['signed-by-a-stranger', await writeArchive(await dataFiles(stranger))]);
  await signed('signed-as-the-other-kind', { kind: 'policy' });
  await signed('revision-wrong', {
    before: (files) => {
      const manifest = text(files, '.manifest').replace(/sha256:./, 'sha256:x');
      files.set('.manifest', Buffer.from(manifest));
    },
  });
  await signed('root-unknown', {
    before: (files) => setManifest(files, { roots: ['agents', 'more'], rego_version: 1 }),
  });
  await signed('data-outside-the-roots', {
    before: (files) => {
      files.set('data.json', Buffer.from('{"more":{}}'));
      setManifest(files, { roots: ['agents'], rego_version: 1 });
    },
  });
  await signed('manifest-is-no-object', {
    before: (files) => files.set('.manifest', Buffer.from('[]')),
  });
  const odd: [string, Entry][] = [
    ['name-climbs', { name: '../data.json', content: '{}' }],
    ['name-with-backslash', { name: 'a\\b', content: '' }],
    ['name-with-colon', { name: 'c:a', content: '' }],
    ['name-with-control', { name: 'a\u0001b', content: '' }],
    ['link', { name: 'link', link: 'data.json' }],
    ['file-twice', { name: 'data.json', content: '{}' }],
  ];
  for (const [name, entry] of odd) made.push([name, await archiveOf([...entries, entry])]);
  const whole = made[0]![1];
  made.push(['cut-off', whole.subarray(0, whole.length >> 1)]);
  made.push(['empty', new Uint8Array(0)]);
  made.push(['no-archive', Buffer.from('data.json')]);
  return made;
}

export const bundleLayer: Layer = {
  name: 'bundles',
  async inputs({ folder, signer }) {
    if (signer === undefined) throw new Error('only a kit that is being made has a key that signs');
    await mkdir(join(folder, 'bundles'), { recursive: true });
    const vectors: Vector[] = ['policy', 'data'].map((kind) => ({
      file: `bundle/${kind}.tar.gz`,
      kind,
    }));
    for (const [name, archive] of await archives(signer)) {
      await writeFile(join(folder, 'bundles', `${name}.tar.gz`), archive);
      vectors.push({ file: `bundles/${name}.tar.gz`, kind: 'data' });
    }
    return vectors;
  },
  async expect({ folder, keys, modules }, { file, kind }): Promise<Vector> {
    try {
      const files = await readArchive(await readFile(join(folder, String(file))));
      const { revision } =
        kind === 'policy'
          ? await loadPolicy(files, keys, { modules })
          : await loadData(files, keys);
      return { revision };
    } catch (error) {
      return { error: codeOf(error) };
    }
  },
};
