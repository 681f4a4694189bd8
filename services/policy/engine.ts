// The policies and data in force, swapped together: their decisions, their documents, their sources.
import type { JWK } from 'jose';
import { buildDataBundle, DATA } from '../../runtime/bundle/build.ts';
import { createBundleKey } from '../../runtime/bundle/keys.ts';
import { joined, loadData, loadPolicy } from '../../runtime/bundle/load.ts';
import type {
  BundleSource,
  LoadedData,
  LoadedPair,
  LoadedPolicy,
} from '../../runtime/bundle/pair.ts';
import type { BundleFiles } from '../../runtime/bundle/reader.ts';
import { signBundle } from '../../runtime/bundle/sign.ts';
import { createDecider, type Decider, type DeciderConfig } from '../../runtime/decide/decide.ts';
import { executorOf, type LoadedModules } from '../../runtime/decide/local.ts';
import { codeOf } from '../../runtime/errors.ts';
import type { JsonObject, JsonValue } from '../../runtime/json.ts';
import type { PolicyHost } from '../../runtime/modules/answer.ts';
import { Decisions } from '../../runtime/modules/decisions.ts';
import { OpaPolicy } from '../../runtime/modules/opa.ts';
import type { RegoFile } from '../../runtime/modules/rego.ts';
import type { CompilerThread } from './compiler-thread.ts';
import type { Compiled } from './compiler-worker.ts';
import { keyOf, type VirtualDocument } from './documents.ts';
import { parseExactly } from './json-text.ts';

/** All that one request is answered from. */
export interface Snapshot {
  pair: LoadedPair;
  /** The sources in force, in the order of their names. */
  files: RegoFile[];
  /** By file, the JSON text of OPA's syntax tree. */
  trees: Record<string, string>;
  /** What `data.json` holds, its numbers as they are written. */
  base: JsonObject;
  /** The same as a thread can be sent it. */
  data: JsonObject;
  /** By `keyOf` their path. */
  documents: ReadonlyMap<string, VirtualDocument>;
  /** Answers for each document. */
  module: PolicyHost;
}

export interface EngineConfig {
  modules: LoadedModules;
  compiler: CompilerThread;
  /** What the interpreter may use: that of the compiled policies. */
  capabilities: JsonObject;
}

interface PolicyInForce {
  loaded: LoadedPolicy;
  files: RegoFile[];
  compiled: Compiled;
}

/**
 * Takes bundles as they come and serves the last good ones. Nothing of a bundle is used before its
 * signature and digests are right; a bundle without keys is one of this machine's own files.
 */
export class PolicyEngine implements BundleSource {
  readonly decider: Decider;
  readonly #config: EngineConfig;
  #policy: PolicyInForce | undefined;
  #data: LoadedData | undefined;
  #snapshot: Snapshot | undefined;
  /** Bundles are taken one after another, so that an older one never replaces a newer one. */
  #taking: Promise<unknown> = Promise.resolve();

  constructor(config: EngineConfig) {
    this.#config = config;
    const { modules } = config;
    const executorFor: DeciderConfig['executorFor'] = (pair) => executorOf(modules, pair);
    this.decider = createDecider({ bundles: this, record: modules.record, executorFor });
  }

  current(): LoadedPair | undefined {
    return this.#snapshot?.pair;
  }

  snapshot(): Snapshot | undefined {
    return this.#snapshot;
  }

  /** Verifies, compiles and serves; throws a BundleError and changes nothing when it is not good. */
  takePolicy(files: BundleFiles, keys?: readonly JWK[]): Promise<string> {
    return this.#inTurn(async () => {
      const loaded = await loadPolicy(...(await trusted(files, 'policy', keys)));
      const known = this.#policy?.loaded.revision === loaded.revision ? this.#policy : undefined;
      const policy = known ?? { loaded, ...(await this.#compile(files)) };
      await this.#swap(policy, this.#data ?? (await noData()));
      return loaded.revision;
    });
  }

  /** The same for a data bundle. */
  takeData(files: BundleFiles, keys?: readonly JWK[]): Promise<string> {
    return this.#inTurn(async () => {
      const data = await loadData(...(await trusted(files, 'data', keys)));
      if (this.#policy === undefined) this.#data = data;
      else await this.#swap(this.#policy, data);
      return data.revision;
    });
  }

  /** The interpreter over what is in force. */
  interpret(
    snapshot: Snapshot,
    asked: {
      query: string;
      input?: JsonValue;
      explain?: string;
      pretty?: boolean;
      strict?: boolean;
    },
  ) {
    const { files, data } = snapshot;
    const { capabilities, compiler } = this.#config;
    return compiler.query({ files, capabilities, data, ...asked });
  }

  async #compile(files: BundleFiles): Promise<Omit<PolicyInForce, 'loaded'>> {
    const sources = [...files]
      .filter(([path]) => path.endsWith('.rego'))
      .map(([path, bytes]) => ({ path, content: Buffer.from(bytes).toString('utf8') }))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
    const { compiler, capabilities } = this.#config;
    return { files: sources, compiled: await compiler.compile({ files: sources, capabilities }) };
  }

  async #swap(policy: PolicyInForce, data: LoadedData): Promise<void> {
    const pair = await joined({ policy: policy.loaded, data });
    const text = Buffer.from(data.json).toString('utf8');
    const { documents, wasm, decisions, trees } = policy.compiled;
    this.#snapshot = {
      pair,
      files: policy.files,
      trees,
      // `loadData` has read it as an object.
      base: parseExactly(text) as JsonObject,
      data: JSON.parse(text) as JsonObject,
      documents: new Map(documents.map((document) => [keyOf(document.path), document])),
      module: hostOf(wasm, decisions, data.json),
    };
    this.#policy = policy;
    this.#data = data;
  }

  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.#taking.then(task);
    this.#taking = turn.catch(() => undefined);
    return turn;
  }
}

/** Files of this machine get a signature of the moment, so that one path verifies all digests. */
async function trusted(
  files: BundleFiles,
  kind: 'policy' | 'data',
  keys: readonly JWK[] | undefined,
): Promise<[BundleFiles, readonly JWK[]]> {
  if (keys !== undefined) return [files, keys];
  const own = await createBundleKey();
  const signed = new Map(files);
  await signBundle(signed, kind, own.privateKey);
  return [signed, [own.publicKey]];
}

async function noData(): Promise<LoadedData> {
  const { files } = buildDataBundle({});
  return { revision: buildDataBundle({}).revision, json: files.get(DATA)! };
}

/**
 * OPA's own module writes documents as OPA's server does, numbers in their own digits included; where a
 * policy uses built-ins that it does not have, ours answers, with numbers as RFC 8785 writes them.
 */
function hostOf(wasm: Uint8Array, decisions: Uint8Array | undefined, data: Uint8Array): PolicyHost {
  try {
    return OpaPolicy.create({ wasm, data });
  } catch (error) {
    if (decisions === undefined || codeOf(error) !== 'module_missing') throw error;
    return Decisions.create({ wasm: decisions, data });
  }
}
