// Refuses a change of policies or data that lets through what was held before, unless the change says so.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { BuiltBundle } from '../../runtime/bundle/build.ts';
import { readBundle } from '../../runtime/bundle/files.ts';
import { canonical } from '../../runtime/bundle/revision.ts';
import { BundleError, type PlatformError } from '../../runtime/errors.ts';
import type { EvidenceLog } from '../../runtime/evidence/log.ts';
import type { JsonObject } from '../../runtime/json.ts';
import {
  ACCEPTED_FILE,
  type AcceptedFlip,
  acceptance,
  readAccepted,
} from '../policy/diff/accepted.ts';
import type { DiffResult, Flip } from '../policy/diff/diff.ts';
import { readData, type Side, sideOfBundle } from '../policy/diff/side.ts';
import type { StateFolder } from '../state-folder.ts';
import type { GuardAnswer, GuardTask } from './guard-worker.ts';

export interface GuardConfig {
  state: StateFolder;
  /** Where `accepted-flips.json` may be, beside the policies. */
  folders: readonly string[];
  evidence: Pick<EvidenceLog, 'append'>;
}

/** Generated requests a boundary, rows of evidence, and how long both may take at most. */
const COUNT = 3000;
const ROWS_MAX = 5000;
const COMPARE_MS = 20_000;
const ANSWER_MS = 60_000;
const NAMES_SHOWN = 5;

/** Compares what is to come into force with what is; remembers what it refused last. */
export class Guard {
  readonly #config: GuardConfig;
  #refused: { change: string; error: PlatformError } | undefined;

  constructor(config: GuardConfig) {
    this.#config = config;
  }

  /**
   * Resolves when nothing widens that is not accepted: `policy` is undefined where it stays, `data` is
   * what would decide. Rejects with `bundle_flip_unaccepted`, and leaves a row that says so; also when
   * the comparison itself fails. Entries for flips that are no more refuse nothing here.
   */
  async check(policy: BuiltBundle | undefined, data: JsonObject): Promise<void> {
    const { bundles } = this.#config.state;
    if (!existsSync(join(bundles, 'policy')) || !existsSync(join(bundles, 'data'))) return;
    const files = await readBundle(join(bundles, 'policy'));
    const inForce = await readData(join(bundles, 'data'));
    const old = { ...sideOfBundle(files, 'in force'), data: inForce };
    const now = { ...(policy ? sideOfBundle(policy.files, 'candidate') : old), data };
    if (old.revision === now.revision && sameJson(inForce, data)) return;
    const entries = await this.#accepted();
    const change = JSON.stringify([old.revision, now.revision, data, entries]);
    if (this.#refused?.change === change) throw this.#refused.error;
    const refused = await this.#compare(old, now, entries);
    if (refused.length === 0) return;
    const error = unaccepted(refused, bundles);
    await this.#record(error, old, now, refused);
    this.#refused = { change, error };
    throw error;
  }

  async #accepted(): Promise<AcceptedFlip[]> {
    const files = this.#config.folders.map((folder) => join(folder, ACCEPTED_FILE));
    return (await Promise.all(files.filter(existsSync).map(readAccepted))).flat();
  }

  async #compare(old: Side, now: Side, entries: readonly AcceptedFlip[]): Promise<Flip[]> {
    const { state } = this.#config;
    const hasEvidence = existsSync(join(state.evidence, 'segment'));
    const evidence = hasEvidence ? { state, storedOpenings: true, rowsMax: ROWS_MAX } : undefined;
    const { flips } = await inWorker({
      ...{ old, now },
      options: { count: COUNT, seed: '1', timeoutMs: COMPARE_MS, threads: 1, evidence },
    });
    const names = acceptance(flips, entries, new Date().toISOString().slice(0, 10)).refused;
    return flips.filter(({ name }) => names.some((each) => each.name === name));
  }

  /** Names and rules only: an example could hold what a request held. */
  async #record(error: PlatformError, old: Side, now: Side, flips: readonly Flip[]): Promise<void> {
    const action = randomUUID();
    await this.#config.evidence.append({
      ...{ kind: 'denial', action, request: action, time: new Date().toISOString() },
      ...{ spiffe_id: '', boundary: 'console', decisions: [], outcome: 'denied' },
      subject: { bundle: now.revision ?? '', in_force: old.revision ?? '' },
      reason: { code: error.code, message: error.message },
      controls: ['NIST:CM-3', 'SOC2:CC8.1'],
      detail: {
        flips: flips.map(({ name, kind, from, to }) => ({ name, kind, from, to })),
      },
    });
  }
}

function unaccepted(flips: readonly Flip[], bundles: string): PlatformError {
  const names = flips.map(({ name }) => name);
  const more = names.length > NAMES_SHOWN ? ` and ${names.length - NAMES_SHOWN} more` : '';
  const shown = `${names.slice(0, NAMES_SHOWN).join(', ')}${more}`;
  return new BundleError(
    'bundle_flip_unaccepted',
    `the change lets through what was held before: ${shown}`,
    {
      data: {
        flips: names,
        errors: flips.map(({ name, kind, places, changed }) => {
          const [place] = [...changed.now, ...places.now, ...changed.old, ...places.old];
          const { file, row, source } = place ?? {};
          return { code: kind, message: name, file, row, source };
        }),
      },
      hint: `see it with: platform policy diff ${bundles} FOLDER; if it is wanted, name each in ${ACCEPTED_FILE} in that folder`,
    },
  );
}

/** The comparison takes seconds of a processor, which calls that are served meanwhile shall not notice. */
function inWorker(task: GuardTask): Promise<DiffResult> {
  const failed = (cause?: unknown) =>
    new BundleError('bundle_flip_unaccepted', 'the change could not be compared', {
      cause,
      hint: cause instanceof Error ? cause.message : 'try again, or start without --guarded',
    });
  const worker = new Worker(new URL('./guard-worker.ts', import.meta.url), { workerData: task });
  return new Promise<DiffResult>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(failed(new Error(`it took over ${ANSWER_MS / 1000} s`)));
      void worker.terminate();
    }, ANSWER_MS);
    worker.once('message', (answer: GuardAnswer) => {
      if ('result' in answer) resolve(answer.result);
      else reject(failed(new Error(answer.failure)));
    });
    worker.once('error', (cause) => reject(failed(cause)));
    worker.once('exit', () => {
      clearTimeout(timer);
      reject(failed());
    });
  });
}

function sameJson(a: JsonObject, b: JsonObject): boolean {
  return canonical(a) === canonical(b);
}
