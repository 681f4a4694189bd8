// Builds and signs the two bundles of this machine and puts them in force, one change at a time.
import { createHash } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type BuiltBundle,
  buildDataBundle,
  builtModuleDigests,
} from '../../runtime/bundle/build.ts';
import { readPolicies } from '../../runtime/bundle/compile.ts';
import { readBundle } from '../../runtime/bundle/files.ts';
import { loadPolicy } from '../../runtime/bundle/load.ts';
import { type BundleKind, signBundle } from '../../runtime/bundle/sign.ts';
import { writeBundle } from '../../runtime/bundle/write.ts';
import type { ObjectStore } from '../../runtime/evidence/objects.ts';
import type { JsonObject } from '../../runtime/json.ts';
import { moduleBytes, moduleDigest } from '../../runtime/modules/source.ts';
import { compileInWorker } from './compile.ts';
import type { PlatformKeys } from './keys.ts';

export interface PublisherConfig {
  /** Holds `policy` and `data`, which a watcher follows. */
  folder: string;
  /** The platform's own policies first, then operators'. */
  policyFolders: readonly string[];
  keys: PlatformKeys['bundle'];
  /** Keeps every revision, so that the audit can load it again. */
  objects(): Pick<ObjectStore, 'putBundle'>;
}

/** Publishes bundles; what it resolved for is on the disk, signed and kept for the audit. */
export class Publisher {
  readonly #config: PublisherConfig;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(config: PublisherConfig) {
    this.#config = config;
  }

  /**
   * Compiles the policies unless the bundle on the disk is already theirs. Rejects with
   * `policy_invalid` (`data.errors`: file, line, column, message), or with what `approve` rejects with,
   * and leaves the last good one. `approve` is asked before anything is written; it gets undefined where
   * the policies stay.
   */
  policy(approve?: (candidate: BuiltBundle | undefined) => Promise<void>): Promise<void> {
    return this.#inTurn(async () => {
      const { folder, policyFolders } = this.#config;
      const stampFile = join(folder, 'policy.source');
      const stamp = await sourceDigest(policyFolders);
      const known = await readFile(stampFile, 'utf8').catch(() => '');
      const isSame = known === stamp && (await this.#isUsable());
      const candidate = isSame ? undefined : await compileInWorker(policyFolders);
      await approve?.(candidate);
      if (candidate === undefined) return;
      await this.#publish('policy', candidate);
      await writeFile(`${stampFile}.new`, stamp);
      await rename(`${stampFile}.new`, stampFile);
    });
  }

  /** Publishes the value of `data.json` and resolves to its revision. */
  data(data: JsonObject): Promise<string> {
    return this.#inTurn(() => this.#publish('data', buildDataBundle(data)));
  }

  /** Keeps what is on the disk for the audit; for a bundle that an earlier start published. */
  async keep(): Promise<void> {
    for (const kind of ['policy', 'data']) {
      const files = await readBundle(join(this.#config.folder, kind));
      const manifest = JSON.parse(Buffer.from(files.get('.manifest') ?? '').toString('utf8'));
      await this.#config.objects().putBundle(manifest.revision, files);
    }
  }

  async #publish(kind: BundleKind, { revision, files }: BuiltBundle): Promise<string> {
    const { folder, keys } = this.#config;
    await signBundle(files, kind, keys.privateKey);
    await this.#config.objects().putBundle(revision, files);
    await writeBundle(files, join(folder, kind));
    return revision;
  }

  async #isUsable(): Promise<boolean> {
    try {
      const files = await readBundle(join(this.#config.folder, 'policy'));
      await loadPolicy(files, this.#config.keys.publicKeys);
      return true;
    } catch {
      return false; // it is built again, whatever is wrong with it
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(work);
    this.#queue = turn.catch(() => {});
    return turn;
  }
}

/** Digest of everything that a policy bundle is made from. */
async function sourceDigest(folders: readonly string[]): Promise<string> {
  const compiler = new URL('../../wasm/rego/compiler.wasm.sha256', import.meta.url);
  const parts = [
    await readPolicies(folders),
    builtModuleDigests(),
    moduleDigest(moduleBytes('filter')),
    await readFile(compiler, 'utf8'),
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
