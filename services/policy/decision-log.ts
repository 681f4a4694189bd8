// Decision logs in OPA's format: no committed field in clear, a bounded buffer, batches in order.
import { randomBytes, randomUUID } from 'node:crypto';
import { BOUNDARIES, committedFields } from '../../runtime/decide/boundary.ts';
import { commit } from '../../runtime/decide/commitment.ts';
import { findMembers, spliceMembers } from '../../runtime/decide/members.ts';
import { codeOf, PlatformError } from '../../runtime/errors.ts';
import type { Record as RecordModule } from '../../runtime/modules/record.ts';
import { objectText } from './answer.ts';
import type { Evaluated, Question } from './evaluate.ts';

/** Takes the JSON lines of some events, in order; rejects when they were not taken. */
export type LogSink = (events: readonly string[]) => Promise<void>;

export interface DecisionLogConfig {
  sink: LogSink;
  record: RecordModule;
  labels: Readonly<Record<string, string>>;
  clock?: () => Date;
  /** How long events gather before they are written; default 1,000. */
  delayMs?: number;
  onTrouble?: (error: unknown) => void;
}

const EVENTS_MAX = 10_000;
const BYTES_MAX = 16 << 20;
const BATCH_EVENTS = 500;
const BATCH_BYTES = 1 << 20;
const RETRY_MS = { first: 500, most: 60_000 };

/** Every field that any boundary commits: which one an input is meant for may not be known. */
const committedAnywhere = [
  ...new Set(BOUNDARIES.flatMap((boundary) => committedFields('authorization', boundary))),
];

/**
 * Writes an event for each answer, in OPA's form (labels, decision_id, path, input, result, bundles,
 * timestamp). Committed fields of the input stand as commitments, whose openings are kept nowhere; so
 * does the result of anything but a boundary's decision, which may repeat them. `masked` names them.
 */
export class DecisionLog {
  readonly #config: DecisionLogConfig;
  readonly #labels: string;
  #buffer: string[] = [];
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #failures = 0;
  #closed = false;
  written = 0;
  dropped = 0;
  /** Why the last batch was not written, if it was not. */
  trouble: string | undefined;

  constructor(config: DecisionLogConfig) {
    this.#config = config;
    this.#labels = JSON.stringify(config.labels);
  }

  get buffered(): number {
    return this.#buffer.length;
  }

  /** An answer was given. */
  decided(question: Question, evaluated: Evaluated): void {
    const { decision, snapshot, decisionId, result } = evaluated;
    const { policy, data } = snapshot.pair;
    const bundles = { policy: { revision: policy.revision }, data: { revision: data.revision } };
    const openings = decision?.openings.map(({ field }) => field) ?? [];
    const input = this.#committed(decision?.committedInput ?? question.input, openings);
    const masked = input.fields.map(pointerOf);
    const isClear = decision !== undefined || result === undefined;
    if (!isClear) masked.push('/result');
    this.#add(question, {
      decision_id: JSON.stringify(decisionId),
      bundles: JSON.stringify(bundles),
      input: input.text,
      result: isClear ? result : this.#commitment('result', Buffer.from(result)),
      masked: masked.length === 0 ? undefined : JSON.stringify(masked),
    });
  }

  /** There was no answer; the error's message may repeat the input, so only its code is kept. */
  failed(question: Question, error: unknown): void {
    const input = this.#committed(question.input);
    this.#add(question, {
      decision_id: JSON.stringify(randomUUID()),
      input: input.text,
      masked: JSON.stringify(input.fields.map(pointerOf)),
      error: JSON.stringify({ code: codeOf(error) }),
    });
  }

  /** Writes what there is; what cannot be written in one try is lost, and counted. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#writing;
    while (this.#buffer.length > 0) {
      const before = this.#buffer.length;
      await this.#write();
      if (this.#buffer.length === before) break;
    }
    this.dropped += this.#buffer.length;
    this.#buffer = [];
  }

  #add(question: Question, members: Record<string, string | undefined>): void {
    const event = objectText({
      labels: this.#labels,
      ...members,
      path: JSON.stringify(question.path.join('/')),
      timestamp: JSON.stringify((this.#config.clock?.() ?? new Date()).toISOString()),
    });
    this.#buffer.push(event);
    this.#bytes += event.length;
    this.#trim();
    this.#schedule();
  }

  /**
   * The input with every field in commitments that some boundary commits, whichever was asked: a caller
   * may send a tool's arguments anywhere. What is no object is one commitment; `done` are committed.
   */
  #committed(
    input: Uint8Array | undefined,
    done: readonly string[] = [],
  ): { text: string | undefined; fields: string[] } {
    if (input === undefined) return { text: undefined, fields: [] };
    if (done.includes('')) return { text: Buffer.from(input).toString(), fields: [''] };
    if (input[0] !== 0x7b) return { text: this.#commitment('', input), fields: [''] };
    const open = committedAnywhere.filter((field) => !done.includes(field));
    const members = findMembers(input, open);
    const values = members.map(({ name, start, end }) =>
      Buffer.from(this.#commitment(name, input.subarray(start, end))),
    );
    const text = Buffer.from(spliceMembers(input, members, values)).toString();
    return { text, fields: [...done, ...members.map(({ name }) => name)] };
  }

  #commitment(field: string, value: Uint8Array): string {
    const { commitment } = commit(this.#config.record, randomBytes(32), field, value);
    return Buffer.from(commitment).toString();
  }

  #schedule(): void {
    if (this.#closed || this.#timer !== undefined || this.#writing !== undefined) return;
    const backoff = RETRY_MS.first * 2 ** Math.min(this.#failures - 1, 10);
    const delay =
      this.#failures === 0
        ? (this.#config.delayMs ?? 1000)
        : Math.min(backoff, RETRY_MS.most) * (0.5 + Math.random() / 2);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#writing = this.#write().finally(() => {
        this.#writing = undefined;
        if (this.#buffer.length > 0) this.#schedule();
      });
    }, delay);
    this.#timer.unref();
  }

  async #write(): Promise<void> {
    let count = 0;
    for (let bytes = 0; count < this.#buffer.length && count < BATCH_EVENTS; count++) {
      bytes += this.#buffer[count]!.length;
      if (count > 0 && bytes > BATCH_BYTES) break;
    }
    const batch = this.#buffer.splice(0, count);
    this.#bytes -= lengthOf(batch);
    try {
      await this.#config.sink(batch);
    } catch (error) {
      this.#failures += 1;
      this.trouble = error instanceof PlatformError ? error.message : 'they cannot be written';
      this.#buffer.unshift(...batch);
      this.#bytes += lengthOf(batch);
      this.#trim();
      this.#config.onTrouble?.(error);
      return;
    }
    this.#failures = 0;
    this.trouble = undefined;
    this.written += batch.length;
  }

  /** The oldest goes first, as in OPA: what is going on now matters more. */
  #trim(): void {
    while (this.#buffer.length > EVENTS_MAX || this.#bytes > BYTES_MAX) {
      this.#bytes -= this.#buffer.shift()!.length;
      this.dropped += 1;
    }
  }
}

/** Where a field is in an event; the empty one is the whole input. */
function pointerOf(field: string): string {
  return field === '' ? '/input' : `/input/${field}`;
}

function lengthOf(events: readonly string[]): number {
  return events.reduce((sum, event) => sum + event.length, 0);
}
