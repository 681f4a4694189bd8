// Makes a version of the conformance kit, and checks one against its vectors.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';
import { writeArchive } from '../../../runtime/bundle/archive.ts';
import { buildDataBundle, buildPolicyBundle } from '../../../runtime/bundle/build.ts';
import { createBundleKey } from '../../../runtime/bundle/keys.ts';
import { signBundle } from '../../../runtime/bundle/sign.ts';
import { samplePolicies } from '../../../runtime/bundle/testing.ts';
import { BUILT_MODULES } from '../../../runtime/decide/local.ts';
import { moduleBytes, moduleDigest } from '../../../runtime/modules/source.ts';
import { parityData } from '../start.ts';
import { bundleLayer } from './bundles.ts';
import { canonicalLayer } from './canonical.ts';
import { type KitContext, openKit } from './context.ts';
import { decisionLayers } from './decisions.ts';
import { filterLayer } from './filter.ts';
import { commitmentLayer, hashLayer, idLayer } from './hashes.ts';
import type { Layer, Vector } from './layer.ts';
import { KIT_SCHEMA } from './schema.ts';

/** So that no clock enters the kit. */
const SIGNED_AT = new Date(0);

/** Every layer, the one that needs least first. */
export const LAYERS: readonly Layer[] = [
  ...[canonicalLayer, hashLayer, commitmentLayer, idLayer],
  ...decisionLayers,
  ...[bundleLayer, filterLayer],
];

/** The vectors of a layer, as they stand in its file. */
export async function readVectors(folder: string, layer: string): Promise<Vector[]> {
  const text = await readFile(join(folder, `${layer}.jsonl`), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Vector);
}

/** Writes a new version: modules, bundles and key as they are now, then every layer's vectors and the manifest. */
export async function makeKit(folder: string): Promise<void> {
  for (const name of ['modules', 'bundle', 'bundles']) {
    await rm(join(folder, name), { recursive: true, force: true });
    await mkdir(join(folder, name), { recursive: true });
  }
  const signer = await createBundleKey();
  await writeFile(join(folder, 'keys.json'), `${JSON.stringify({ keys: [signer.publicKey] })}\n`);
  for (const name of BUILT_MODULES) {
    const packed = gzipSync(moduleBytes(name), { level: 9 });
    await writeFile(join(folder, 'modules', `${name}.wasm.gz`), packed);
  }
  const policy = buildPolicyBundle(await samplePolicies());
  const data = buildDataBundle(parityData());
  for (const [kind, { files }] of [
    ['policy', policy],
    ['data', data],
  ] as const) {
    await signBundle(files, kind, signer.privateKey, SIGNED_AT);
    await writeFile(join(folder, 'bundle', `${kind}.tar.gz`), await writeArchive(files));
  }
  const kit: KitContext = { ...(await openKit(folder)), signer };
  for (const layer of LAYERS) {
    const lines: string[] = [];
    for (const input of await layer.inputs(kit)) {
      lines.push(JSON.stringify({ ...input, ...(await layer.expect(kit, input)) }));
    }
    await writeFile(join(folder, `${layer.name}.jsonl`), `${lines.join('\n')}\n`);
  }
  await writeFile(join(folder, 'schema.json'), `${JSON.stringify(KIT_SCHEMA, null, 2)}\n`);
  await writeManifest(folder, kit);
}

/** Every file with its digest, and what the kit was made of. */
async function writeManifest(folder: string, { pair }: KitContext): Promise<void> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = names
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((path) => path !== 'manifest.json')
    .sort();
  const files: { [path: string]: string } = {};
  for (const path of paths) files[path] = moduleDigest(await readFile(join(folder, path)));
  const layers = await Promise.all(
    LAYERS.map(async ({ name }) => [name, (await readVectors(folder, name)).length] as const),
  );
  const manifest = {
    format: 'platform/conformance/v1',
    policy_revision: pair.policy.revision,
    data_revision: pair.data.revision,
    vectors: Object.fromEntries(layers),
    files,
  };
  await writeFile(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** A vector that is answered otherwise, in words. */
export type Mismatch = string;

/** Checks the digests of the manifest and every vector of every layer; what is wrong, at best nothing. */
export async function checkKit(
  folder: string,
  layers: readonly Layer[] = LAYERS,
): Promise<Mismatch[]> {
  const wrong: Mismatch[] = [];
  const { files } = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
  for (const [path, digest] of Object.entries(files as { [path: string]: string })) {
    if (moduleDigest(await readFile(join(folder, path))) !== digest) wrong.push(`${path}: digest`);
  }
  const kit = await openKit(folder);
  for (const layer of layers) {
    const vectors = await readVectors(folder, layer.name);
    for (const [index, vector] of vectors.entries()) {
      const found = { ...vector, ...(await layer.expect(kit, vector)) };
      if (isDeepStrictEqual(found, vector)) continue;
      wrong.push(`${layer.name} ${index + 1}: ${JSON.stringify(found).slice(0, 400)}`);
    }
  }
  return wrong;
}
