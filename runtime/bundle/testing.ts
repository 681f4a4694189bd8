// Real bundles for tests: the repository's policies compiled once a process, sample data, fresh keys.
import { fileURLToPath } from 'node:url';
import type { JWK } from 'jose';
import type { JsonObject } from '../json.ts';
import { sampleData } from '../testing/sample-data.ts';
import { buildDataBundle, buildPolicyBundle } from './build.ts';
import { type CompiledPolicies, compilePolicies } from './compile.ts';
import { type BundleKeyPair, createBundleKey } from './keys.ts';
import { signBundle } from './sign.ts';
import { writeBundle } from './write.ts';

export const POLICIES = fileURLToPath(new URL('../../policies', import.meta.url));

let compiled: Promise<CompiledPolicies> | undefined;

/** The repository's policies; a second of work, done once. */
export function samplePolicies(): Promise<CompiledPolicies> {
  compiled ??= compilePolicies(POLICIES);
  return compiled;
}

/** Writes a signed pair below `folder` and returns its keys. */
export async function writeSamplePair(
  folder: string,
  given: { keys?: BundleKeyPair; policies?: CompiledPolicies; data?: JsonObject } = {},
): Promise<{ keys: BundleKeyPair; trusted: JWK[] }> {
  const keys = given.keys ?? (await createBundleKey());
  const policy = buildPolicyBundle(given.policies ?? (await samplePolicies()));
  const data = buildDataBundle(given.data ?? sampleData(20));
  await signBundle(policy.files, 'policy', keys.privateKey);
  await signBundle(data.files, 'data', keys.privateKey);
  await writeBundle(policy.files, `${folder}/policy`);
  await writeBundle(data.files, `${folder}/data`);
  return { keys, trusted: [keys.publicKey] };
}
