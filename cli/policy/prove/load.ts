// Brings together what a proof is about: the sources as compiled, the module, the data, the revisions.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type BuiltBundle,
  buildDataBundle,
  buildPolicyBundle,
  DATA,
  DECISIONS_MODULE,
  POLICY_MODULE,
} from '../../../runtime/bundle/build.ts';
import { compileSources, type PolicySources, withFilter } from '../../../runtime/bundle/compile.ts';
import { readBundle } from '../../../runtime/bundle/files.ts';
import { readJson, revisionOf } from '../../../runtime/bundle/revision.ts';
import { InputError, ModuleError } from '../../../runtime/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../runtime/json.ts';
import { Authorization } from '../../../runtime/modules/authorization.ts';
import { Record as RecordModule } from '../../../runtime/modules/record.ts';
import { policyInvalid, RegoCompiler, type RegoFile } from '../../../runtime/modules/rego.ts';
import { moduleBytes } from '../../../runtime/modules/source.ts';
import type { Ask } from './counterexample.ts';
import type { Subject } from './machine.ts';
import { inexactIn } from './numbers.ts';
import { type Packages, packagesOf, policyTree } from './policy.ts';

export interface Loaded {
  subject: Subject;
  policy: BuiltBundle;
  data: BuiltBundle;
  files: RegoFile[];
  schemas: Record<string, JsonValue>;
  /** Every text in the sources. */
  mentioned: Set<string>;
  /** Whether the bundle's module is what this compiler makes of its sources. */
  moduleMatches: boolean;
  /** Asks the module at a boundary, with the data of the bundle unless others are given. */
  askAt(boundary: string, data?: JsonObject): Ask;
}

export interface Loading {
  /** What `policySources` read. */
  sources: PolicySources;
  /** A policy bundle that is to be named as it is; without it one is built of the sources. */
  bundle?: string;
  /** A data.json, or a data bundle; none is no data. */
  data?: string;
}

/** @throws BundleError `policy_invalid` with the compiler's findings; InputError for unreadable data */
export async function load({ sources, bundle, data }: Loading): Promise<Loaded> {
  const compiler = await RegoCompiler.load();
  const files = sources.files.filter(({ path }) => !path.endsWith('_test.rego'));
  const compiled = compiler.compiled({ ...sources, files });
  if (!compiled.ok) throw policyInvalid(compiled.errors);
  const built = await compileSources({ ...sources, files });
  const given = bundle === undefined ? undefined : await readBundle(bundle);
  const module = given?.get(POLICY_MODULE) ?? built.wasm;
  const deciding =
    given === undefined ? built : { wasm: module, decisions: given.get(DECISIONS_MODULE) };
  const { bundle: dataBundle, text } = await readData(data);
  const value = readJson(dataBundle.files, DATA);
  const inexact = new Map<number, { file: string; row: number } | undefined>();
  inexactIn(text, undefined, inexact);
  for (const { path, content } of files) inexactIn(content, path, inexact);
  const arity = new Map<string, number>();
  for (const builtin of listOf(sources.capabilities.builtins)) {
    const { name, decl } = builtin;
    const args = isJsonObject(decl) && Array.isArray(decl.args) ? decl.args.length : 0;
    arity.set(String(name), args);
  }
  return {
    subject: {
      tree: policyTree(compiled.modules, packages(compiler, files)),
      data: value,
      arity,
      inexact,
    },
    policy:
      given === undefined
        ? buildPolicyBundle(await withFilter(built))
        : { files: given, revision: revisionOf(given) },
    data: dataBundle,
    files,
    schemas: sources.schemas ?? {},
    mentioned: textsOf(compiled.modules),
    moduleMatches: same(module, built.wasm) && same(deciding.decisions, built.decisions),
    askAt: (boundary, other = value) => asking(deciding, other, boundary),
  };
}

/** The packages, which the compiled rules do not name; parsed is no more than the clauses that do. */
function packages(compiler: RegoCompiler, files: RegoFile[]): Packages {
  const heads = files.map(({ path, content }) => {
    // Nothing but comments stands before a package clause.
    const [head] = /^[\s\S]*?^package .*$/m.exec(content) ?? [content];
    return { path, content: `${head}\n` };
  });
  const parsed = compiler.parse({ files: heads });
  const whole = parsed.ok ? parsed : compiler.parse({ files });
  if (!whole.ok) throw policyInvalid(whole.errors);
  return packagesOf(whole.modules);
}

function same(given: Uint8Array | undefined, built: Uint8Array | undefined): boolean {
  return Buffer.compare(given ?? new Uint8Array(0), built ?? new Uint8Array(0)) === 0;
}

function asking(
  policy: { wasm: Uint8Array; decisions?: Uint8Array },
  data: JsonObject,
  boundary: string,
): Ask {
  const record = RecordModule.create(moduleBytes('record'));
  const { wasm, decisions } = policy;
  const authorization = Authorization.create({
    ...{ wasm, decisions },
    data: Buffer.from(JSON.stringify(data)),
  });
  return (input) => {
    try {
      const canonical = record.canonicalizeValue(input);
      return authorization.decideBytes(`platform/${boundary}/decision`, canonical).value;
    } catch (error) {
      if (error instanceof ModuleError && error.code !== 'bundle_entrypoint_missing')
        return undefined;
      throw error;
    }
  };
}

/** The data with the text that it was read from, whose numbers may be others than the ones read. */
async function readData(path: string | undefined): Promise<{ bundle: BuiltBundle; text: string }> {
  if (path === undefined) return { bundle: buildDataBundle({}), text: '' };
  if (path.endsWith('.tar.gz') || existsSync(join(path, '.manifest'))) {
    const files = await readBundle(path);
    const text = new TextDecoder().decode(files.get(DATA));
    return { bundle: { files, revision: revisionOf(files) }, text };
  }
  let text: string;
  let value: unknown;
  try {
    text = await readFile(path, 'utf8');
    value = JSON.parse(text);
  } catch (cause) {
    throw new InputError('input_invalid', `cannot read data from ${path}`, { cause });
  }
  if (!isJsonObject(value)) throw new InputError('input_invalid', `${path} is not a JSON object`);
  return { bundle: buildDataBundle(value), text };
}

function listOf(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The strings of a syntax tree: what a policy can mention. */
function textsOf(tree: unknown, into = new Set<string>()): Set<string> {
  if (Array.isArray(tree)) for (const part of tree) textsOf(part, into);
  else if (typeof tree === 'object' && tree !== null) {
    const { type, value } = tree as { type?: unknown; value?: unknown };
    if (type === 'string' && typeof value === 'string') into.add(value);
    else for (const part of Object.values(tree)) textsOf(part, into);
  }
  return into;
}
