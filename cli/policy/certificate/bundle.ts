// Holds the two bundles to the certificate: revisions, nothing beside the sources, and the very module.
import { readFile } from 'node:fs/promises';
import {
  checkRoots,
  DATA,
  DECISIONS_MODULE,
  FILTER_MODULE,
  GUARD_MODULE,
  MODULES,
  POLICY_MODULE,
} from '../../../runtime/bundle/build.ts';
import { compileSources, GUARD_RULES, withFilter } from '../../../runtime/bundle/compile.ts';
import type { BundleFiles } from '../../../runtime/bundle/reader.ts';
import {
  canonical,
  MANIFEST,
  readJson,
  revisionOf,
  SIGNATURES,
} from '../../../runtime/bundle/revision.ts';
import { codeOf, PlatformError } from '../../../runtime/errors.ts';
import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import type { RegoCompiler, RegoFile } from '../../../runtime/modules/rego.ts';
import type { AstModule } from '../../../runtime/modules/rego-ast.ts';
import { moduleDigest } from '../../../runtime/modules/source.ts';
import type { Problem } from './check.ts';
import { fromJson, type Value } from './values.ts';

/** What both bundles hold, as the checker needs it. */
export interface Contents {
  revision: { policy: string; data: string };
  files: RegoFile[];
  modules: Record<string, AstModule>;
  data: Value;
}

export interface Bundles {
  policy: BundleFiles;
  data: BundleFiles;
}

const MODULE_FILES = [POLICY_MODULE, DECISIONS_MODULE, FILTER_MODULE, GUARD_MODULE];
const POLICY_FILES = [MANIFEST, SIGNATURES, MODULES, ...MODULE_FILES];
const DATA_FILES = [MANIFEST, SIGNATURES, DATA];

/** Reads both bundles, which must be of the expected revisions; every problem refuses the certificate. */
export async function readBundles(
  bundles: Bundles,
  expected: Contents['revision'],
  compiler: RegoCompiler,
): Promise<{ contents?: Contents; revision?: Contents['revision']; problems: Problem[] }> {
  try {
    const revision = { policy: revisionOf(bundles.policy), data: revisionOf(bundles.data) };
    const problems = [
      ...otherBundles(expected, revision),
      ...strangers(bundles.policy, POLICY_FILES, true),
      ...strangers(bundles.data, DATA_FILES, false),
    ];
    if (problems.length > 0) return { revision, problems };
    const files = sourcesOf(bundles.policy);
    const parsed = compiler.parse({ files });
    if (!parsed.ok) return { revision, problems: parsed.errors.map(asProblem) };
    problems.push(...inexact(files, parsed.modules));
    const { value, exact } = dataOf(bundles.data);
    if (!exact)
      problems.push({
        code: 'number_inexact',
        message: 'data.json has a number that a double does not hold',
      });
    problems.push(...(await sameModule(bundles.policy, files, parsed.modules)));
    if (problems.length > 0) return { revision, problems };
    return {
      contents: { revision, files, modules: parsed.modules, data: value },
      revision,
      problems,
    };
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return { problems: [{ code: codeOf(error), message: error.message }] };
  }
}

function otherBundles(expected: Contents['revision'], actual: Contents['revision']): Problem[] {
  return (['policy', 'data'] as const)
    .filter((kind) => expected[kind] !== actual[kind])
    .map((kind) => ({
      code: 'revision_differs',
      message: `the certificate is about another ${kind} bundle: this one is ${actual[kind]}`,
    }));
}

function asProblem({ code, message, file, row, source }: Problem): Problem {
  return { code, message, file, row, source };
}

/** Files that are no part of a bundle: what they would mean nobody says. */
function strangers(files: BundleFiles, known: readonly string[], sources: boolean): Problem[] {
  return [...files.keys()]
    .filter((name) => {
      const isSource = sources && name.endsWith('.rego') && !name.endsWith('_test.rego');
      const isRules = sources && name.endsWith(GUARD_RULES);
      return !isSource && !isRules && !known.includes(name);
    })
    .map((file) => ({
      code: 'bundle_file_unexpected',
      message: 'a bundle holds nothing but sources, modules, data and its manifest',
      file,
    }));
}

function sourcesOf(files: BundleFiles): RegoFile[] {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return [...files]
    .filter(([name]) => name.endsWith('.rego'))
    .map(([path, bytes]) => {
      try {
        return { path, content: decoder.decode(bytes) };
      } catch (cause) {
        throw new PlatformError('policy_invalid', `${path} is not UTF-8`, { cause });
      }
    });
}

function dataOf(files: BundleFiles): { value: Value; exact: boolean } {
  const json = readJson(files, DATA);
  checkRoots(Object.keys(json));
  let exact = true;
  const text = new TextDecoder('utf-8', { fatal: true }).decode(files.get(DATA));
  JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
    if (typeof value === 'number' && !isExact(context?.source ?? '')) exact = false;
    return value;
  });
  return { value: fromJson(json), exact };
}

/** A number whose text and double say the same. */
function isExact(text: string): boolean {
  if (/^-?\d+$/.test(text)) return Number.isSafeInteger(Number(text));
  return /^-?\d+\.\d+$/.test(text) && text.replace(/\D/g, '').length <= 15;
}

/** Number literals that a double does not hold would be compared as others than OPA compares. */
function inexact(files: readonly RegoFile[], modules: Record<string, AstModule>): Problem[] {
  const problems: Problem[] = [];
  for (const { path, content } of files) {
    const tokens = content.match(/\d+(\.\d+)?([eE][+-]?\d+)?/g) ?? [];
    const suspects = new Set(tokens.filter((token) => !isExact(token)).map(Number));
    if (suspects.size > 0 && hasNumber(modules[path], suspects)) {
      problems.push({
        code: 'number_inexact',
        message: 'a number that a double may not hold',
        file: path,
      });
    }
  }
  return problems;
}

function hasNumber(node: unknown, suspects: ReadonlySet<number>): boolean {
  if (Array.isArray(node)) return node.some((part) => hasNumber(part, suspects));
  if (typeof node !== 'object' || node === null) return false;
  const { type, value } = node as { type?: string; value?: unknown };
  if (type === 'number') return suspects.has(Math.abs(Number(value)));
  return Object.entries(node).some(
    ([key, part]) => key !== 'location' && hasNumber(part, suspects),
  );
}

/** The proof is about the sources, the module is what runs: it must be what they compile to. */
async function sameModule(
  files: BundleFiles,
  sources: RegoFile[],
  modules: Record<string, AstModule>,
): Promise<Problem[]> {
  const listed = readJson(files, MODULES);
  const entrypoints = listed.entrypoints;
  const wrong = (message: string): Problem[] => [{ code: 'module_differs', message }];
  if (!Array.isArray(entrypoints) || !entrypoints.every((name) => typeof name === 'string')) {
    return wrong(`${MODULES} lists no entrypoints`);
  }
  const built = await compileSources({
    files: sources,
    capabilities: await capabilities(),
    schemas: openSchemas(modules),
    entrypoints,
    guardRules: [...files]
      .filter(([file]) => file.endsWith(GUARD_RULES))
      .map(([file, bytes]) => ({ file, text: Buffer.from(bytes).toString() })),
  });
  if (canonical(listed.reads ?? null) !== canonical(built.reads as JsonObject)) {
    return wrong(`${MODULES} does not list what the sources read of the input`);
  }
  const { wasm, decisions, filter, guard } = await withFilter(built);
  const expected = [wasm, decisions, filter, guard].map((bytes) => bytes && moduleDigest(bytes));
  for (const [index, name] of MODULE_FILES.entries()) {
    const given = files.get(name);
    // A bundle may do without a filter, and then no proxy decides by it.
    if (given === undefined && name === FILTER_MODULE) continue;
    if ((given && moduleDigest(given)) !== expected[index]) {
      return wrong(`${name} is not what the bundle's sources compile to`);
    }
  }
  return [];
}

async function capabilities(): Promise<JsonObject> {
  const file = new URL('../../../policies/capabilities.json', import.meta.url);
  return JSON.parse(await readFile(file, 'utf8')) as JsonObject;
}

/** Schemas only refuse at compile time; the module does not depend on them. */
function openSchemas(modules: Record<string, AstModule>): Record<string, JsonValue> {
  const names = new Set<string>();
  for (const { annotations } of Object.values(modules)) {
    for (const { schemas } of annotations ?? []) {
      for (const { schema } of schemas ?? []) {
        if (schema !== undefined)
          names.add(
            schema
              .slice(1)
              .map((part) => String(part.value))
              .join('.'),
          );
      }
    }
  }
  return Object.fromEntries([...names].map((name) => [name, {}]));
}
