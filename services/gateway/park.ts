// Parks a call that policy wants a person to see, and takes the person's answer.
import type { Decision } from '../../runtime/decide/decision.ts';
import { type ErrorCode, PlatformError } from '../../runtime/errors.ts';
import type { ApprovalRecord } from './approval-store.ts';
import type { BoundCall, VerifiedApproval } from './approvals.ts';
import type { Call, Executed } from './execute.ts';

/** The question of a decision that parks its call; undefined for any other decision. */
export function questionOf(decision: Decision): string | undefined {
  const asked = decision.obligations.filter(({ kind }) => kind === 'require_approval');
  if (asked.length === 0) return undefined;
  const questions = asked.map(({ question }) => (typeof question === 'string' ? question : ''));
  return questions.filter((question) => question !== '').join(' ') || 'Allow this call?';
}

/**
 * Resolves with the verified answer, or with the approval that is still waiting for one. Throws a
 * DeniedError when the approval that came with the call is not good for it.
 */
export async function park(
  call: Call,
  question: string,
): Promise<{ approval: VerifiedApproval } | { parked: Executed }> {
  const { parts, request } = call;
  const id = request.approval ?? (await ask(call, question)).id;
  try {
    const found = await parts.approvals.get(id);
    requireSameCaller(found, call);
    const record = await parts.approvals.wait(id, request.waitMs, request.signal);
    if (record.state === 'pending') {
      const { expires_at } = record;
      return {
        parked: { kind: 'parked', approval: { id, question: record.question, expires_at } },
      };
    }
    await requireSameTool(call);
    return { approval: await parts.approvals.present(id, boundCall(call)) };
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    throw await refused(call, error.code, error.message);
  }
}

async function ask(call: Call, question: string): Promise<ApprovalRecord> {
  const { parts, action, session } = call;
  const { approval: record, isNew } = await parts.approvals.ask(boundCall(call), question);
  // The person sees one question, however many calls wait for its answer.
  if (isNew) session.asked++;
  await parts.ledger.event(action, [...call.decisions.values()], {
    reason: { code: 'approval_required', message: 'the call waits for a person' },
    detail: {
      approval: record.id,
      call_digest: record.call_digest,
      expires_at: record.expires_at,
    },
  });
  return record;
}

/** An approval of somebody else is as unknown as one that never was. */
function requireSameCaller(record: ApprovalRecord, call: Call): void {
  if (record.spiffe_id !== call.caller.identity.spiffe_id) {
    throw new PlatformError('approval_unknown', 'there is no such approval');
  }
}

/**
 * While the call waited, its tool may have been replaced or its session ended. What was decided about
 * and would be performed is what the call began with, so that has to be what is still there.
 */
async function requireSameTool(call: Call): Promise<void> {
  const { parts, caller, record } = call;
  const tool = await parts.tools.get(record.tool.name);
  const session = parts.sessions.of(caller.identity.spiffe_id).id;
  const began = boundCall(call);
  const { approvals } = parts;
  if (
    tool === undefined ||
    approvals.callDigest({ ...began, tool, session }) !== approvals.callDigest(began)
  ) {
    const message = 'the tool or the session is another since the call began';
    throw new PlatformError('approval_mismatch', message);
  }
}

function boundCall({ caller, session, record, request }: Call): BoundCall {
  return {
    spiffe_id: caller.identity.spiffe_id,
    session: session.id,
    tool: record,
    arguments: request.arguments,
  };
}

function refused(call: Call, code: ErrorCode, message: string) {
  const decisions = [...call.decisions.values()];
  return call.parts.ledger.denial(call.action, decisions, code, { code, message });
}
