// How far an audit is: over one line at a terminal, a line every few seconds elsewhere, or as JSON lines.
import type { AuditProgress } from '../../../runtime/evidence/audit/audit.ts';

export type ProgressForm = 'text' | 'json' | 'none';

const TERMINAL_EVERY_MS = 100;
const LINE_EVERY_MS = 5000;
const MEGABYTE = 1_000_000;

/** Where progress is written. */
export interface ProgressSink {
  isTTY?: boolean;
  write(text: string): unknown;
}

/** Says on standard error how far the walk over a log is. */
export class WalkProgress {
  readonly #form: ProgressForm;
  readonly #sink: ProgressSink;
  readonly #now: () => number;
  readonly #isTerminal: boolean;
  #said: number;
  #first: { at: number; rows: number; bytes: number } | undefined;
  #isDrawn = false;

  constructor(form: ProgressForm, sink: ProgressSink = process.stderr, now = performance.now) {
    this.#form = form;
    this.#sink = sink;
    this.#now = () => now.call(performance);
    this.#isTerminal = form === 'text' && sink.isTTY === true;
    this.#said = this.#now();
  }

  /** Rows that are audited, and where in the segment that is, for a log that is read as a whole. */
  at(rows: number, progress?: AuditProgress): void {
    if (this.#form === 'none') return;
    const now = this.#now();
    const { bytes = 0, total = 0 } = progress ?? {};
    // An audit that goes on from an earlier one has not done what lies before.
    this.#first ??= { at: now, rows, bytes };
    if (now - this.#said < (this.#isTerminal ? TERMINAL_EVERY_MS : LINE_EVERY_MS)) return;
    this.#said = now;
    const seconds = Math.max(now - this.#first.at, 1) / 1000;
    const rowsPerSecond = Math.round((rows - this.#first.rows) / seconds);
    const bytesPerSecond = (bytes - this.#first.bytes) / seconds;
    const etaSeconds =
      bytesPerSecond > 0 ? Math.round((total - bytes) / bytesPerSecond) : undefined;
    this.#say({ rows, bytes, total, rowsPerSecond, bytesPerSecond, etaSeconds });
  }

  /** Clears the line that was drawn. */
  end(): void {
    if (this.#isDrawn) this.#sink.write('\r\u001b[K');
    this.#isDrawn = false;
  }

  #say(state: State): void {
    if (this.#form === 'json') {
      const { rows, bytes, total, rowsPerSecond, etaSeconds = null } = state;
      const line = { rows, rows_per_second: rowsPerSecond, bytes, total, eta_seconds: etaSeconds };
      this.#sink.write(`${JSON.stringify(line)}\n`);
      return;
    }
    this.#isDrawn = this.#isTerminal;
    this.#sink.write(this.#isTerminal ? `\r\u001b[K${textOf(state)}` : `${textOf(state)}\n`);
  }
}

interface State {
  rows: number;
  bytes: number;
  total: number;
  rowsPerSecond: number;
  bytesPerSecond: number;
  etaSeconds: number | undefined;
}

function textOf({ rows, bytes, total, rowsPerSecond, bytesPerSecond, etaSeconds }: State): string {
  const parts = [`${rows} rows`];
  if (total > 0) parts.push(`${Math.min(100, (bytes / total) * 100).toFixed(1)} %`);
  parts.push(`${rowsPerSecond} rows/s`);
  if (total > 0) parts.push(`${(bytesPerSecond / MEGABYTE).toFixed(1)} MB/s`);
  if (etaSeconds !== undefined) parts.push(`${timeOf(etaSeconds)} left`);
  return parts.join(', ');
}

function timeOf(seconds: number): string {
  const [hours, rest] = [Math.floor(seconds / 3600), seconds % 3600];
  const minutes = Math.floor(rest / 60);
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${rest % 60} s` : `${rest} s`;
}
