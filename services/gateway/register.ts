// Registers tools: may this identity at all, may it for this service; then an intent row, all of the tools or none, an outcome row.
import type { Decision } from '../../runtime/decide/decision.ts';
import { type ErrorCode, PlatformError } from '../../runtime/errors.ts';
import type { JsonObject } from '../../runtime/json.ts';
import type { Caller } from '../common/caller.ts';
import { circumstancesOf } from './catalog.ts';
import type { Parts } from './parts.ts';
import { readRegistration } from './registration.ts';
import type { ToolRecord } from './tools.ts';

/** A tool that was not registered, and why. */
export type Rejection = {
  operation: string;
  code: ErrorCode;
  message: string;
  keyword?: string;
  pointer?: string;
};

export interface Registered {
  tools: string[];
  rejected: Rejection[];
  decision: Decision;
}

/**
 * Registers what a body describes. Tools that cannot be registered are told apart and leave the
 * others be. Throws a DeniedError, `input_invalid` or `openapi_invalid` for a body that describes
 * nothing, `database_unavailable`, `evidence_unavailable`.
 */
export async function registerTools(
  parts: Parts,
  caller: Caller,
  readBody: () => JsonObject,
): Promise<Registered> {
  const action = parts.ledger.begin(caller, 'registration', { catalog: 'register' });
  const circumstances = await circumstancesOf(parts, caller);
  const decision = parts.judge.registration(caller, circumstances, undefined);
  if (!decision.allow) {
    throw await parts.ledger.denial(action, [decision], 'denied', decision.reason);
  }
  // Only now is the body worth reading: it may be large.
  const { described, records, rejected } = readRegistration(parts, caller.identity, readBody());
  const ofService = parts.judge.registration(caller, circumstances, described);
  const decisions = [decision, ofService];
  if (!ofService.allow) {
    throw await parts.ledger.denial(action, decisions, 'denied', ofService.reason);
  }
  const accepted = await withoutClashes(parts, caller, records, rejected);
  const names = accepted.map(({ tool }) => tool.name);
  const credentials = accepted.flatMap(({ credential }) => credential?.name ?? []);
  await parts.ledger.intent(action, decisions, {
    service: described.service,
    tools: names,
    origins: accepted.length === 0 ? [] : [described.origin],
    credentials: [...new Set(credentials)],
  });
  try {
    await parts.tools.put(accepted);
  } catch (error) {
    const code = error instanceof PlatformError ? error.code : 'internal';
    const reason = { code, message: 'the tools could not be kept' };
    await parts.ledger.outcome(action, [], { outcome: 'error', reason });
    throw error;
  }
  await parts.ledger.outcome(action, [], {
    outcome: 'ok',
    detail: { tools: names.length, rejected: rejected.length },
  });
  return { tools: names, rejected, decision: ofService };
}

/**
 * A service may replace its own tools, never another's; and an agent only those that it registered,
 * or it could put itself between other agents and the operator's tools.
 */
async function withoutClashes(
  parts: Parts,
  caller: Caller,
  records: readonly ToolRecord[],
  rejected: Rejection[],
): Promise<ToolRecord[]> {
  const known = new Map((await parts.tools.list()).map((record) => [record.tool.name, record]));
  let room = parts.limits.tools - known.size;
  const accepted: ToolRecord[] = [];
  for (const record of records) {
    const { name } = record.tool;
    const present = known.get(name);
    const message = clash(caller, record, present) ?? noRoom(present, room, parts.limits.tools);
    if (message !== undefined) {
      rejected.push({ operation: name, code: 'tool_exists', message });
      continue;
    }
    if (present === undefined) room--;
    known.set(name, record);
    accepted.push(record);
  }
  return accepted;
}

function clash(
  { identity }: Caller,
  { tool }: ToolRecord,
  present: ToolRecord | undefined,
): string | undefined {
  if (present === undefined) return undefined;
  if (present.tool.service !== tool.service) {
    return `the service ${present.tool.service} already has a tool of this name`;
  }
  const isOperator = identity.agent === '';
  if (isOperator || present.registeredBy === identity.spiffe_id) return undefined;
  return 'somebody else registered a tool of this name';
}

function noRoom(
  present: ToolRecord | undefined,
  room: number,
  countMax: number,
): string | undefined {
  if (present !== undefined || room > 0) return undefined;
  return `there is no room for more than ${countMax} tools`;
}
