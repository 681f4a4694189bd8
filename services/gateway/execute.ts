// Executes one tool call: every decision, then the intent row; perform.ts does the rest.
import type { Decision } from '../../runtime/decide/decision.ts';
import { type ErrorCode, PlatformError } from '../../runtime/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../runtime/json.ts';
import type { Caller } from '../common/caller.ts';
import type { Action } from '../common/ledger.ts';
import type { Circumstances } from './judge.ts';
import { httpRequestFor } from './openapi/request.ts';
import { park, questionOf } from './park.ts';
import type { Parts } from './parts.ts';
import { perform } from './perform.ts';
import { type Session, sessionFacts } from './sessions.ts';
import { originOf, scannersFor, type ToolRecord } from './tools.ts';
import type { OutgoingRequest } from './upstream.ts';
import type { Counted } from './usage.ts';
import { withNames } from './violations.ts';

export interface ExecuteRequest {
  tool: string;
  arguments: JsonObject;
  /** An approval that was given for exactly this call. */
  approval?: string;
  /** How long to wait for a person, should policy park the call. */
  waitMs: number;
  /** Aborted when the caller no longer waits. */
  signal: AbortSignal;
}

export type DecisionIds = { [name: string]: string };

export type Executed =
  | { kind: 'done'; result: JsonValue; decisions: DecisionIds }
  | { kind: 'failed'; error: ToolError; decisions: DecisionIds }
  | { kind: 'parked'; approval: { id: string; question: string; expires_at: string } };

/** Why there is no result; `status` and `body` are the tool's own answer. */
export type ToolError = { code: ErrorCode; message: string; status?: number; body?: JsonValue };

/** One call on its way; `decisions` grows as it goes. */
export interface Call {
  parts: Parts;
  caller: Caller;
  action: Action;
  record: ToolRecord;
  request: ExecuteRequest;
  session: Session;
  circumstances: Circumstances;
  counted: Counted;
  provenance: JsonObject;
  decisions: Map<string, Decision>;
}

/**
 * Executes a call for a caller. Resolves with the tool's result, with the tool's failure, or with
 * the approval that the call waits for. Throws a DeniedError, whose row is written, or another
 * PlatformError (`evidence_unavailable`, `database_unavailable`, …), after which nothing was sent
 * unless an intent row says so.
 */
export async function execute(
  parts: Parts,
  caller: Caller,
  request: ExecuteRequest,
): Promise<Executed> {
  const action = parts.ledger.begin(caller, 'tool', { tool: request.tool });
  const counters = await parts.counters.count(caller.identity);
  const record = await parts.tools.get(request.tool);
  if (record === undefined) {
    const reason = { code: 'tool_unknown', message: 'there is no tool of this name' };
    throw await parts.ledger.denial(action, [], 'tool_unknown', reason);
  }
  const session = parts.sessions.of(caller.identity.spiffe_id);
  const call: Call = {
    parts,
    caller,
    action,
    record,
    request,
    session,
    circumstances: { counters, session: sessionFacts(session) },
    counted: await parts.usage.count(caller.identity, record.tool),
    provenance: session.trace.provenanceOf(request.arguments) as JsonObject,
    decisions: new Map(),
  };
  const ready = await unlessUnsent(call);
  if ('kind' in ready) return ready;
  session.calls++;
  return perform(call, ready);
}

/** The request that may go out, or the approval that the call waits for; only what goes out costs. */
async function unlessUnsent(call: Call): Promise<OutgoingRequest | Executed> {
  let isReady = false;
  try {
    const parked = await judge(call);
    if (parked !== undefined) return parked;
    const outgoing = await prepare(call);
    isReady = true;
    return outgoing;
  } finally {
    // What cannot be given back stays spent: a budget may be too tight for a while, never too wide.
    if (!isReady) await call.counted.giveBack().catch(() => undefined);
  }
}

/** All decisions about the call itself; resolves with the approval it waits for, if any. */
async function judge(call: Call): Promise<Executed | undefined> {
  const { parts, caller, record, request } = call;
  const authorization = authorize(call, null);
  const question = questionOf(authorization);
  if (!authorization.allow && question === undefined) throw await denied(call, 'denied');
  // Kept before the first row that names it, so that the audit can always recompute the decision.
  await parts.ledger.keep(parts.judge.schemaBytes(record.tool));
  const fit = parts.judge.arguments(caller, record.tool, request.arguments);
  call.decisions.set('arguments', fit);
  if (!fit.allow) throw await denied(call, 'arguments_invalid', fit);
  const text = textOf(request.arguments);
  const guard = parts.judge.guard(caller, 'input', scannersFor(record.tool, 'input'), text);
  call.decisions.set('guard', guard);
  if (!guard.allow) throw await denied(call, 'guard_blocked');
  if (question === undefined) return undefined;
  const parking = await park(call, question);
  if ('parked' in parking) return parking.parked;
  const approved = authorize(call, parking.approval);
  if (!approved.allow || questionOf(approved) !== undefined) {
    throw await denied(call, parking.approval.verdict === 'deny' ? 'approval_denied' : 'denied');
  }
  return undefined;
}

/**
 * The keys and strings of the arguments in canonical order, each on a line of its own. Not their JSON,
 * in which an argument that is named `password` would itself look like a password in a text.
 */
export function textOf(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).filter(Boolean).join('\n');
  if (!isJsonObject(value)) return '';
  const lines = Object.keys(value)
    .sort()
    .flatMap((key) => [key, textOf(value[key]!)]);
  return lines.filter(Boolean).join('\n');
}

function authorize(
  call: Call,
  approval: Parameters<Parts['judge']['call']>[2]['approval'],
): Decision {
  const decision = call.parts.judge.call(call.caller, call.record.tool, {
    ...call.circumstances,
    counters: { ...call.circumstances.counters, ...call.counted.counts },
    arguments: call.request.arguments,
    provenance: call.provenance,
    approval,
  });
  call.decisions.set('authorization', decision);
  return decision;
}

/** Builds the request and leaves the intent row; only then may a byte go out. */
async function prepare(call: Call): Promise<OutgoingRequest> {
  const { parts, caller, record, action } = call;
  let outgoing: OutgoingRequest;
  try {
    outgoing = httpRequestFor(record, call.request.arguments);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const reason = { code: error.code, message: error.message };
    const violation = { keyword: 'binding', pointer: '', ...error.data, message: error.message };
    const decisions = [...call.decisions.values()];
    throw await parts.ledger.denial(action, decisions, 'arguments_invalid', reason, {
      violations: [violation],
    });
  }
  if (record.credential !== undefined) {
    const use = record.credential;
    const decision = parts.judge.credential(caller, record, use, call.circumstances);
    call.decisions.set('credential', decision);
    if (!decision.allow) throw await denied(call, 'denied');
  }
  await parts.ledger.intent(action, [...call.decisions.values()], {
    method: outgoing.method,
    origin: originOf(record),
  });
  return outgoing;
}

async function denied(call: Call, code: ErrorCode, fit?: Decision): Promise<PlatformError> {
  const decisions = [...call.decisions.values()];
  const refusing = decisions.findLast((decision) => !decision.allow) ?? decisions.at(-1);
  const reason = refusing?.reason ?? { code, message: code };
  const violations = fit?.output.violations;
  const { ledger } = call.parts;
  if (!Array.isArray(violations)) {
    // The validator itself failed: that says nothing about the arguments.
    const plain = fit === undefined ? code : 'denied';
    return ledger.denial(call.action, decisions, plain, reason);
  }
  return ledger.denial(call.action, decisions, code, reason, {
    violations: withNames(violations, call.request.arguments),
  });
}
