// Reads the policy, and the data, that history is decided again with: nothing of it is put in force.
import { existsSync } from 'node:fs';
import type { JWK } from 'jose';
import { buildDataBundle, buildPolicyBundle } from '../../../runtime/bundle/build.ts';
import { compilePolicies } from '../../../runtime/bundle/compile.ts';
import { readBundle } from '../../../runtime/bundle/files.ts';
import { createBundleKey } from '../../../runtime/bundle/keys.ts';
import { loadData, loadPolicy } from '../../../runtime/bundle/load.ts';
import type { LoadedData, LoadedPolicy } from '../../../runtime/bundle/pair.ts';
import type { BundleFiles } from '../../../runtime/bundle/reader.ts';
import { SIGNATURES } from '../../../runtime/bundle/revision.ts';
import { type BundleKind, signBundle } from '../../../runtime/bundle/sign.ts';
import { BundleError } from '../../../runtime/errors.ts';
import { readData } from '../../policy/diff/side.ts';
import { isBundle, policyFolders } from '../policy/sources.ts';

/**
 * A bundle (a folder or `.tar.gz`, signed or not), or a folder of policies, compiled as `policy build`
 * does: its revision is that of the bundle which would be deployed.
 * @throws BundleError for what cannot be read or compiled, or names modules that are not these
 */
export async function readNewPolicy(path: string): Promise<LoadedPolicy> {
  if (!existsSync(path)) throw new BundleError('object_missing', `${path} is not there`);
  const files = isBundle(path)
    ? await readBundle(path)
    : buildPolicyBundle(await compilePolicies(policyFolders([path]))).files;
  return loaded(files, 'policy', loadPolicy);
}

/** A data bundle, signed or not, or a `data.json`. */
export async function readNewData(path: string): Promise<LoadedData> {
  if (!existsSync(path)) throw new BundleError('object_missing', `${path} is not there`);
  const { files } = buildDataBundle(await readData(path));
  return loaded(files, 'data', loadData);
}

// Signed here with a key that is thrown away, so that the one path that loads bundles checks all else.
async function loaded<Loaded>(
  files: BundleFiles,
  kind: BundleKind,
  load: (files: BundleFiles, keys: readonly JWK[]) => Promise<Loaded>,
): Promise<Loaded> {
  const { privateKey, publicKey } = await createBundleKey();
  const own = new Map(files);
  own.delete(SIGNATURES);
  await signBundle(own, kind, privateKey);
  return load(own, [publicKey]);
}
