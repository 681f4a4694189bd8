// Routes of which every request has a caller, and every refusal a row of evidence.
import type { Boundary } from '../../runtime/decide/boundary.ts';
import { codeOf, PlatformError } from '../../runtime/errors.ts';
import type { JsonObject, JsonValue } from '../../runtime/json.ts';
import { type Caller, contextOf } from './caller.ts';
import { jsonResponse } from './http/json.ts';
import type { HttpRequest, HttpResponse, Route, RouteBoundary } from './http/port.ts';
import { DeniedError, type Ledger } from './ledger.ts';
import { problemResponse } from './problem.ts';

export type Handler = (caller: Caller, request: HttpRequest) => Promise<HttpResponse>;

export interface RecordedConfig {
  ledger: Ledger;
  clock: () => Date;
  /** The boundary of routes that name only their action, and of the rows of what is refused. */
  boundary: Boundary;
  /** Who asks; what it throws is refused like anything else. */
  callerOf(request: HttpRequest): Omit<Caller, 'context'>;
}

/**
 * Wraps a handler so that whatever it refuses leaves a row: a refusal without one gets it here,
 * under the code of its error.
 */
export function recordedRoutes(config: RecordedConfig) {
  return (method: string, path: string, at: string | RouteBoundary, handler: Handler): Route => ({
    method,
    path,
    boundary: typeof at === 'string' ? { boundary: config.boundary, action: at } : at,
    async handler(request) {
      let caller: Caller = { identity: nobody, context: contextOf(request, config.clock) };
      try {
        caller = { ...config.callerOf(request), context: caller.context };
        return await handler(caller, request);
      } catch (error) {
        const refusal = await recorded(config, caller, `${method} ${path}`, error);
        return refused(refusal, caller);
      }
    },
  });
}

const nobody = { spiffe_id: '', trust_domain: '', tenant: '', agent: '', role: '' };

/** The error to answer: the same, or that its row could not be written. */
async function recorded(
  { ledger, boundary }: RecordedConfig,
  caller: Caller,
  route: string,
  error: unknown,
): Promise<unknown> {
  if (error instanceof DeniedError || codeOf(error) === 'evidence_unavailable') return error;
  const action = ledger.begin(caller, boundary, { route });
  const message = error instanceof PlatformError ? error.message : 'something unexpected failed';
  try {
    await ledger.denial(action, [], codeOf(error), { code: codeOf(error), message });
    return error;
  } catch (unavailable) {
    return unavailable;
  }
}

function refused(error: unknown, caller: Caller): HttpResponse {
  const members: JsonObject = { request_id: caller.context.requestId };
  if (!(error instanceof DeniedError))
    return withRequestId(problemResponse(error, members), caller);
  members.reason = { ...error.reason };
  if (error.decision !== undefined) members.decision_id = error.decision.id;
  const { violations, ...data } = error.data;
  if (Array.isArray(violations)) members.violations = violations as JsonValue;
  const plain = new PlatformError(error.code, error.message, { data });
  return withRequestId(problemResponse(plain, members), caller, error.decision?.id);
}

/** A JSON answer that names its request and the decision that allowed it. */
export function answer(
  status: number,
  body: JsonValue,
  caller: Caller,
  decisionId?: string,
): HttpResponse {
  return withRequestId(jsonResponse(status, body), caller, decisionId);
}

function withRequestId(response: HttpResponse, caller: Caller, decisionId?: string): HttpResponse {
  const headers: Record<string, string> = {
    ...response.headers,
    'x-platform-request-id': caller.context.requestId,
  };
  if (decisionId !== undefined) headers['x-platform-decision-id'] = decisionId;
  return { ...response, headers };
}
