// Registers tools: one decision, an intent row, all of the tools or none, an outcome row.
import type { Decision } from '../../runtime/decide/decision.ts';
import { type ErrorCode, PlatformError } from '../../runtime/errors.ts';
import type { JsonObject } from '../../runtime/json.ts';
import type { Caller } from './caller.ts';
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
  const action = parts.ledger.begin(caller, 'tool', { catalog: 'register' });
  const circumstances = await circumstancesOf(parts, caller);
  const decision = parts.judge.catalog(caller, 'register', circumstances);
  if (!decision.allow) {
    throw await parts.ledger.denial(action, [decision], 'denied', decision.reason);
  }
  // Only now is the body worth reading: it may be large.
  const { records, rejected } = readRegistration(parts, readBody());
  const accepted = await withoutClashes(parts, records, rejected);
  const names = accepted.map(({ tool }) => tool.name);
  await parts.ledger.intent(action, [decision], { tools: names.slice(0, 2000) });
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
  return { tools: names, rejected, decision };
}

/** A service may replace its own tools, never another's. */
async function withoutClashes(
  parts: Parts,
  records: readonly ToolRecord[],
  rejected: Rejection[],
): Promise<ToolRecord[]> {
  const owners = new Map((await parts.tools.list()).map(({ tool }) => [tool.name, tool.service]));
  let room = parts.limits.tools - owners.size;
  const accepted: ToolRecord[] = [];
  for (const record of records) {
    const { name, service } = record.tool;
    const owner = owners.get(name);
    if (owner !== undefined && owner !== service) {
      const message = `the service ${owner} already has a tool of this name`;
      rejected.push({ operation: name, code: 'tool_exists', message });
    } else if (owner === undefined && room-- <= 0) {
      const message = `there is no room for more than ${parts.limits.tools} tools`;
      rejected.push({ operation: name, code: 'tool_exists', message });
    } else {
      owners.set(name, service);
      accepted.push(record);
    }
  }
  return accepted;
}
