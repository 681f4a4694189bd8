// What no parser could read: in the evidence before it is answered, and bounded for each peer.
import { randomUUID } from 'node:crypto';
import { PlatformError } from '../../runtime/errors.ts';
import { type OwnAnswer, problemAnswer } from './answer.ts';
import type { Journal } from './journal.ts';
import type { Refusal } from './mesh-proxy.ts';
import type { ProxyMetrics } from './metrics.ts';
import { RowBudget } from './row-budget.ts';

/** Whom the refusal is counted against and written down for. */
export interface UnparsedPeer {
  /** Empty where nobody was identified: all of those share one budget. */
  source: string;
  destination: string;
}

export type UnparsedRefusals = (
  peer: UnparsedPeer,
  error: PlatformError,
  record: (facts: Omit<Refusal, 'spiffeId'>) => Promise<void> | undefined,
) => Promise<OwnAnswer | undefined>;

/**
 * Creates what resolves, once the row of a refused request is durable, to its answer: 503 where the row
 * could not be written. Undefined for a peer that has caused too many rows: it is cut unanswered, and
 * counted only, so that a flood of garbage fills no disk.
 */
export function unparsedRefusals(
  journal: Journal,
  metrics: ProxyMetrics,
  clock: () => Date,
): UnparsedRefusals {
  const budget = new RowBudget();
  return async ({ source, destination }, error, record) => {
    if (!budget.take(source)) {
      metrics.refused(error.code);
      return undefined;
    }
    const requestId = randomUUID();
    const time = clock().toISOString();
    let answered = error;
    try {
      await record({ error, requestId, time, method: '', service: '' });
    } catch (cause) {
      answered = new PlatformError('evidence_unavailable', 'the refusal could not be recorded', {
        cause,
      });
    }
    const { code: reason } = answered;
    journal.connection({ source, destination, reason, time, requestId });
    return problemAnswer(answered, { request_id: requestId });
  };
}
