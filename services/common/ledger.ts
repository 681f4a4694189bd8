// Writes a service's evidence rows; whoever gets a rejection from here must not go on.
import { randomUUID } from 'node:crypto';
import type { Boundary } from '../../runtime/decide/boundary.ts';
import type { Decision } from '../../runtime/decide/decision.ts';
import { type ErrorCode, EvidenceError, PlatformError } from '../../runtime/errors.ts';
import type { EvidenceLog } from '../../runtime/evidence/log.ts';
import type { EvidenceDraft } from '../../runtime/evidence/row.ts';
import type { JsonObject } from '../../runtime/json.ts';
import type { Caller } from './caller.ts';

/** What an action is about; the same in all of its rows. */
export interface Action {
  id: string;
  caller: Caller;
  boundary: Boundary;
  /** Names only, never values. */
  subject: JsonObject;
}

/** A refusal that already has its row. */
export class DeniedError extends PlatformError {
  override readonly name = 'DeniedError';
  /** The decision that refused; none where there was nothing to decide about. */
  readonly decision: Decision | undefined;
  readonly reason: { code: string; message: string };

  constructor(
    code: ErrorCode,
    reason: { code: string; message: string },
    decision?: Decision,
    data?: JsonObject,
  ) {
    super(code, reason.message, data === undefined ? {} : { data });
    this.reason = reason;
    this.decision = decision;
  }
}

type RowFacts = Pick<EvidenceDraft, 'reason' | 'outcome' | 'detail'>;

export class Ledger {
  readonly #evidence: Pick<EvidenceLog, 'append' | 'putObject'>;
  readonly #clock: () => Date;

  constructor(evidence: Pick<EvidenceLog, 'append' | 'putObject'>, clock: () => Date) {
    this.#evidence = evidence;
    this.#clock = clock;
  }

  begin(caller: Caller, boundary: Boundary, subject: JsonObject): Action {
    const { actor } = caller;
    const both = actor === undefined ? subject : { ...subject, actor };
    return { id: randomUUID(), caller, boundary, subject: both };
  }

  /** Before the first effect: who, what, and every decision that allowed it. */
  async intent(action: Action, decisions: readonly Decision[], detail?: JsonObject): Promise<void> {
    await this.#append('intent', action, decisions, { detail });
  }

  /** Before the result is released. */
  async outcome(action: Action, decisions: readonly Decision[], facts: RowFacts): Promise<void> {
    await this.#append('outcome', action, decisions, facts);
  }

  /** Something that happened and needs no pair of rows, such as a reading of the catalog. */
  async event(action: Action, decisions: readonly Decision[], facts: RowFacts): Promise<void> {
    await this.#append('event', action, decisions, facts);
  }

  /** Leaves the row of a refusal, then returns the error to throw. */
  async denial(
    action: Action,
    decisions: readonly Decision[],
    code: ErrorCode,
    reason: { code: string; message: string },
    data?: JsonObject,
  ): Promise<DeniedError> {
    await this.#append('denial', action, decisions, { reason, outcome: 'denied' });
    const refusing = decisions.findLast((decision) => !decision.allow);
    return new DeniedError(code, reason, refusing, data);
  }

  /** Keeps a schema where the audit finds it again; cheap when it is there already. */
  async keep(bytes: Uint8Array): Promise<void> {
    await this.#evidence.putObject(bytes).catch(unavailable);
  }

  async #append(
    kind: EvidenceDraft['kind'],
    action: Action,
    decisions: readonly Decision[],
    facts: RowFacts,
  ): Promise<void> {
    const { identity, context } = action.caller;
    await this.#evidence
      .append({
        kind,
        action: action.id,
        request: context.requestId,
        time: this.#clock().toISOString(),
        spiffe_id: identity.spiffe_id,
        boundary: action.boundary,
        subject: action.subject,
        decisions,
        controls: [...new Set(decisions.flatMap((decision) => decision.controls))].sort(),
        openings: decisions.flatMap((decision) => decision.openings),
        ...facts,
      })
      .catch(unavailable);
  }
}

function unavailable(error: unknown): never {
  if (error instanceof PlatformError) throw error;
  const message = 'evidence cannot be written, so nothing may happen';
  throw new EvidenceError('evidence_unavailable', message, { cause: error });
}
