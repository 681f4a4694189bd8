// What every layer of the conformance kit is computed with: the modules, bundles and keys of one version of the kit.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { JWK } from 'jose';
import { type BundleKeyPair, readBundleKeys } from '../../../runtime/bundle/keys.ts';
import { loadPair } from '../../../runtime/bundle/load.ts';
import type { LoadedPair, ModuleDigests } from '../../../runtime/bundle/pair.ts';
import type { Decider } from '../../../runtime/decide/decide.ts';
import { BUILT_MODULES, createLocalDecider, loadModules } from '../../../runtime/decide/local.ts';
import type { Record as RecordModule } from '../../../runtime/modules/record.ts';
import { moduleDigest } from '../../../runtime/modules/source.ts';

/** The kit of the repository. */
export const KIT = fileURLToPath(new URL('../../../conformance', import.meta.url));
/** The service behind the filter, in the kit's data. */
export const KIT_SERVICE = 'vault';

export interface KitContext {
  /** The folder of this version. */
  folder: string;
  keys: readonly JWK[];
  pair: LoadedPair;
  record: RecordModule;
  decider: Decider;
  /** Digests of the frozen modules, by name. */
  modules: Record<string, ModuleDigests>;
  /** Signs bundles, while a version is made; it is forgotten then. */
  signer?: BundleKeyPair;
}

/** Opens a version of the kit, to be judged by the modules that are frozen in it. */
export async function openKit(folder: string): Promise<KitContext> {
  const modules = new Map<string, Uint8Array>();
  for (const name of BUILT_MODULES) {
    modules.set(name, gunzipSync(await readFile(join(folder, 'modules', `${name}.wasm.gz`))));
  }
  const digests: Record<string, ModuleDigests> = Object.fromEntries(
    [...modules].map(([name, bytes]) => [name, { core: moduleDigest(bytes) }]),
  );
  const keys = await readBundleKeys(join(folder, 'keys.json'));
  const pair = await loadPair(join(folder, 'bundle'), keys, { modules: digests });
  const loaded = loadModules((name) => modules.get(name)!);
  const decider = createLocalDecider({ current: () => pair }, loaded);
  return { folder, keys, pair, record: loaded.record, decider, modules: digests };
}
