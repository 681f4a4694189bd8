// What the operator does through the control socket: sessions and approvals.
import { randomUUID } from 'node:crypto';
import type { Decision } from '../../runtime/decide/decision.ts';
import { PlatformError } from '../../runtime/errors.ts';
import type { JsonObject, JsonValue } from '../../runtime/json.ts';
import type { Caller } from '../common/caller.ts';
import type { Action } from '../common/ledger.ts';
import type { ApprovalRecord } from './approval-store.ts';
import type { Parts } from './parts.ts';

const promptCharactersMax = 64 * 1024;

/**
 * Begins an agent's session with the prompt that its person gave it. This is the one way for a
 * prompt to come in, and agents cannot reach it. Throws `input_invalid`.
 */
export async function openSession(
  parts: Parts,
  caller: Caller,
  body: JsonObject,
): Promise<{ id: string; decision: Decision }> {
  const { spiffe_id: spiffeId, prompt } = body;
  if (typeof spiffeId !== 'string' || typeof prompt !== 'string') {
    throw new PlatformError('input_invalid', '`spiffe_id` and `prompt` are strings');
  }
  if (prompt.length > promptCharactersMax || spiffeId.length > 2048) {
    throw new PlatformError('input_too_large', 'the prompt or the SPIFFE ID is too long');
  }
  const action = parts.ledger.begin(caller, 'console', { console: 'sessions', agent: spiffeId });
  const decision = await allowed(parts, action, 'operate', 'sessions');
  const id = randomUUID();
  // The row first: a prompt that no row tells of vouches for nothing. Opening cannot fail after it.
  await parts.ledger.event(action, [decision], { outcome: 'ok', detail: { session: id } });
  parts.sessions.open(spiffeId, prompt, id);
  return { id, decision };
}

/** Every approval that is still known, newest first, with what the person needs to judge it. */
export async function listApprovals(
  parts: Parts,
  caller: Caller,
): Promise<{ approvals: JsonValue[]; decision: Decision }> {
  const action = parts.ledger.begin(caller, 'console', { console: 'approvals' });
  const decision = await allowed(parts, action, 'view', 'approvals');
  const approvals = (await parts.approvals.list()).map(shown);
  await parts.ledger.event(action, [decision], {
    outcome: 'ok',
    detail: { approvals: approvals.length },
  });
  return { approvals, decision };
}

/** Takes a person's answer. Throws what `Approvals.answer` throws. */
export async function answerApproval(
  parts: Parts,
  caller: Caller,
  id: string,
  verdict: 'allow' | 'deny',
): Promise<{ approval: JsonValue; decision: Decision }> {
  const action = parts.ledger.begin(caller, 'console', { console: 'approvals', approval: id });
  const decision = await allowed(parts, action, 'approve', 'approvals');
  // The row first: an answer that nothing recorded must not free a call.
  await parts.ledger.intent(action, [decision], { verdict });
  try {
    const record = await parts.approvals.answer(id, verdict, caller.identity.spiffe_id);
    await parts.ledger.outcome(action, [], {
      outcome: 'ok',
      detail: { tool: record.tool, agent: record.spiffe_id, call_digest: record.call_digest },
    });
    return { approval: shown(record), decision };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code === 'evidence_unavailable') throw error;
    const reason = { code: error.code, message: error.message };
    await parts.ledger.outcome(action, [], { outcome: 'error', reason });
    throw error;
  }
}

async function allowed(
  parts: Parts,
  action: Action,
  verb: 'view' | 'approve' | 'operate',
  name: string,
): Promise<Decision> {
  const decision = parts.judge.console(action.caller, verb, name);
  if (decision.allow) return decision;
  throw await parts.ledger.denial(action, [decision], 'denied', decision.reason);
}

/** All but the signature, which only the gateway needs. */
function shown({ token: _token, ...record }: ApprovalRecord): JsonValue {
  return { ...record };
}
