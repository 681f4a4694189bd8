// Loads a pair of bundles: nothing of it is used before every signature and digest is right.
import { join } from 'node:path';
import type { JWK } from 'jose';
import { BOUNDARIES, entrypointOf } from '../decide/boundary.ts';
import { BundleError, InputError } from '../errors.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { Authorization } from '../modules/authorization.ts';
import { moduleDigest } from '../modules/source.ts';
import {
  builtModuleDigests,
  checkRoots,
  DATA,
  DATA_ROOTS,
  DECISIONS_MODULE,
  FILTER_MODULE,
  GUARD_MODULE,
  MODULES,
  POLICY_MODULE,
  POLICY_ROOTS,
} from './build.ts';
import { readBundle } from './files.ts';
import type { LoadedData, LoadedPair, LoadedPolicy, ModuleDigests } from './pair.ts';
import type { BundleFiles } from './reader.ts';
import { MANIFEST, readJson, readRevision } from './revision.ts';
import { topLevelNames } from './roots.ts';
import { verifyBundle } from './sign.ts';

export interface LoadOptions {
  /**
   * Digests of the modules that this process runs, by name; by default those of this installation.
   * Replay of old evidence passes an empty object: it brings the modules of that time, and asks for no
   * boundary that came later.
   */
  modules?: Record<string, ModuleDigests>;
}

/**
 * Loads `<folder>/policy` and `<folder>/data`, each a folder or a `.tar.gz`.
 * @throws BundleError with the code of the first thing that is wrong
 */
export async function loadPair(
  folder: string,
  keys: readonly JWK[],
  options: LoadOptions = {},
): Promise<LoadedPair> {
  const [policy, data] = await Promise.all([
    readBundle(join(folder, 'policy')),
    readBundle(join(folder, 'data')),
  ]);
  return joined({
    policy: await loadPolicy(policy, keys, options),
    data: await loadData(data, keys),
  });
}

/**
 * The pair with its host. Two good bundles are no good pair when the data does not fit into the memory of
 * the policy's module.
 * @throws BundleError `bundle_too_large`, or `bundle_truncated` for data that cannot be read
 */
export async function joined({ policy, data }: LoadedPair): Promise<LoadedPair> {
  try {
    const config = { ...policy, data: data.json, reads: policy.readPaths };
    return { policy, data, host: await Authorization.prepare(config) };
  } catch (cause) {
    if (cause instanceof InputError) {
      throw new BundleError('bundle_truncated', `${DATA} cannot be read: ${cause.message}`, {
        cause,
      });
    }
    throw new BundleError('bundle_too_large', 'the data does not fit into the policy module', {
      cause,
      hint: 'keep data.json below 8 MiB: agents, grants and facts, not records',
    });
  }
}

/** Verifies and reads the files of a policy bundle. */
export async function loadPolicy(
  files: BundleFiles,
  keys: readonly JWK[],
  options: LoadOptions = {},
): Promise<LoadedPolicy> {
  await verifyBundle(files, 'policy', keys);
  return readPolicy(files, options);
}

/** Reads the files of a policy bundle that nobody signed: a draft, for whoever wrote it. */
export async function readPolicy(
  files: BundleFiles,
  options: LoadOptions = {},
): Promise<LoadedPolicy> {
  const revision = await checkManifest(files, POLICY_ROOTS);
  const listed = readJson(files, MODULES);
  const wasm = files.get(POLICY_MODULE);
  if (wasm === undefined) {
    throw new BundleError('bundle_truncated', `the bundle has no ${POLICY_MODULE}`);
  }
  const modules = moduleDigests(listed);
  const decisions = files.get(DECISIONS_MODULE);
  checkDigest('authorization', modules, moduleDigest(decisions ?? wasm));
  if (decisions !== undefined && modules.authorization?.opa !== moduleDigest(wasm)) {
    throw new BundleError(
      'bundle_module_digest_mismatch',
      `${POLICY_MODULE} is not the one that ${MODULES} lists`,
    );
  }
  const filter = filterOf(files, modules);
  const guard = files.get(GUARD_MODULE);
  const running = { ...(options.modules ?? builtModuleDigests()) };
  if (guard !== undefined) running.guard = { core: moduleDigest(guard) };
  for (const [name, digests] of Object.entries(running)) checkDigest(name, modules, digests.core);
  const entrypoints = strings(listed.entrypoints);
  const exported = await entrypointsOf(wasm, decisions);
  const needed = options.modules === undefined ? BOUNDARIES.map(entrypointOf) : [];
  for (const entrypoint of new Set([...needed, ...entrypoints])) {
    if (entrypoints.includes(entrypoint) && exported.includes(entrypoint)) continue;
    throw new BundleError('bundle_entrypoint_missing', `the policy has no rule ${entrypoint}`, {
      hint: 'every boundary needs its decision rule; build the bundle with platform policy build',
    });
  }
  const own = { revision, wasm, decisions, filter, guard };
  return { ...own, entrypoints: exported, modules, ...readsOf(listed) };
}

/** Verifies and reads the files of a data bundle. */
export async function loadData(files: BundleFiles, keys: readonly JWK[]): Promise<LoadedData> {
  await verifyBundle(files, 'data', keys);
  return readData(files);
}

/** Reads the files of a data bundle that nobody signed. */
export async function readData(files: BundleFiles): Promise<LoadedData> {
  const revision = await checkManifest(files, DATA_ROOTS);
  const json = files.get(DATA);
  if (json === undefined) throw new BundleError('bundle_truncated', `the bundle has no ${DATA}`);
  checkRoots(await topLevelNames(json));
  return { revision, json };
}

async function checkManifest(files: BundleFiles, known: string[]): Promise<string> {
  const manifest = readJson(files, MANIFEST);
  const roots = strings(manifest.roots);
  // Data of an earlier time lacks the roots that came later, which is no reason not to replay it.
  if (roots.length === 0 || !roots.every((root) => known.includes(root))) {
    throw new BundleError('bundle_manifest_invalid', `the roots must be of ${known.join(', ')}`);
  }
  const revision = await readRevision(files);
  if (manifest.revision !== revision) {
    throw new BundleError(
      'bundle_revision_mismatch',
      `the manifest says revision ${String(manifest.revision)}, its files are ${revision}`,
    );
  }
  return revision;
}

function moduleDigests(listed: JsonObject): Record<string, ModuleDigests> {
  const { modules } = listed;
  if (!isJsonObject(modules)) {
    throw new BundleError('bundle_manifest_invalid', `${MODULES} lists no modules`);
  }
  for (const [name, digests] of Object.entries(modules)) {
    if (isJsonObject(digests) && typeof digests.core === 'string') continue;
    throw new BundleError('bundle_manifest_invalid', `${MODULES} lists no digest for ${name}`);
  }
  return modules as unknown as Record<string, ModuleDigests>;
}

function checkDigest(name: string, modules: Record<string, ModuleDigests>, actual: string): void {
  const expected = Object.hasOwn(modules, name) ? modules[name]?.core : undefined;
  if (expected === actual) return;
  throw new BundleError(
    'bundle_module_digest_mismatch',
    `the module ${name} has the digest ${actual}, the bundle lists ${expected ?? 'none'}`,
    { hint: 'build the bundle again with the modules of this installation' },
  );
}

/** The merged filter, which a bundle may lack; one that is there is the one that is listed. */
function filterOf(
  files: BundleFiles,
  modules: Record<string, ModuleDigests>,
): Uint8Array | undefined {
  const bytes = files.get(FILTER_MODULE);
  const listed = modules.authorization?.filter;
  const actual = bytes && moduleDigest(bytes);
  if (listed === actual) return bytes;
  throw new BundleError(
    'bundle_module_digest_mismatch',
    `${FILTER_MODULE} has the digest ${actual ?? 'none'}, the bundle lists ${listed ?? 'none'}`,
    { hint: 'build the bundle again with platform policy build' },
  );
}

/** The names in the table of the module that is run; it is only instantiated, no policy runs. */
async function entrypointsOf(
  wasm: Uint8Array,
  decisions: Uint8Array | undefined,
): Promise<string[]> {
  try {
    const host = await Authorization.prepare({ wasm, decisions, data: Buffer.from('{}') });
    return [...host.entrypoints];
  } catch (cause) {
    const name = decisions === undefined ? POLICY_MODULE : DECISIONS_MODULE;
    throw new BundleError('bundle_truncated', `${name} is not a policy module`, { cause });
  }
}

function readsOf(listed: JsonObject): Pick<LoadedPolicy, 'reads' | 'readPaths'> {
  if (!isJsonObject(listed.reads)) return {};
  const reads: Record<string, string[]> = {};
  const readPaths: Record<string, string[]> = {};
  for (const [entrypoint, pointers] of Object.entries(listed.reads)) {
    const paths = strings(pointers);
    // The empty pointer is the whole input: the same as saying nothing.
    if (paths.some((path) => !path.startsWith('/'))) continue;
    readPaths[entrypoint] = paths;
    const tops = paths.map((path) =>
      path.split('/')[1]!.replaceAll('~1', '/').replaceAll('~0', '~'),
    );
    reads[entrypoint] = [...new Set(tops)];
  }
  return { reads, readPaths };
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
