// Writes what Envoy discovers of the mesh filter, so that a new pair of bundles replaces it without a restart.
import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { LoadedPair } from '../../bundle/pair.ts';
import type { BundleWatcher } from '../../bundle/watch.ts';
import { ModuleError } from '../../errors.ts';
import { meshFilterConfiguration } from '../mesh-filter.ts';
import { meshFilterDiscovery } from './filters.ts';

/** The file that `discoveredMeshFilter` names. */
export const DISCOVERY_FILE = 'mesh.json';

export interface PublishConfig {
  /** A folder of its own, by the path that Envoy reads it under. */
  folder: string;
  /** The service that stands behind the proxy. */
  service: string;
  trustDomain: string;
}

export interface Published {
  /** Where Envoy looks. */
  discovery: string;
  /** The module, under a name that says its content. */
  filter: string;
  policyRevision: string;
  dataRevision: string;
}

/**
 * Writes the filter and the file that names it, each at once (rename), in this order. The filter that
 * was named before stays until the file is written once more, since Envoy may be reading it.
 * @throws ModuleError `module_missing` when the policy bundle has no filter
 */
export async function publishMeshFilter(
  pair: LoadedPair,
  config: PublishConfig,
): Promise<Published> {
  const { filter: bytes } = pair.policy;
  if (bytes === undefined) {
    throw new ModuleError('module_missing', 'the policy bundle has no filter', {
      hint: 'build it again with platform policy build',
    });
  }
  const folder = resolve(config.folder);
  await mkdir(folder, { recursive: true });
  const discovery = join(folder, DISCOVERY_FILE);
  const filter = join(folder, `filter-${digestOf(bytes)}.wasm`);
  const configuration = Buffer.from(meshFilterConfiguration(pair, config)).toString();
  const vmId = `${config.service} ${digestOf(bytes)} ${digestOf(configuration)}`;
  const before = await readFile(discovery, 'utf8').catch(() => '');
  await writeAtOnce(filter, bytes);
  const text = JSON.stringify(meshFilterDiscovery({ filter, configuration, vmId }));
  if (text !== before) {
    await writeAtOnce(discovery, Buffer.from(text));
    for (const name of await readdir(folder)) {
      const isOld = /^filter-[0-9a-f]{32}\.wasm$/.test(name) && !`${before}${text}`.includes(name);
      if (isOld) await rm(join(folder, name), { force: true });
    }
  }
  const { policy, data } = pair;
  return { discovery, filter, policyRevision: policy.revision, dataRevision: data.revision };
}

/**
 * Writes the pair in force, and every later one, in their order; resolves when the first is written.
 * What cannot be written is told, and leaves Envoy what it has. The function that it returns stops.
 */
export async function followBundles(
  bundles: BundleWatcher,
  config: PublishConfig,
  on: { published?: (published: Published) => void; error?: (error: unknown) => void } = {},
): Promise<() => Promise<void>> {
  const publish = async () => {
    const published = await publishMeshFilter(bundles.current(), config);
    on.published?.(published);
  };
  await publish();
  let turn: Promise<void> = Promise.resolve();
  const stop = bundles.onSwap(() => {
    turn = turn.then(publish).catch((error: unknown) => on.error?.(error));
  });
  return async () => {
    stop();
    await turn;
  };
}

const digestOf = (content: Uint8Array | string) =>
  createHash('sha256').update(content).digest('hex').slice(0, 32);

/** Whole and on disk before it has its name. */
async function writeAtOnce(path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}.${process.pid}.new`;
  const file = await open(temporary, 'w', 0o644);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}
