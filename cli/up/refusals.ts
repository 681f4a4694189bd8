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

/**
 * Writes the denial row; `door` names where it happened. Where nobody was identified, the row has no
 * SPIFFE ID but the process, where the kernel knows it. Throws `evidence_unavailable` for whom too
 * many rows were written just now: whoever asks for what it may not have cannot fill the disk.
 */
export async function recordRefusal(
  evidence: Pick<EvidenceLog, 'append'>,
  door: JsonObject,
  { error, requestId, time, method, spiffeId, pid, uid }: ProxyRefusal,
  decision?: Decision,
): Promise<void> {
  if (!budget.take(spiffeId ?? `pid ${pid ?? 'unknown'}`)) {
    throw new EvidenceError('evidence_unavailable', 'too many refusals to put on record', {
      hint: 'wait a while, and ask only for what was granted',
    });
  }
  const process: JsonObject = pid === undefined ? {} : { pid, uid: uid ?? -1 };
  await evidence.append({
    kind: 'denial',
    action: randomUUID(),
    request: requestId,
    time,
    spiffe_id: spiffeId ?? '',
    boundary: 'mesh',
    subject: { ...door, method, ...process },
    decisions: decision === undefined ? [] : [decision],
    reason: decision?.reason ?? { code: error.code, message: error.message },
    controls: decision?.controls ?? ['NIST:IA-9', 'SOC2:CC6.1'],
    outcome: 'denied',
  });
}
