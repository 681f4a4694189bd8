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
  /** Told of a comparison that was cut short and still let the change through. */
  onPartial?(what: string): void;
  /** Other limits, for tests. */
  limits?: Partial<GuardLimits>;
}

export interface GuardLimits {
  /** Generated requests a boundary that the change can affect. */
  count: number;
  /** Of the evidence, the last ones. */
  rowsMax: number;
  /** How long the comparison may take before it is cut short. */
  compareMs: number;
  /** With fewer different requests at one of these boundaries, a comparison that was cut short refuses. */
  comparedMin: number;
}

const LIMITS: GuardLimits = { count: 6000, rowsMax: 5000, compareMs: 60_000, comparedMin: 1000 };
/** Beyond the comparison: what is read and parsed before, and a thread that has to be ended. */
const ANSWER_MORE_MS = 60_000;
const NAMES_SHOWN = 5;

/** Compares what is to come into force with what is; remembers what it refused last. */
export class Guard {
  readonly #config: GuardConfig;
  readonly #limits: GuardLimits;
  #refused: { change: string; error: PlatformError } | undefined;
  #partial: string | undefined;

  constructor(config: GuardConfig) {
    this.#config = config;
    this.#limits = { ...LIMITS, ...config.limits };
  }

  /** What was not compared of the change that was let through last; undefined when all of it was. */
  partial(): string | undefined {
    return this.#partial;
  }

  /**
   * Resolves when nothing widens that is not accepted: `policy` is undefined where it stays, `data` is
   * what would decide. Rejects with `bundle_flip_unaccepted`, and leaves a row that says so; also when
   * the comparison itself fails, or was cut short before enough was compared. Entries for flips that are
   * no more refuse nothing here.
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
    try {
      const result = await this.#compare(old, now);
      const today = new Date().toISOString().slice(0, 10);
      const names = new Set(acceptance(result.flips, entries, today).refused.map(nameOf));
      const refused = result.flips.filter(({ name }) => names.has(name));
      if (refused.length > 0) throw unaccepted(refused, bundles);
      this.#partial = this.#judgePartial(result);
    } catch (error) {
      const refusal = error as PlatformError;
      await this.#record(refusal, old, now);
      // One that was not compared to its end may be the next time.
      if (refusal.data.flips !== undefined) this.#refused = { change, error: refusal };
      throw refusal;
    }
    if (this.#partial !== undefined) this.#config.onPartial?.(this.#partial);
  }

  /** What a comparison that was cut short left out; throws where that is too much. */
  #judgePartial({ boundaries, evidence }: DiffResult): string | undefined {
    const { count, compareMs, comparedMin } = this.#limits;
    const cut = boundaries.filter(({ isCut }) => isCut);
    if (cut.length === 0 && !evidence?.isCut) return undefined;
    const parts = cut.map(({ boundary, inputs }) => `${boundary} ${inputs} of ${count}`);
    if (evidence?.isCut) parts.push(`evidence ${evidence.rows} rows`);
    const what = `cut short after ${compareMs / 1000} s: ${parts.join(', ')}`;
    if (cut.every(({ inputs }) => inputs >= comparedMin)) return what;
    throw new BundleError(
      'bundle_flip_unaccepted',
      `the change could not be compared well enough, ${what}`,
      {
        hint: `each boundary needs ${comparedMin} requests: save the file again when the machine is less busy, or start without --guarded`,
      },
    );
  }

  async #accepted(): Promise<AcceptedFlip[]> {
    const files = this.#config.folders.map((folder) => join(folder, ACCEPTED_FILE));
    return (await Promise.all(files.filter(existsSync).map(readAccepted))).flat();
  }

  #compare(old: Side, now: Side): Promise<DiffResult> {
    const { state } = this.#config;
    const { count, rowsMax, compareMs } = this.#limits;
    const hasEvidence = existsSync(join(state.evidence, 'segment'));
    const evidence = hasEvidence ? { state, storedOpenings: true, rowsMax } : undefined;
    const cost = { count, timeoutMs: compareMs, threads: 1, onlyAffected: true };
    const options = { seed: '1', evidence, ...cost };
    return inWorker({ old, now, options }, compareMs + ANSWER_MORE_MS);
  }

  /** Names and rules only: an example could hold what a request held. */
  async #record(error: PlatformError, old: Side, now: Side): Promise<void> {
    const flips = (error.data.refused ?? []) as JsonObject[];
    const action = randomUUID();
    await this.#config.evidence.append({
      ...{ kind: 'denial', action, request: action, time: new Date().toISOString() },
      ...{ spiffe_id: '', boundary: 'console', decisions: [], outcome: 'denied' },
      subject: { bundle: now.revision ?? '', in_force: old.revision ?? '' },
      reason: { code: error.code, message: error.message },
      controls: ['NIST:CM-3', 'SOC2:CC8.1'],
      detail: { flips },
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
        refused: flips.map(({ name, kind, from, to, change }) => ({
          name,
          kind,
          from,
          to,
          change,
        })),
        errors: flips.map(({ name, kind, places, changed, change }) => {
          const [place] = [...changed.now, ...places.now, ...changed.old, ...places.old];
          const { file, row, source } = place ?? {};
          return { code: kind, message: `${name} ("change":"${change}")`, file, row, source };
        }),
      },
      hint: `see it with: platform policy diff ${bundles} FOLDER; if it is wanted, name each with its change in ${ACCEPTED_FILE} in that folder`,
    },
  );
}

/** The comparison takes seconds of a processor, which calls that are served meanwhile shall not notice. */
function inWorker(task: GuardTask, answerMs: number): Promise<DiffResult> {
  const failed = (cause?: unknown) =>
    new BundleError('bundle_flip_unaccepted', 'the change could not be compared', {
      cause,
      hint: cause instanceof Error ? cause.message : 'try again, or start without --guarded',
    });
  const worker = new Worker(new URL('./guard-worker.ts', import.meta.url), { workerData: task });
  return new Promise<DiffResult>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(failed(new Error(`it took over ${answerMs / 1000} s`)));
      void worker.terminate();
    }, answerMs);
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

function nameOf({ name }: { name: string }): string {
  return name;
}

function sameJson(a: JsonObject, b: JsonObject): boolean {
  return canonical(a) === canonical(b);
}
