// One side of a comparison: compiled policies, their sources, and the data that they decide with.
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DATA, DECISIONS_MODULE, MODULES, POLICY_MODULE } from '../../../runtime/bundle/build.ts';
import { compileSources } from '../../../runtime/bundle/compile.ts';
import { readBundle } from '../../../runtime/bundle/files.ts';
import type { BundleFiles } from '../../../runtime/bundle/reader.ts';
import { readJson, revisionOf } from '../../../runtime/bundle/revision.ts';
import { BundleError } from '../../../runtime/errors.ts';
import { defaultTrustDomain } from '../../../runtime/identity/spiffe-id.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../runtime/json.ts';
import type { RegoFile } from '../../../runtime/modules/rego.ts';
import { sampleData } from '../../../runtime/testing/sample-data.ts';
import { isBundle, policySources } from '../../commands/policy/sources.ts';
import { stateFolder } from '../../state-folder.ts';
import { dataOf, operatorData } from '../../up/data.ts';

const MADE_UP_AGENTS = 24;

/** Everything that is needed to decide and to say which rule did; it can be sent to a worker. */
export interface Side {
  /** What it was read from, for people. */
  label: string;
  /** The policy bundle's revision; undefined for folders, which have none. */
  revision?: string;
  /** OPA's module, and the one that is run instead where it is there. */
  wasm: Uint8Array;
  decisions?: Uint8Array;
  /** By entrypoint, JSON Pointers of what its rules may read. */
  reads?: Record<string, string[]>;
  /** The sources, without tests. */
  files: RegoFile[];
  /** The input's JSON Schema by boundary; bundles have none. */
  schemas: Record<string, JsonValue>;
  data: JsonObject;
  /** Where the data came from, for people; undefined when there was none. */
  dataLabel?: string;
}

/**
 * Reads a folder of policies, a policy bundle, or a folder with the bundles `policy` and `data`.
 * `data` names a file or data bundle to decide with; without it the pair's own data, or the folder's
 * `data.json` as `platform up` would take it. Signatures are not looked at: nothing is put in force.
 * @throws BundleError for what cannot be read or compiled
 */
export async function readSide(path: string, data: string | undefined): Promise<Side> {
  const isPair = existsSync(join(path, 'policy')) || existsSync(join(path, 'policy.tar.gz'));
  const side = isPair
    ? sideOfBundle(await readBundle(join(path, 'policy')), path)
    : isBundle(path)
      ? sideOfBundle(await readBundle(path), path)
      : await sideOfFolders([path]);
  const own = isPair ? join(path, 'data') : isBundle(path) ? undefined : join(path, 'data.json');
  if (data !== undefined) return { ...side, data: await readData(data), dataLabel: data };
  if (own === undefined || !(await exists(own))) return side;
  const given = isPair ? await readData(own) : undefined;
  const value = given ?? dataOf(defaultTrustDomain, await operatorData([path]), []);
  return { ...side, data: value, dataLabel: own };
}

/** The side of a policy bundle's files, without data. */
export function sideOfBundle(files: BundleFiles, label: string): Side {
  const wasm = files.get(POLICY_MODULE);
  if (wasm === undefined) {
    throw new BundleError('bundle_truncated', `${label} has no ${POLICY_MODULE}`, {
      hint: 'build the bundle with platform policy build',
    });
  }
  const { reads } = readJson(files, MODULES);
  const sources = [...files]
    .filter(([name]) => name.endsWith('.rego'))
    .map(([name, bytes]) => ({ path: name, content: Buffer.from(bytes).toString('utf8') }));
  return {
    ...{ label, revision: revisionOf(files), wasm, files: sources, schemas: {}, data: {} },
    decisions: files.get(DECISIONS_MODULE),
    reads: isJsonObject(reads) ? (reads as Record<string, string[]>) : undefined,
  };
}

/** The platform's policies, or those of a folder with `capabilities.json`, with operators' beside them. */
export async function sideOfFolders(paths: readonly string[]): Promise<Side> {
  const sources = await policySources(paths);
  const { wasm, decisions, reads, files } = await compileSources(sources);
  return {
    label: paths.join(' ') || 'the platform’s own',
    ...{ wasm, decisions, reads, files },
    schemas: sources.schemas ?? {},
    data: {},
  };
}

/** The value of a `data.json`, or of a data bundle. */
export async function readData(path: string): Promise<JsonObject> {
  const kind = await stat(path).catch(() => undefined);
  if (!kind?.isFile() || path.endsWith('.tar.gz')) return readJson(await readBundle(path), DATA);
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (isJsonObject(value)) return value;
  } catch (cause) {
    throw new BundleError('bundle_manifest_invalid', `${path} is not JSON`, { cause });
  }
  throw new BundleError('bundle_manifest_invalid', `${path} is not a JSON object`);
}

/**
 * The side with data, where it has none: what is in force on this machine, else made-up agents, since
 * without data nothing would be allowed at all. `tell` is told of made-up ones.
 */
export async function withSomeData(side: Side, tell: (note: string) => void): Promise<Side> {
  if (side.dataLabel !== undefined) return side;
  const inForce = join(stateFolder(undefined).bundles, 'data');
  if (existsSync(inForce)) return { ...side, data: await readData(inForce), dataLabel: inForce };
  tell(`${side.label} has no data: made-up agents are asked for, see --data`);
  return { ...side, data: sampleData(MADE_UP_AGENTS), dataLabel: 'made-up agents' };
}

async function exists(path: string): Promise<boolean> {
  return existsSync(path) || existsSync(`${path}.tar.gz`);
}
