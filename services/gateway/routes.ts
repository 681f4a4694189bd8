// The gateway on the wire: paths to handlers, results and errors to responses, nothing else.
import type { Boundary } from '../../runtime/decide/boundary.ts';
import { PlatformError } from '../../runtime/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../runtime/json.ts';
import { attestedAgent, attestedOperator, type Caller, type Identity } from '../common/caller.ts';
import { jsonResponse, readJsonObject, readLargeJsonObject } from '../common/http/json.ts';
import {
  type HttpRequest,
  type HttpResponse,
  type Route,
  singleHeader,
} from '../common/http/port.ts';
import { answer, recordedRoutes } from '../common/recorded.ts';
import { getTool, listTools, searchTools, type ToolFilter } from './catalog.ts';
import { answerApproval, listApprovals, openSession } from './control.ts';
import type { ExecuteRequest } from './execute.ts';
import { observed } from './observed.ts';
import type { Parts } from './parts.ts';
import { registerTools } from './register.ts';

/** The routes that agents reach through their proxy. */
export function toolRoutes(parts: Parts): Route[] {
  const route = routeMaker(parts, attestedAgent);
  return [
    health,
    route('GET', '/api/v1/tools', 'list', async (caller, request) => {
      const shown = await listTools(parts, caller, filterOf(request));
      return answer(200, { tools: shown.value as unknown as JsonValue }, caller, shown.decision.id);
    }),
    route('GET', '/api/v1/tools/search', 'search', async (caller, request) => {
      const query = single(request, 'q') ?? '';
      const shown = await searchTools(parts, caller, query, filterOf(request));
      const results = shown.value as unknown as JsonValue;
      return answer(200, { results }, caller, shown.decision.id);
    }),
    route('GET', '/api/v1/tools/:name', 'get', async (caller, request) => {
      const shown = await getTool(parts, caller, request.params.name!);
      return answer(200, { ...shown.value } as unknown as JsonObject, caller, shown.decision.id);
    }),
    route('POST', '/api/v1/tools/:name/execute', 'call', (caller, request) =>
      executeOnWire(parts, caller, request),
    ),
    registration(parts, attestedAgent),
  ];
}

/** The routes that only the control socket serves: the caller is the operator. */
export function controlRoutes(parts: Parts): Route[] {
  const operator = (request: HttpRequest) => attestedOperator(request, parts.trustDomain);
  const route = routeMaker(parts, operator);
  const console = (action: string) => ({ boundary: 'console', action });
  return [
    registration(parts, operator),
    route('PUT', '/api/v1/sessions', console('operate'), async (caller, request) => {
      const body = readJsonObject(request, parts.record);
      const { id, decision } = await openSession(parts, caller, body);
      return answer(200, { id }, caller, decision.id);
    }),
    route('GET', '/api/v1/approvals', console('view'), async (caller) => {
      const { approvals, decision } = await listApprovals(parts, caller);
      return answer(200, { approvals }, caller, decision.id);
    }),
    route('POST', '/api/v1/approvals/:id', console('approve'), async (caller, request) => {
      const body = readJsonObject(request, parts.record);
      const { verdict } = body;
      if (verdict !== 'allow' && verdict !== 'deny') {
        throw new PlatformError('input_invalid', '`verdict` is `allow` or `deny`');
      }
      const { approval, decision } = await answerApproval(
        parts,
        caller,
        request.params.id!,
        verdict,
      );
      return answer(200, { approval }, caller, decision.id);
    }),
  ];
}

const health: Route = {
  method: 'GET',
  path: '/health',
  boundary: 'open',
  handler: async () => jsonResponse(200, { status: 'ok' }),
};

function registration(parts: Parts, identityOf: (request: HttpRequest) => Identity): Route {
  const route = routeMaker(parts, identityOf, 'registration');
  const path = '/api/v1/tools/register';
  return {
    ...route('POST', path, 'register', async (caller, request) => {
      const read = () => readLargeJsonObject(request, parts.record);
      const { tools, rejected, decision } = await registerTools(parts, caller, read);
      return answer(201, { tools, rejected }, caller, decision.id);
    }),
    bodyBytes: parts.limits.registrationBytes,
  };
}

async function executeOnWire(
  parts: Parts,
  caller: Caller,
  request: HttpRequest,
): Promise<HttpResponse> {
  const executed = await observed(parts, caller, executeRequest(parts, request));
  const { requestId } = caller.context;
  if (executed.kind === 'parked') {
    return answer(202, { approval: executed.approval, request_id: requestId }, caller);
  }
  const failed = executed.kind === 'failed';
  const body: JsonObject = {
    success: !failed,
    result: failed ? null : executed.result,
    error: failed ? { ...executed.error } : null,
    request_id: requestId,
    decisions: executed.decisions,
  };
  return answer(200, body, caller, executed.decisions.authorization);
}

function executeRequest(parts: Parts, request: HttpRequest): ExecuteRequest {
  const body = readJsonObject(request, parts.record);
  const args = body.arguments ?? {};
  if (!isJsonObject(args)) throw new PlatformError('input_invalid', '`arguments` is not an object');
  if (JSON.stringify(args).length > parts.limits.argumentsBytes) {
    const message = `the arguments are over ${parts.limits.argumentsBytes} bytes`;
    throw new PlatformError('input_too_large', message);
  }
  const approval = singleHeader(request.headers, 'x-platform-approval');
  if (approval === null) throw new PlatformError('request_malformed', 'more than one approval');
  return {
    tool: request.params.name!,
    arguments: args,
    ...(approval === undefined ? {} : { approval }),
    waitMs: waitOf(request, parts.limits.approvalWaitMs),
    signal: request.signal,
  };
}

/** `prefer: wait=SECONDS` (RFC 7240, section 4.3), never more than the gateway's own bound. */
function waitOf(request: HttpRequest, waitMsMax: number): number {
  for (const preference of (request.headers.get('prefer') ?? []).join(',').split(',')) {
    const [name, value = ''] = preference.trim().split('=');
    if (name !== 'wait' || !/^\d{1,6}$/.test(value)) continue;
    return Math.min(Number(value) * 1000, waitMsMax);
  }
  return waitMsMax;
}

function routeMaker(
  { ledger, clock }: Parts,
  identityOf: (request: HttpRequest) => Identity,
  boundary: Boundary = 'tool',
) {
  const callerOf = (request: HttpRequest) => ({ identity: identityOf(request) });
  return recordedRoutes({ ledger, clock, boundary, callerOf });
}

function filterOf(request: HttpRequest): ToolFilter {
  const tag = single(request, 'tag');
  const source = single(request, 'source');
  const service = single(request, 'service');
  return {
    ...(tag === undefined ? {} : { tag }),
    ...(source === undefined ? {} : { source }),
    ...(service === undefined ? {} : { service }),
  };
}

function single(request: HttpRequest, name: string): string | undefined {
  const values = request.query.getAll(name);
  if (values.length > 1) throw new PlatformError('request_malformed', `${name} is given twice`);
  return values[0];
}
