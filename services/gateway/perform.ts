// Performs a call that may go out: the credential, the request, what of the answer may pass, the outcome row.
import type { Decision } from '../../runtime/decide/decision.ts';
import { type ErrorCode, PlatformError } from '../../runtime/errors.ts';
import type { JsonObject, JsonValue } from '../../runtime/json.ts';
import type { Call, DecisionIds, Executed, ToolError } from './execute.ts';
import { redact, requireSmall } from './obligations.ts';
import { scrub, secretsIn } from './scrub.ts';
import { originOf, scannersFor } from './tools.ts';
import { type OutgoingRequest, readResult } from './upstream.ts';

/** After the intent row: what was refused rather than failed. */
const refusals: readonly ErrorCode[] = [
  ...(['guard_output_blocked', 'secret_denied'] as const),
  ...(['result_too_large', 'result_not_redactable'] as const),
];

/** The call and its outcome row; a failure of the tool is a result, not an exception. */
export async function perform(call: Call, outgoing: OutgoingRequest): Promise<Executed> {
  const { parts, action, record, session } = call;
  const before = call.decisions.size;
  const startedAt = performance.now();
  const facts: JsonObject = {};
  let done: { result: JsonValue } | { error: ToolError };
  try {
    done = await converse(call, outgoing, facts);
  } catch (error) {
    done = { error: toolError(error) };
  }
  const decisions = [...call.decisions.values()].slice(before);
  const detail = { ...facts, duration_ms: Math.round(performance.now() - startedAt) };
  if ('error' in done) {
    const { code, message } = done.error;
    await parts.ledger.outcome(action, decisions, {
      outcome: refusals.includes(code) ? 'denied' : 'error',
      reason: { code, message },
      detail,
    });
  } else {
    await parts.ledger.outcome(action, decisions, { outcome: 'ok', detail });
  }
  const seen = 'error' in done ? done.error.body : done.result;
  if (seen !== undefined)
    session.trace.recordResult(record.tool.name, seen, call.request.arguments);
  const ids = idsOf(call);
  if ('error' in done) return { kind: 'failed', error: done.error, decisions: ids };
  return { kind: 'done', result: done.result, decisions: ids };
}

/** Injects the credential, sends, and lets through of the answer only what the guard allows. */
async function converse(
  call: Call,
  outgoing: OutgoingRequest,
  facts: JsonObject,
): Promise<{ result: JsonValue } | { error: ToolError }> {
  const { parts, record, caller } = call;
  const use = record.credential;
  const secret = use && (await parts.credentials.read(use.name, originOf(record), caller));
  const headers = { ...outgoing.headers };
  if (use !== undefined && secret !== undefined) {
    headers[use.header] = use.format.replace('{value}', () => secret);
  }
  const response = await parts.outgoing.send({ ...outgoing, headers });
  facts.status = response.status;
  facts.bytes = response.body.byteLength;
  const obligations = call.decisions.get('authorization')?.obligations ?? [];
  requireSmall(response.body.byteLength, obligations);
  const raw = readResult(response, parts.record);
  const clean =
    use === undefined || secret === undefined ? raw : scrub(raw, secretsIn(use.format, secret));
  // For the operator, who may want another tool: this one shows the key it is given.
  if (clean !== raw) facts.redacted = true;
  const { result, paths } = redact(clean, obligations);
  if (paths.length > 0) facts.redacted_paths = paths;
  if (result !== null) {
    const text = typeof result === 'string' ? result : JSON.stringify(result);
    const guard = parts.judge.guard(caller, 'output', scannersFor(record.tool, 'output'), text);
    call.decisions.set('guard_output', guard);
    if (!guard.allow) return { error: withheld(guard) };
  }
  if (response.status >= 200 && response.status < 300) return { result };
  const message = `the tool answered with status ${response.status}`;
  return { error: { code: 'tool_failed', message, status: response.status, body: result } };
}

function withheld(guard: Decision): ToolError {
  if (guard.reason.code === 'input_too_large') {
    const message = 'the answer is too large to be scanned, so it is withheld';
    return { code: 'tool_response_too_large', message };
  }
  return {
    code: 'guard_output_blocked',
    message: 'the answer is withheld: the guard found something',
  };
}

/** Messages of platform errors are safe to show; those of others may quote a secret. */
function toolError(error: unknown): ToolError {
  if (error instanceof PlatformError) return { code: error.code, message: error.message };
  return { code: 'internal', message: 'the call failed unexpectedly' };
}

function idsOf(call: Call): DecisionIds {
  return Object.fromEntries([...call.decisions].map(([name, { id }]) => [name, id]));
}
