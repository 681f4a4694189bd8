// Brings back the executor of any pair of revisions from the objects kept with the evidence.
import type { JWK } from 'jose';
import { loadData, loadPolicy } from '../bundle/load.ts';
import type { LoadedPair } from '../bundle/pair.ts';
import type { Executor } from '../decide/execute.ts';
import { BUILT_MODULES, executorOf, type LoadedModules, loadModules } from '../decide/local.ts';
import { codeOf } from '../errors.ts';
import { moduleBytes, moduleDigest } from '../modules/source.ts';
import type { ObjectSource } from './objects.ts';

/** Why a pair cannot be executed here; for people. */
export class Unavailable {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

const KEPT_MAX = 16;

/**
 * Loads pairs by revision, with the modules of their time by digest. Signatures and revisions of
 * bundles and digests of modules are checked again; the last few pairs are remembered.
 */
export class Executors {
  readonly #objects: ObjectSource;
  readonly #keys: readonly JWK[];
  readonly #pairs = new Map<string, Promise<Executor | Unavailable>>();
  readonly #modules = new Map<string, LoadedModules>();

  constructor(objects: ObjectSource, keys: readonly JWK[]) {
    this.#objects = objects;
    this.#keys = keys;
  }

  /** The executor of the pair, or why there is none. */
  find(policyRevision: string, dataRevision: string): Promise<Executor | Unavailable> {
    const name = `${policyRevision} ${dataRevision}`;
    let found = this.#pairs.get(name);
    if (found === undefined) {
      if (this.#pairs.size >= KEPT_MAX) this.#pairs.clear();
      found = this.#load(policyRevision, dataRevision);
      this.#pairs.set(name, found);
    }
    return found;
  }

  async #load(policyRevision: string, dataRevision: string): Promise<Executor | Unavailable> {
    try {
      const policyFiles = await this.#objects.getBundle(policyRevision);
      const dataFiles = await this.#objects.getBundle(dataRevision);
      if (policyFiles === undefined) return new Unavailable('the policy bundle is not kept');
      if (dataFiles === undefined) return new Unavailable('the data bundle is not kept');
      const policy = await loadPolicy(policyFiles, this.#keys, { modules: {} });
      const data = await loadData(dataFiles, this.#keys);
      if (policy.revision !== policyRevision || data.revision !== dataRevision) {
        return new Unavailable('a kept bundle is not the one that its name says');
      }
      return await this.#executor({ policy, data });
    } catch (error) {
      return new Unavailable(`the bundles cannot be loaded (${codeOf(error)})`);
    }
  }

  async #executor(pair: LoadedPair): Promise<Executor | Unavailable> {
    const bytes = new Map<string, Uint8Array>();
    const digests: string[] = [];
    for (const name of BUILT_MODULES) {
      const digest = pair.policy.modules[name]?.core ?? '';
      const brought = name === 'guard' ? pair.policy.guard : undefined;
      const found = brought ?? (await this.#objects.get(digest)) ?? installed(name, digest);
      if (found === undefined) return new Unavailable(`the module ${name} ${digest} is not kept`);
      bytes.set(name, found);
      digests.push(digest);
    }
    const key = digests.join(' ');
    const modules = this.#modules.get(key) ?? loadModules((name) => bytes.get(name)!);
    this.#modules.set(key, modules);
    return executorOf(modules, pair);
  }
}

/** The module of this installation where it is the one of that time. */
function installed(name: (typeof BUILT_MODULES)[number], digest: string): Uint8Array | undefined {
  const bytes = moduleBytes(name);
  return moduleDigest(bytes) === digest ? bytes : undefined;
}
