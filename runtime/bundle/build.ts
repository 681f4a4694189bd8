// Builds the two bundles from compiled policies and from data; signing is another step.
import { BundleError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { DECISION_LIMITS, POLICY_LIMITS } from '../metering/limits.ts';
import { moduleBytes, moduleDigest } from '../modules/source.ts';
import type { CompiledPolicies } from './compile.ts';
import type { ModuleDigests } from './pair.ts';
import type { BundleFiles } from './reader.ts';
import { canonical, setManifest } from './revision.ts';

export const POLICY_MODULE = 'policy.wasm';
export const DECISIONS_MODULE = 'decisions.wasm';
export const FILTER_MODULE = 'filter.wasm';
export const GUARD_MODULE = 'guard.wasm';
export const MODULES = 'modules.json';
export const DATA = 'data.json';
export const POLICY_ROOTS = ['platform'];
/** What a data bundle may hold at its top; a policy bundle holds no data at all. */
export const DATA_ROOTS = [
  'agents',
  'limits',
  'operators',
  'scopes',
  'services',
  'tenants',
  'tools',
];

/** Digests of the modules of this installation that a policy bundle lists. */
export function builtModuleDigests(): Record<string, ModuleDigests> {
  const names = ['record', 'scope', 'arguments', 'guard'] as const;
  return Object.fromEntries(names.map((name) => [name, { core: moduleDigest(moduleBytes(name)) }]));
}

/** A bundle that is not signed yet. */
export interface BuiltBundle {
  revision: string;
  files: BundleFiles;
}

/**
 * The policy bundle of compiled policies: their sources, `decisions.wasm`, `policy.wasm`, `filter.wasm`,
 * `guard.wasm` where they have rules for it, and `modules.json` with the digest of every decision module. Equal input gives equal bytes.
 */
export function buildPolicyBundle(
  policies: CompiledPolicies,
  modules: Record<string, ModuleDigests> = builtModuleDigests(),
): BuiltBundle {
  const files: BundleFiles = new Map();
  for (const file of policies.files) files.set(file.path, Buffer.from(file.content));
  files.set(POLICY_MODULE, policies.wasm);
  const authorization: JsonObject = { core: moduleDigest(policies.wasm) };
  if (policies.decisions !== undefined) {
    files.set(DECISIONS_MODULE, policies.decisions);
    authorization.opa = authorization.core!;
    authorization.core = moduleDigest(policies.decisions);
  }
  if (policies.filter !== undefined) {
    files.set(FILTER_MODULE, policies.filter);
  }
  const others = { ...modules };
  if (policies.guard !== undefined) {
    files.set(GUARD_MODULE, policies.guard);
    others.guard = { core: moduleDigest(policies.guard) };
    for (const { file, text } of policies.guardRules) files.set(file, Buffer.from(text));
  }
  // The filter is a form of them all: it holds each of them.
  const filter = policies.filter && { filter: moduleDigest(policies.filter) };
  for (const [name, { filter: _, ...digests }] of Object.entries(others)) {
    others[name] = { ...digests, ...filter };
  }
  const { steps, pages } = policies.decisions === undefined ? POLICY_LIMITS : DECISION_LIMITS;
  const listed: JsonObject = {
    entrypoints: policies.entrypoints,
    limits: { steps, pages },
    modules: {
      ...(others as unknown as JsonObject),
      authorization: { ...authorization, ...filter },
    },
    reads: policies.reads,
  };
  files.set(MODULES, Buffer.from(canonical(listed)));
  const revision = setManifest(files, { roots: POLICY_ROOTS, rego_version: 1 });
  return { revision, files };
}

/**
 * The data bundle of `data.json`'s value.
 * @throws BundleError `bundle_manifest_invalid` for a member that is not one of `DATA_ROOTS`
 */
export function buildDataBundle(data: JsonObject): BuiltBundle {
  checkRoots(Object.keys(data));
  const files: BundleFiles = new Map([[DATA, Buffer.from(canonical(data))]]);
  const revision = setManifest(files, { roots: DATA_ROOTS, rego_version: 1 });
  return { revision, files };
}

/** Refuses data outside the roots: it would be data that no policy was written for. */
export function checkRoots(names: readonly string[]): void {
  for (const root of names) {
    if (DATA_ROOTS.includes(root)) continue;
    throw new BundleError('bundle_manifest_invalid', `the data bundle has no place for ${root}`, {
      hint: `data.json may hold ${DATA_ROOTS.join(', ')}`,
    });
  }
}
