// What happened lately, folded from evidence rows as they are committed: one entry a call.
import type { RowContent, RowDecision } from '../../runtime/evidence/row.ts';
import { isJsonObject, type JsonObject } from '../../runtime/json.ts';

export type Verdict = 'allowed' | 'denied' | 'parked';

/** One action of an agent or operator, from its intent or denial to its outcome. */
export interface Call {
  action: string;
  /** Sequence of the last row that changed it: readers ask for what is newer. */
  sequence: number;
  time: string;
  spiffeId: string;
  boundary: string;
  subject: JsonObject;
  verdict: Verdict;
  rule: string;
  reason: { code: string; message: string } | undefined;
  /** The decision that settled the verdict; empty when the caller was never attested. */
  decisionId: string;
  decisionIds: string[];
  /** Missing while the call runs. */
  outcome: string | undefined;
}

export interface CallQuery {
  /** Only calls changed after this row. */
  after?: number;
  /** Only calls of these identities. */
  spiffeIds?: readonly string[];
  /** Operators' own views and changes are left out unless this is set. */
  withConsole?: boolean;
}

const callsMax = 1000;

/** Keeps the last thousand calls and wakes whoever waits for the next. */
export class CallFeed {
  readonly #calls = new Map<string, Call>();
  readonly #waiting = new Set<() => void>();
  #sequence = -1;

  /** The sequence of the last row seen. */
  get sequence(): number {
    return this.#sequence;
  }

  accept(row: RowContent): void {
    this.#sequence = Math.max(this.#sequence, row.sequence);
    const known = this.#calls.get(row.action);
    // A changed call moves to the end, so that the oldest is always the first to go.
    this.#calls.delete(row.action);
    this.#calls.set(row.action, known === undefined ? begun(row) : changed(known, row));
    for (const action of this.#calls.keys()) {
      if (this.#calls.size <= callsMax) break;
      this.#calls.delete(action);
    }
    if (row.boundary === 'console') return;
    for (const wake of this.#waiting) wake();
  }

  /** Oldest first. */
  list(query: CallQuery = {}): Call[] {
    const { after = -1, spiffeIds, withConsole = false } = query;
    const wanted = [...this.#calls.values()].filter(
      (call) =>
        call.sequence > after &&
        (withConsole || call.boundary !== 'console') &&
        (spiffeIds === undefined || spiffeIds.includes(call.spiffeId)),
    );
    return structuredClone(wanted);
  }

  /** Resolves when a query has an answer, at the latest after `waitMs` or when aborted. */
  async next(query: CallQuery, waitMs: number, signal?: AbortSignal): Promise<Call[]> {
    const deadline = Date.now() + waitMs;
    for (;;) {
      const found = this.list(query);
      const left = deadline - Date.now();
      if (found.length > 0 || left <= 0 || signal?.aborted) return found;
      await this.#change(left, signal);
    }
  }

  #change(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', wake);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, waitMs);
      signal?.addEventListener('abort', wake);
      this.#waiting.add(wake);
    });
  }
}

function begun(row: RowContent): Call {
  const settled = settling(row);
  return {
    action: row.action,
    sequence: row.sequence,
    time: row.time,
    spiffeId: row.spiffe_id,
    boundary: row.boundary,
    subject: row.subject,
    verdict: verdictOf(row),
    rule: ruleOf(row, settled),
    reason: row.reason,
    decisionId: settled?.id ?? '',
    decisionIds: row.decisions.map(({ id }) => id),
    outcome: row.kind === 'denial' ? 'denied' : row.outcome,
  };
}

/** The rule that settled it; where every decision allowed what was refused all the same, the reason. */
function ruleOf(row: RowContent, settled: RowDecision | undefined): string {
  if (settled === undefined) return undecidedRule(row);
  if (row.kind === 'denial' && !isDenial(settled)) return row.reason?.code ?? undecidedRule(row);
  const { rule } = isJsonObject(settled.output) ? settled.output : {};
  return typeof rule === 'string' ? rule : settled.module;
}

/** Who refused what no module judged: the attestor, or the reader of the request. */
function undecidedRule(row: RowContent): string {
  const byIdentity = ['caller_unknown', 'role_not_allowed', 'process_gone', 'unauthenticated'];
  return byIdentity.includes(row.reason?.code ?? '') ? 'identity' : 'request';
}

/** A later row of the same action: an outcome, or the decision that an approval led to. */
function changed(call: Call, row: RowContent): Call {
  const decisionIds = [...call.decisionIds, ...row.decisions.map(({ id }) => id)].slice(-32);
  const decidedAnew = row.kind === 'intent' || row.kind === 'denial';
  if (decidedAnew) return { ...begun(row), time: call.time, decisionIds };
  return {
    ...call,
    sequence: row.sequence,
    decisionIds,
    reason: row.reason ?? call.reason,
    outcome: row.outcome ?? call.outcome,
  };
}

function verdictOf(row: RowContent): Verdict {
  if (row.reason?.code === 'approval_required') return 'parked';
  return row.kind === 'denial' ? 'denied' : 'allowed';
}

/** Of several decisions, the one that made it so: the refusal, or what allowed it in the end. */
function settling(row: RowContent): RowDecision | undefined {
  if (row.kind === 'intent') {
    const allowing = row.decisions.filter((decision) => !isDenial(decision));
    const isOwn = (each: RowDecision) =>
      each.module === 'authorization' && each.boundary === row.boundary;
    return allowing.findLast(isOwn) ?? allowing[0];
  }
  return row.decisions.findLast(isDenial) ?? row.decisions[0];
}

function isDenial(decision: RowDecision): boolean {
  return isJsonObject(decision.output) && decision.output.allow !== true;
}
