// Brings back the executor of any pair of revisions from the objects kept with the evidence.
import type { JWK } from 'jose';
import { loadData, loadPolicy } from '../../bundle/load.ts';
import type { LoadedPair } from '../../bundle/pair.ts';
import type { Executor } from '../../decide/execute.ts';
import { BUILT_MODULES, executorOf, type LoadedModules, loadModules } from '../../decide/local.ts';
import { codeOf } from '../../errors.ts';
import { moduleBytes, moduleDigest } from '../../modules/source.ts';
import type { ObjectSource } from '../objects.ts';
import { Recent } from './recent.ts';

/** Why a pair cannot be executed here; for people. */
export class Unavailable {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

const PAIRS_KEPT = 32;
const MODULE_SETS_KEPT = 8;

/** One pair of revisions and what is known of it. */
export interface RecordedPair {
  /** The executor, or why there is none; undefined until `load` was waited for. */
  executor: Executor | Unavailable | undefined;
  /** Resolves once `executor` is there. */
  load(): Promise<void>;
  /** For whoever replays under the pair: the first five fields of ids, framed, by boundary and module. */
  prefixes: Map<string, Uint8Array>;
}

/**
 * Loads pairs by revision, with the modules of their time by digest. Signatures and revisions of
 * bundles and digests of modules are checked again. The pairs that were asked for last are remembered,
 * so that rows of several pairs, one after the other, load each once.
 */
export class Executors {
  readonly #objects: ObjectSource;
  readonly #keys: readonly JWK[];
  readonly #pairs = new Recent<RecordedPair>(PAIRS_KEPT);
  readonly #modules = new Recent<LoadedModules>(MODULE_SETS_KEPT);
  #last: { policy: string; data: string; pair: RecordedPair } | undefined;

  constructor(objects: ObjectSource, keys: readonly JWK[]) {
    this.#objects = objects;
    this.#keys = keys;
  }

  /** The pair of these revisions. */
  pair(policyRevision: string, dataRevision: string): RecordedPair {
    const last = this.#last;
    // Nearly always the pair of the row before, with the very same texts.
    if (last?.policy === policyRevision && last.data === dataRevision) return last.pair;
    const pair = this.#find(policyRevision, dataRevision);
    this.#last = { policy: policyRevision, data: dataRevision, pair };
    return pair;
  }

  #find(policyRevision: string, dataRevision: string): RecordedPair {
    return this.#pairs.get(`${policyRevision} ${dataRevision}`, () => {
      let loading: Promise<void> | undefined;
      const pair: RecordedPair = {
        executor: undefined,
        load: () => {
          loading ??= this.#load(policyRevision, dataRevision).then((executor) => {
            pair.executor = executor;
          });
          return loading;
        },
        prefixes: new Map(),
      };
      return pair;
    });
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
    const modules = this.#modules.get(key, () => loadModules((name) => bytes.get(name)!));
    return executorOf(modules, pair);
  }
}

/** The module of this installation where it is the one of that time. */
function installed(name: (typeof BUILT_MODULES)[number], digest: string): Uint8Array | undefined {
  const bytes = moduleBytes(name);
  return moduleDigest(bytes) === digest ? bytes : undefined;
}
