// The evidence of what the proxies refuse: who it was, as far as that is known, and why.
import { randomUUID } from 'node:crypto';
import type { Decision } from '../../runtime/decide/decision.ts';
import { EvidenceError, type PlatformError } from '../../runtime/errors.ts';
import type { EvidenceLog } from '../../runtime/evidence/log.ts';
import type { JsonObject } from '../../runtime/json.ts';
import { RowBudget } from '../../services/proxy/row-budget.ts';

export interface ProxyRefusal {
  error: PlatformError;
  requestId: string;
  time: string;
  /** Empty for a connection. */
  method: string;
  spiffeId: string | undefined;
  pid?: number | undefined;
  uid?: number | undefined;
}

const budget = new RowBudget();

/** The decisions about what was refused, as they were made once more for the row. */
export interface Redecided {
  decisions: readonly Decision[];
  reason: { code: string; message: string };
}

/**
 * Writes the denial row; `door` names where it happened. Where nobody was identified, the row has no
 * SPIFFE ID but the process, where the kernel knows it. Throws `evidence_unavailable` for whom too
 * many rows were written just now: whoever asks for what it may not have cannot fill the disk.
 */
export async function recordRefusal(
  evidence: Pick<EvidenceLog, 'append'>,
  door: JsonObject,
  { error, requestId, time, method, spiffeId, pid, uid }: ProxyRefusal,
  redecided?: Redecided,
): Promise<void> {
  if (!budget.take(spiffeId ?? `pid ${pid ?? 'unknown'}`)) {
    throw new EvidenceError('evidence_unavailable', 'too many refusals to put on record', {
      hint: 'wait a while, and ask only for what was granted',
    });
  }
  const decisions = redecided?.decisions ?? [];
  const process: JsonObject = pid === undefined ? {} : { pid, uid: uid ?? -1 };
  await evidence.append({
    kind: 'denial',
    action: randomUUID(),
    request: requestId,
    time,
    spiffe_id: spiffeId ?? '',
    boundary: 'mesh',
    subject: { ...door, method, ...process },
    decisions,
    openings: decisions.flatMap(({ openings }) => openings),
    reason: redecided?.reason ?? { code: error.code, message: error.message },
    controls: redecided === undefined ? ['NIST:IA-9', 'SOC2:CC6.1'] : controlsOf(decisions),
    outcome: 'denied',
  });
}

function controlsOf(decisions: readonly Decision[]): string[] {
  return [...new Set(decisions.flatMap(({ controls }) => controls))].sort();
}
