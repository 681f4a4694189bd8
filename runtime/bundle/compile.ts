// Compiles folders of policies: the platform's own first, then operators' that may only narrow it.
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { RuleSource } from '../../wasm/guard/compiler/rules.ts';
import { entrypointOf } from '../decide/boundary.ts';
import { BundleError } from '../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { DECISION_LIMITS, POLICY_LIMITS } from '../metering/limits.ts';
import { meter } from '../metering/meter.ts';
import {
  policyInvalid,
  type RegoBuild,
  RegoCompiler,
  type RegoFile,
  type RegoSources,
} from '../modules/rego.ts';
import { moduleBytes } from '../modules/source.ts';
import { compilePlan } from '../plan/compile.ts';
import { mergeFilter } from './merge.ts';
import { checkName } from './reader.ts';
import { ownerOf, withTenants } from './tenants.ts';

const SCHEMA = 'input.schema.json';
/** Rules of the guard beside the policies, in the form of wasm/guard/rules. */
export const GUARD_RULES = '.guard.yaml';
const CAPABILITIES = 'capabilities.json';
const SKIPPED = new Set(['build', 'node_modules']);
const SOURCE_BYTES_MAX = 1 << 20;
const SOURCES_MAX = 1024;

/** Everything that the compiler is given, as found in the folders. */
export interface PolicySources extends RegoSources {
  /** One for each folder with an `input.schema.json`: `platform/<folder>/decision`. */
  entrypoints: string[];
  /** The files `*.guard.yaml`, each with its name in the bundle. */
  guardRules?: RuleSource[];
}

export interface CompiledPolicies extends RegoBuild {
  entrypoints: string[];
  /** What hosts run; absent where our compiler does not take the policy, and then `wasm` is run. */
  decisions?: Uint8Array;
  /** What our compiler does not take. */
  unsupported: string[];
  /** The guard with rules of its users; absent where there are none. */
  guard?: Uint8Array;
  guardRules: RuleSource[];
  /** The mesh filter merged with `decisions`, for proxies; absent where no policy decides there. */
  filter?: Uint8Array;
}

/**
 * Reads policies: the first folder holds the platform's (`<boundary>/*.rego` with
 * `input.schema.json`, and `capabilities.json`), further ones operators' files, whose packages are
 * held to `platform.<boundary>.operator`, and below `tenants/<tenant>/` tenants', which are held to
 * `platform.<boundary>.tenant.<tenant>`.
 * @throws BundleError `policy_invalid` when a folder or one of the JSON files cannot be read
 */
export async function readPolicies(folders: string | readonly string[]): Promise<PolicySources> {
  const [own, ...operators] = typeof folders === 'string' ? [folders] : folders;
  if (own === undefined) throw new BundleError('policy_invalid', 'no folder of policies is given');
  const files = new Map<string, RegoFile>();
  const schemas: Record<string, JsonValue> = {};
  const guardRules: RuleSource[] = [];
  await read(own, '', async (name, path) => {
    if (name.endsWith('.rego'))
      files.set(name, { path: name, content: await source(path), origin: path });
    else if (basename(name) === SCHEMA) schemas[name.split('/')[0]!] = await json(path);
    else if (name.endsWith(GUARD_RULES)) guardRules.push({ file: name, text: await source(path) });
  });
  for (const folder of operators) {
    await read(folder, '', async (name, path) => {
      if (name.endsWith(GUARD_RULES)) {
        const file = `operator/${basename(folder)}/${name}`;
        // A bundle has one guard: a tenant's allow-list would hold for all.
        if (ownerOf(file).tenant !== undefined) {
          throw new BundleError('policy_invalid', `${file}: tenants have no rules of the guard`, {
            hint: 'an operator keeps them, outside of tenants/; they hold for every tenant',
          });
        }
        if (guardRules.some((rules) => rules.file === file)) {
          throw new BundleError('policy_invalid', `two folders have the rules ${file}`);
        }
        guardRules.push({ file, text: await source(path) });
      }
      if (!name.endsWith('.rego')) return;
      const unique = uniqueName(files, `operator/${basename(folder)}/${name}`);
      const content = await source(path);
      files.set(unique, { path: unique, content, origin: path, ...ownerOf(unique) });
    });
  }
  return {
    files: withTenants([...files.values()], Object.keys(schemas).sort()),
    schemas,
    guardRules,
    capabilities: await json(join(own, CAPABILITIES)),
    entrypoints: Object.keys(schemas)
      .sort()
      .map((boundary) => `platform/${boundary}/decision`),
  };
}

/**
 * Compiles folders of policies for every host, and merges them with the mesh filter.
 * @throws BundleError `policy_invalid` with every finding in `data.errors`
 */
export async function compilePolicies(
  folders: string | readonly string[],
): Promise<CompiledPolicies> {
  return withFilter(await compileSources(await readPolicies(folders)));
}

/** The same for sources that were read already, without the filter. */
export async function compileSources(
  sources: PolicySources & { roots?: string[] },
): Promise<CompiledPolicies> {
  const compiler = await RegoCompiler.load();
  const { entrypoints, guardRules = [] } = sources;
  const built = compiler.build(sources);
  const wasm = meter(built.wasm, POLICY_LIMITS);
  const decisions = await compileDecisions(compiler, sources);
  const guard = await withRules(guardRules);
  return { ...built, wasm, ...decisions, entrypoints, guardRules, ...guard };
}

/** The guard with rules of its users. */
async function withRules(rules: readonly RuleSource[]): Promise<{ guard?: Uint8Array }> {
  if (rules.length === 0) return {};
  const { compileGuard } = await import('../../wasm/guard/compiler/link.ts');
  try {
    // In the order of their names, which a bundle keeps.
    return { guard: compileGuard(rules.toSorted((a, b) => (a.file < b.file ? -1 : 1))) };
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : 'the rules of the guard are wrong';
    throw new BundleError('rule_invalid', message, {
      cause,
      hint: 'docs/guard.md says what a rule looks like',
    });
  }
}

/**
 * Merges the policies, and their guard, with the mesh filter, where one of them decides there. OPA's form is not
 * merged: a proxy runs what our compiler makes, or has no filter.
 */
export async function withFilter(policies: CompiledPolicies): Promise<CompiledPolicies> {
  const { decisions, entrypoints, guard } = policies;
  if (decisions === undefined || !entrypoints.includes(entrypointOf('mesh'))) return policies;
  return { ...policies, filter: await mergeFilter(decisions, guard) };
}

/** The module that hosts run: what our compiler makes of OPA's plan, if it takes all of it. */
async function compileDecisions(
  compiler: RegoCompiler,
  sources: PolicySources,
): Promise<Pick<CompiledPolicies, 'decisions' | 'unsupported'>> {
  const { ok, plan, errors } = compiler.plan(sources);
  if (!ok) throw policyInvalid(errors);
  const { wasm, unsupported } = await compilePlan(plan as never, moduleBytes('engine'));
  return { decisions: wasm && meter(wasm, DECISION_LIMITS), unsupported };
}

async function read(
  folder: string,
  prefix: string,
  visit: (name: string, path: string) => Promise<void>,
): Promise<void> {
  let entries: { name: string; isDirectory(): boolean }[];
  try {
    entries = await readdir(join(folder, prefix), { withFileTypes: true });
  } catch (cause) {
    throw new BundleError('policy_invalid', `cannot read the folder ${join(folder, prefix)}`, {
      cause,
    });
  }
  if (entries.length > SOURCES_MAX) throw new BundleError('policy_invalid', 'too many files');
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.') || SKIPPED.has(entry.name)) continue;
    const name = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    checkName(name);
    if (entry.isDirectory()) await read(folder, name, visit);
    else await visit(name, join(folder, name));
  }
}

async function source(path: string): Promise<string> {
  const bytes = await readFile(path);
  if (bytes.length > SOURCE_BYTES_MAX) {
    throw new BundleError('policy_invalid', `${path} is larger than 1 MiB`);
  }
  return bytes.toString('utf8');
}

async function json(path: string): Promise<JsonObject> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (isJsonObject(value)) return value;
  } catch (cause) {
    throw new BundleError('policy_invalid', `cannot read ${path}`, { cause });
  }
  throw new BundleError('policy_invalid', `${path} is not a JSON object`);
}

function uniqueName(files: Map<string, RegoFile>, name: string): string {
  for (let number = 2, candidate = name; ; number++) {
    if (!files.has(candidate)) return candidate;
    candidate = name.replace(/\.rego$/, `-${number}.rego`);
  }
}
