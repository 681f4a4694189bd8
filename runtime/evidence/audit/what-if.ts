// Decides recorded inputs again under another policy: what would have been answered.
import type { JWK } from 'jose';
import { loadData } from '../../bundle/load.ts';
import type { LoadedData, LoadedPolicy } from '../../bundle/pair.ts';
import type { DecisionModule } from '../../decide/boundary.ts';
import { DECISION_TAG } from '../../decide/decide.ts';
import type { Executor } from '../../decide/execute.ts';
import { executorOf, type LoadedModules } from '../../decide/local.ts';
import { codeOf } from '../../errors.ts';
import type { RecordHashes } from '../hashes.ts';
import type { ObjectSource } from '../objects.ts';
import type { OpeningsSource } from '../openings.ts';
import { Unavailable } from './executors.ts';
import { Recent } from './recent.ts';
import type { RecordedDecision } from './recorded.ts';
import { isUnreadable, outputUnder } from './replay.ts';
import { Schemas } from './schemas.ts';

const DATA_KEPT = 16;

export interface WhatIfOptions {
  record: RecordHashes;
  /** Bundles and schemas that were kept with the evidence, and the keys that bundles must be signed with. */
  objects: ObjectSource;
  bundleKeys: readonly JWK[];
  openings: OpeningsSource;
  /** The policy to decide with, and the modules of this installation. */
  policy: LoadedPolicy;
  modules: LoadedModules;
  /** The data to decide with; by default that of each decision's time. */
  data?: LoadedData;
}

/** What the other policy makes of a recorded decision. */
export type Redecided =
  /** Nothing that decides is different: not asked. */
  | { kind: 'same' }
  /** The input could not be read at all, and no policy ever sees such a one. */
  | { kind: 'unreadable' }
  | { kind: 'undetermined'; why: string }
  | {
      kind: 'answered';
      /** Canonical JSON of the output, and the id that the decision would have. */
      output: Uint8Array;
      id: string;
    };

/** One policy over a log's history. */
export class WhatIf {
  readonly #options: WhatIfOptions;
  readonly #schemas: Schemas;
  readonly #executors = new Recent<Promise<Executor | Unavailable>>(DATA_KEPT);

  constructor(options: WhatIfOptions) {
    this.#options = options;
    this.#schemas = new Schemas(options.objects);
  }

  /** Decides the recorded input again, unless the same module under the same bundles decided it. */
  async decide(decision: RecordedDecision): Promise<Redecided> {
    const { policy, data, record, openings } = this.#options;
    const { boundary, module, data_revision } = decision;
    if (module !== 'authorization') {
      // These read neither policy nor data: the same bytes give the same answer.
      const listed = policy.modules[module as DecisionModule]?.core;
      if (listed === decision.module_digest) return { kind: 'same' };
    } else if (
      decision.policy_revision === policy.revision &&
      data_revision === (data?.revision ?? data_revision)
    ) {
      return { kind: 'same' };
    }
    if (isUnreadable(decision)) return { kind: 'unreadable' };
    const executor = await this.#executor(data?.revision ?? data_revision);
    if (executor instanceof Unavailable) return { kind: 'undetermined', why: executor.why };
    const output = await outputUnder(decision, executor, {
      ...{ record, openings, schemas: this.#schemas },
    });
    if (!(output instanceof Uint8Array)) return { kind: 'undetermined', why: output.why };
    const { revision } = executor.pair.data;
    const names = [DECISION_TAG, boundary, module, policy.revision, revision];
    const id = record.framedHex([...names, decision.inputBytes, output]);
    return { kind: 'answered', output, id };
  }

  #executor(revision: string): Promise<Executor | Unavailable> {
    return this.#executors.get(revision, () => this.#load(revision));
  }

  async #load(revision: string): Promise<Executor | Unavailable> {
    const { policy, modules, objects, bundleKeys } = this.#options;
    if (revision === '') return new Unavailable('the platform had no bundles then');
    try {
      const data = this.#options.data ?? (await loadKept(objects, revision, bundleKeys));
      if (data === undefined) return new Unavailable('the data bundle is not kept');
      if (data.revision !== revision) {
        return new Unavailable('a kept bundle is not the one that its name says');
      }
      return executorOf(modules, { policy, data });
    } catch (error) {
      return new Unavailable(`the data bundle cannot be loaded (${codeOf(error)})`);
    }
  }
}

async function loadKept(
  objects: ObjectSource,
  revision: string,
  keys: readonly JWK[],
): Promise<LoadedData | undefined> {
  const files = await objects.getBundle(revision);
  return files && loadData(files, keys);
}
