// Compiles changed policies in the worker: OPA's compiler, then ours, as the platform does it.
import {
  buildDataBundle,
  buildPolicyBundle,
  DATA,
  GUARD_MODULE,
  MODULES,
} from '../../../../runtime/bundle/build.ts';
import { compileSources, GUARD_RULES } from '../../../../runtime/bundle/compile.ts';
import { readData, readPolicy } from '../../../../runtime/bundle/load.ts';
import type { LoadedPair, ModuleDigests } from '../../../../runtime/bundle/pair.ts';
import type { BundleFiles } from '../../../../runtime/bundle/reader.ts';
import { readJson } from '../../../../runtime/bundle/revision.ts';
import { ownerOf, withTenants } from '../../../../runtime/bundle/tenants.ts';
import { BundleError } from '../../../../runtime/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../runtime/json.ts';
import type { RegoFile, RegoSources } from '../../../../runtime/modules/rego.ts';
import type { PolicyFile } from '../protocol.ts';

/** Of data, in characters: more is not for a text area. */
const DATA_SHOWN_MAX = 256 * 1024;
const GENERATED = /^tenants\/[^/]+\.rego$/;

/** The policies of a bundle and its data, as the page shows them. */
export function filesOf(policy: BundleFiles, data: JsonObject): PolicyFile[] {
  const text = JSON.stringify(data, null, 2);
  const isLarge = text.length > DATA_SHOWN_MAX;
  const content = isLarge ? `{"too_large_to_edit_here": ${text.length}}` : text;
  return [{ path: DATA, content, owner: 'operator', generated: isLarge }, ...policiesIn(policy)];
}

function policiesIn(policy: BundleFiles): PolicyFile[] {
  return sourcesIn(policy).map(({ path, content, tenant, operator }) => ({
    path,
    content,
    owner: tenant ?? (operator === true ? 'operator' : 'platform'),
    generated: GENERATED.test(path),
  }));
}

/** The sources of a bundle with some of them changed, as the compiler wants them. */
export function sourcesOf(
  policy: BundleFiles,
  edits: Record<string, string>,
  { schemas, capabilities }: Pick<RegoSources, 'schemas' | 'capabilities'>,
): RegoSources {
  const files = sourcesIn(policy).map((file) => ({
    ...file,
    content: edits[file.path] ?? file.content,
  }));
  return { files: withTenants(files, Object.keys(schemas ?? {}).sort()), schemas, capabilities };
}

function sourcesIn(policy: BundleFiles): RegoFile[] {
  return [...policy]
    .filter(([path]) => path.endsWith('.rego'))
    .map(([path, bytes]) => ({ path, content: text(bytes), ...ownerOf(path) }));
}

/**
 * The data bundle of an edited `data.json`.
 * @throws BundleError `policy_invalid` with the place in `data.errors` for a text that is no JSON object
 */
export async function draftData(text: string): Promise<LoadedPair['data']> {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : 'not JSON';
    const [, row = '1', column = '1'] = /line (\d+) column (\d+)/.exec(message) ?? [];
    throw invalidData(message, Number(row), Number(column));
  }
  if (!isJsonObject(value)) throw invalidData('the data is no JSON object', 1, 1);
  return readData(buildDataBundle(value).files);
}

function invalidData(message: string, row: number, column: number): BundleError {
  const errors = [{ file: DATA, row, column, message }];
  return new BundleError('policy_invalid', message, { data: { errors } });
}

/**
 * The policy of a draft. It has no filter, which proxies alone need, and the guard of
 * the bundle that it was made from.
 * @throws BundleError `policy_invalid` with every finding in `data.errors`
 */
export async function draftPolicy(
  base: BundleFiles,
  sources: RegoSources,
): Promise<LoadedPair['policy']> {
  const entrypoints = Object.keys(sources.schemas ?? {})
    .sort()
    .map((boundary) => `platform/${boundary}/decision`);
  const compiled = await compileSources({ ...sources, entrypoints });
  const guardRules = [...base]
    .filter(([file]) => file.endsWith(GUARD_RULES))
    .map(([file, bytes]) => ({ file, text: text(bytes) }));
  const { authorization: _, ...modules } = listed(base);
  const { files } = buildPolicyBundle(
    { ...compiled, guard: base.get(GUARD_MODULE), guardRules },
    modules,
  );
  return readPolicy(files, { modules });
}

function listed(base: BundleFiles): Record<string, ModuleDigests> {
  return readJson(base, MODULES).modules as JsonObject as never;
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}
