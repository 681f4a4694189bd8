// What no parser could read: in the evidence before it is answered, and bounded for each peer.
import { randomUUID } from 'node:crypto';
import { PlatformError } from '../../runtime/errors.ts';
import { type OwnAnswer, problemAnswer } from './answer.ts';
import type { Journal } from './journal.ts';
import type { Refusal } from './mesh-proxy.ts';
import type { ProxyMetrics } from './metrics.ts';

/** Rows that one peer can cause at once, and a second after that. */
const rows = { burst: 100, perSecond: 10 };
/** Peers whose rows are counted; beyond it those go that have been quiet. */
const peersMax = 10_000;

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

/** A bucket of rows a peer, which fills again as time passes. */
class RowBudget {
  readonly #buckets = new Map<string, { left: number; at: number }>();

  take(peer: string): boolean {
    const now = performance.now();
    const bucket = this.#buckets.get(peer) ?? { left: rows.burst, at: now };
    const gained = ((now - bucket.at) / 1000) * rows.perSecond;
    bucket.left = Math.min(rows.burst, bucket.left + gained);
    bucket.at = now;
    // The peer that was heard last stands last, so that the first ones are the quiet ones.
    this.#buckets.delete(peer);
    this.#buckets.set(peer, bucket);
    if (this.#buckets.size > peersMax) {
      this.#buckets.delete(this.#buckets.keys().next().value as string);
    }
    if (bucket.left < 1) return false;
    bucket.left -= 1;
    return true;
  }
}
