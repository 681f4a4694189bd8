// Bundles as they are built, signed, carried and loaded, and every way in which one may be wrong.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BOUNDARIES, entrypointOf } from '../decide/boundary.ts';
import { BundleError } from '../errors.ts';
import { sampleData } from '../testing/sample-data.ts';
import { readArchive, writeArchive } from './archive.ts';
import { buildDataBundle, buildPolicyBundle } from './build.ts';
import { readBundle } from './files.ts';
import { createBundleKey, readBundleKeys, writeBundleKey } from './keys.ts';
import { loadPair } from './load.ts';
import type { BundleFiles } from './reader.ts';
import { canonical, revisionOf, setManifest } from './revision.ts';
import { signBundle, verifyBundle } from './sign.ts';
import { samplePolicies, writeSamplePair } from './testing.ts';
import { writeBundle } from './write.ts';

const root = mkdtempSync(join(tmpdir(), 'bundle-'));
test.after(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;
const folder = () => join(root, String(folders++));

async function codeOf(action: Promise<unknown>): Promise<string> {
  try {
    await action;
  } catch (error) {
    if (error instanceof BundleError) return error.code;
    throw error;
  }
  return 'no error';
}

const pristine = folder();
const { keys, trusted } = await writeSamplePair(pristine);

/** A copy of the good pair, changed and, when `sign` says so, signed again. */
async function damaged(
  change: (policy: BundleFiles, data: BundleFiles) => void,
  sign: boolean,
): Promise<string> {
  const target = folder();
  const policy = await readBundle(join(pristine, 'policy'));
  const data = await readBundle(join(pristine, 'data'));
  change(policy, data);
  if (sign) {
    await signBundle(policy, 'policy', keys.privateKey);
    await signBundle(data, 'data', keys.privateKey);
  }
  await writeBundle(policy, join(target, 'policy'));
  await writeBundle(data, join(target, 'data'));
  return target;
}

test('a pair is loaded from folders and from archives alike', async () => {
  const fromFolders = await loadPair(pristine, trusted);
  const target = folder();
  for (const kind of ['policy', 'data']) {
    await writeBundle(await readBundle(join(pristine, kind)), join(target, `${kind}.tar.gz`));
  }
  assert.equal(await loadPair(target, trusted), fromFolders);
  assert.match(fromFolders.policy.revision, /^sha256:[0-9a-f]{64}$/);
  assert.equal(fromFolders.policy.entrypoints.toSorted(), BOUNDARIES.map(entrypointOf).toSorted());
  assert.equal(fromFolders.policy.reads?.['platform/tool/decision']?.includes('arguments'), false);
  assert.ok(fromFolders.policy.readPaths?.['platform/tool/decision']?.includes('/resource/kind'));
});

test('equal content has one revision, whoever signs and whenever; any change has another', async () => {
  const policies = await samplePolicies();
  assert.is(buildPolicyBundle(policies).revision, buildPolicyBundle(policies).revision);
  const one = buildDataBundle(sampleData(3));
  const two = buildDataBundle(sampleData(3));
  await signBundle(two.files, 'data', (await createBundleKey()).privateKey, new Date(0));
  assert.is(revisionOf(two.files), one.revision);
  two.files.set('data.json', Buffer.from('{}'));
  assert.is.not(revisionOf(two.files), one.revision);
});

test('archives are the same bytes for the same files', async () => {
  const files = await readBundle(join(pristine, 'data'));
  const reversed = new Map([...files].reverse());
  assert.equal(await writeArchive(reversed), await writeArchive(files));
});

const refusals: [string, string, (policy: BundleFiles, data: BundleFiles) => void, boolean][] = [
  [
    'bundle_signature_missing',
    'no signature',
    (policy) => policy.delete('.signatures.json'),
    false,
  ],
  [
    'bundle_signature_invalid',
    'a changed source',
    (policy) => policy.set('tool/tool.rego', Buffer.from('package platform.tool\n')),
    false,
  ],
  [
    'bundle_signature_invalid',
    'a file that was not signed',
    (policy) => policy.set('tool/more.rego', Buffer.from('package platform.tool\n')),
    false,
  ],
  [
    'bundle_signature_invalid',
    'changed data',
    (_, data) => data.set('data.json', Buffer.from('{"agents":{"x":{}}}')),
    false,
  ],
  [
    'bundle_signature_invalid',
    'a data bundle in place of the policy',
    (policy, data) => {
      policy.clear();
      for (const [name, content] of data) policy.set(name, content);
    },
    false,
  ],
  ['bundle_truncated', 'a missing file', (policy) => policy.delete('tool/tool.rego'), false],
  [
    'bundle_truncated',
    'half of the data',
    (_, data) => data.set('data.json', data.get('data.json')!.subarray(0, 500)),
    false,
  ],
  [
    'bundle_truncated',
    'half of the signatures',
    (_, data) => data.set('.signatures.json', data.get('.signatures.json')!.subarray(0, 50)),
    false,
  ],
  [
    'bundle_revision_mismatch',
    'a revision of other files',
    (policy) => policy.set('tool/more.rego', Buffer.from('package platform.tool\n')),
    true,
  ],
  [
    'bundle_manifest_invalid',
    'other roots',
    (_, data) => data.set('.manifest', Buffer.from('{"revision":"","roots":[""]}')),
    true,
  ],
  ['bundle_truncated', 'no manifest', (_, data) => data.delete('.manifest'), true],
];

for (const [code, what, change, sign] of refusals) {
  test(`${what}: ${code}`, async () => {
    assert.is(await codeOf(loadPair(await damaged(change, sign), trusted)), code);
  });
}

test('a key that is not trusted, and one that borrows a trusted id: bundle_signature_invalid', async () => {
  const other = await createBundleKey();
  assert.is(await codeOf(loadPair(pristine, [other.publicKey])), 'bundle_signature_invalid');
  assert.is(await codeOf(loadPair(pristine, [])), 'bundle_signature_invalid');
  const forged = folder();
  const borrowed = { ...other.privateKey, kid: keys.publicKey.kid };
  await writeSamplePair(forged, { keys: { privateKey: borrowed, publicKey: other.publicKey } });
  assert.is(await codeOf(loadPair(forged, trusted)), 'bundle_signature_invalid');
});

test('a signature without an algorithm or with a shared secret: bundle_signature_invalid', async () => {
  const files = await readBundle(join(pristine, 'data'));
  const { signatures } = JSON.parse(Buffer.from(files.get('.signatures.json')!).toString());
  const [, payload] = (signatures[0] as string).split('.');
  for (const alg of ['none', 'HS256']) {
    const header = Buffer.from(JSON.stringify({ alg, kid: keys.publicKey.kid }));
    const jws = `${header.toString('base64url')}.${payload}.AAAA`;
    files.set('.signatures.json', Buffer.from(JSON.stringify({ signatures: [jws] })));
    assert.is(await codeOf(verifyBundle(files, 'data', trusted)), 'bundle_signature_invalid');
  }
});

test('modules other than the listed ones: bundle_module_digest_mismatch', async () => {
  const other = { core: `sha256:${'0'.repeat(64)}` };
  assert.is(
    await codeOf(loadPair(pristine, trusted, { modules: { guard: other } })),
    'bundle_module_digest_mismatch',
  );
  const policies = await samplePolicies();
  const swapped = buildPolicyBundle(policies);
  const wasm = Buffer.from(policies.wasm);
  swapped.files.set('policy.wasm', Buffer.concat([wasm, Buffer.from([0, 1, 0])]));
  const target = await damaged((policy) => {
    policy.clear();
    for (const [name, content] of swapped.files) policy.set(name, content);
    const manifest = JSON.parse(Buffer.from(policy.get('.manifest')!).toString());
    const revision = revisionOf(policy);
    policy.set('.manifest', Buffer.from(canonical({ ...manifest, revision })));
  }, true);
  assert.is(await codeOf(loadPair(target, trusted)), 'bundle_module_digest_mismatch');
});

test('the merged filter is the listed one, or there is none and none is listed', async () => {
  const policies = await samplePolicies();
  const loaded = await loadPair(pristine, trusted);
  assert.equal(Buffer.from(loaded.policy.filter!), Buffer.from(policies.filter!));
  assert.match(loaded.policy.modules.authorization?.filter ?? '', /^sha256:[0-9a-f]{64}$/);

  const without = folder();
  await writeSamplePair(without, { keys, policies: { ...policies, filter: undefined } });
  assert.is((await loadPair(without, trusted)).policy.filter, undefined);

  const changes: ((policy: BundleFiles) => void)[] = [
    (policy) => policy.delete('filter.wasm'),
    (policy) => policy.set('filter.wasm', policies.wasm),
  ];
  for (const change of changes) {
    const target = await damaged((policy) => {
      change(policy);
      const manifest = JSON.parse(Buffer.from(policy.get('.manifest')!).toString());
      const revision = revisionOf(policy);
      policy.set('.manifest', Buffer.from(canonical({ ...manifest, revision })));
    }, true);
    assert.is(await codeOf(loadPair(target, trusted)), 'bundle_module_digest_mismatch');
  }
});

test('a policy without the rule of a boundary: bundle_entrypoint_missing', async () => {
  const policies = await samplePolicies();
  const target = folder();
  const entrypoints = policies.entrypoints.filter((name) => !name.includes('console'));
  await writeSamplePair(target, { keys, policies: { ...policies, entrypoints } });
  assert.is(await codeOf(loadPair(target, trusted)), 'bundle_entrypoint_missing');
});

test('bundles from before a boundary and its data can be replayed, but not served', async () => {
  const policies = await samplePolicies();
  const target = folder();
  const entrypoints = policies.entrypoints.filter((name) => !name.includes('mesh'));
  await writeSamplePair(target, { keys, policies: { ...policies, entrypoints } });
  const data = await readBundle(join(target, 'data'));
  const { services: _, ...earlier } = sampleData(1);
  data.set('data.json', Buffer.from(canonical(earlier)));
  setManifest(data, { roots: ['agents', 'limits', 'operators', 'tools'], rego_version: 1 });
  await signBundle(data, 'data', keys.privateKey);
  await writeBundle(data, join(target, 'data'));
  assert.is(await codeOf(loadPair(target, trusted)), 'bundle_entrypoint_missing');
  const replayed = await loadPair(target, trusted, { modules: {} });
  assert.is(replayed.data.revision, revisionOf(data));
});

test('data that the policy module cannot hold is no good pair: bundle_too_large', async () => {
  const target = folder();
  const data = { ...sampleData(1), tools: { much: new Array<number>(8_000_000).fill(1) } };
  await writeSamplePair(target, { keys, data });
  assert.is(await codeOf(loadPair(target, trusted)), 'bundle_too_large');
});

test('data outside its roots cannot be bundled', () => {
  assert.throws(
    () => buildDataBundle({ platform: { tool: { operator: { deny: [] } } } }),
    (error: BundleError) => error.code === 'bundle_manifest_invalid',
  );
});

test('an archive cut at any byte is refused, and never read as a smaller bundle', async () => {
  const archive = await writeArchive(await readBundle(join(pristine, 'data')));
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: archive.length - 1 }), async (length) => {
      assert.is(await codeOf(readArchive(archive.subarray(0, length))), 'bundle_truncated');
    }),
    { numRuns: 100 },
  );
});

test('an archive with any byte changed is refused or verifies as the same files', async () => {
  const files = await readBundle(join(pristine, 'data'));
  const archive = await writeArchive(files);
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: archive.length - 1 }),
      fc.integer({ min: 1, max: 255 }),
      async (at, flip) => {
        const changed = Buffer.from(archive);
        changed[at]! ^= flip;
        const outcome = await codeOf(
          readArchive(changed).then((read) => verifyBundle(read, 'data', trusted)),
        );
        if (outcome === 'no error') assert.equal(await readArchive(changed), files);
        else assert.match(outcome, /^bundle_/);
      },
    ),
    { numRuns: 100 },
  );
});

test('names that leave the folder, and links, are refused', async () => {
  const { pack } = await import('tar-stream');
  const archiveOf = async (header: {
    name: string;
    type?: 'file' | 'symlink';
    linkname?: string;
  }) => {
    const tar = pack();
    if (header.type === 'symlink') tar.entry(header);
    else tar.entry(header, 'x');
    tar.finalize();
    const chunks: Buffer[] = [];
    for await (const chunk of tar) chunks.push(chunk as Buffer);
    return gzipSync(Buffer.concat(chunks));
  };
  for (const name of ['../x', 'a/../../x', 'a//b', 'c:\\x', 'a/./b', 'a\nb', 'x'.repeat(300)]) {
    assert.is(await codeOf(readArchive(await archiveOf({ name }))), 'bundle_path_invalid', name);
  }
  const link = await archiveOf({ name: 'data.json', type: 'symlink', linkname: '/etc/passwd' });
  assert.is(await codeOf(readArchive(link)), 'bundle_path_invalid');
});

test('an archive without its end, or with another one behind it, is refused', async () => {
  const one = gunzipSync(await writeArchive(new Map([['a', Buffer.from('x')]])));
  const two = gunzipSync(await writeArchive(new Map([['b', Buffer.from('y')]])));
  const read = (...parts: Uint8Array[]) => readArchive(gzipSync(Buffer.concat(parts)));
  const file = one.subarray(0, 1024);
  assert.equal([...(await read(file, Buffer.alloc(512))).keys()], ['a']);
  assert.equal([...(await read(file, two)).keys()], ['a', 'b']);
  assert.equal([...(await read(one, Buffer.alloc(9216))).keys()], ['a']);
  const bad = [[file], [file, Buffer.alloc(511)], [one, two], [file, Buffer.alloc(512), two]];
  for (const parts of [...bad, [one, Buffer.from('x')], [two, Buffer.alloc(512, 1)]]) {
    assert.is(await codeOf(read(...parts)), 'bundle_truncated');
  }
});

test('signatures behind a byte order mark are no JSON: bundle_truncated', async () => {
  const target = await damaged((policy) => {
    const bytes = policy.get('.signatures.json')!;
    policy.set('.signatures.json', Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), bytes]));
  }, false);
  assert.is(await codeOf(loadPair(target, trusted)), 'bundle_truncated');
});

test('an archive that unpacks to too much is refused before it is in memory', async () => {
  const bomb = gzipSync(Buffer.alloc(100 << 20));
  assert.is(await codeOf(readArchive(bomb)), 'bundle_too_large');
});

test('nothing there: bundle_missing', async () => {
  assert.is(await codeOf(loadPair(folder(), trusted)), 'bundle_missing');
});

test('a folder as a config map mounts it is read through its links', async () => {
  const { symlinkSync, mkdirSync } = await import('node:fs');
  const target = folder();
  cpSync(pristine, target, { recursive: true });
  const version = join(target, 'data', '..2026_01_01');
  mkdirSync(version);
  for (const name of readdirSync(join(target, 'data'))) {
    if (name.startsWith('..')) continue;
    cpSync(join(target, 'data', name), join(version, name));
    rmSync(join(target, 'data', name));
    symlinkSync(join('..2026_01_01', name), join(target, 'data', name));
  }
  assert.equal(await loadPair(target, trusted), await loadPair(pristine, trusted));
});

test('keys come back from their files', async () => {
  const pair = await createBundleKey();
  const path = join(root, 'key.json');
  await writeBundleKey(path, pair);
  assert.equal(await readBundleKeys(`${path}.pub`), [pair.publicKey]);
  assert.is(JSON.parse(readFileSync(`${path}.pub`, 'utf8')).d, undefined);
  writeFileSync(path, '{"kty":"RSA"}');
  assert.is(await codeOf(readBundleKeys(path)), 'bundle_signature_invalid');
});

test.run();
