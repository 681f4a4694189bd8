// The guard on the wire: paths to handlers, results to responses, nothing else.
import type { JsonObject } from '../../runtime/json.ts';
import { attestedPrincipal, type Caller } from '../common/caller.ts';
import { jsonResponse, readLargeJsonObject } from '../common/http/json.ts';
import type { HttpRequest, HttpResponse, Route } from '../common/http/port.ts';
import { answer, type Handler, recordedRoutes } from '../common/recorded.ts';
import { clientOf } from './compat/client.ts';
import { asItsError, readOutput, readPrompt, scannedNumbers } from './compat/llm-guard.ts';
import type { Parts } from './parts.ts';
import { sanitized } from './sanitize.ts';
import { type Asked, type Scanned, scan } from './scan.ts';
import { askedOutput, askedPrompt, scannedJson } from './wire.ts';

/** Two texts of 4 MiB, a prompt and its answer, with room for escapes; a text over its own limit is refused. */
export const scanBodyBytes = 12 * 1024 * 1024;

/** Every path below which this service answers requests of agents. */
export const scanPaths = ['/api/v1/scan', '/analyze', '/scan', '/healthz', '/readyz'];

function open(path: string, body: JsonObject): Route {
  return { method: 'GET', path, boundary: 'open', handler: async () => jsonResponse(200, body) };
}

/** The routes that agents and services reach through their proxy. */
export function guardRoutes(parts: Parts): Route[] {
  return [
    open('/health', { status: 'ok' }),
    open('/healthz', { status: 'alive' }),
    open('/readyz', { status: 'ready' }),
    open('/', { name: 'LLM Guard API' }),
    ...ownRoutes(parts),
    ...llmGuardRoutes(parts),
  ];
}

type Show = (scanned: Scanned, caller: Caller) => JsonObject;

function scanning(parts: Parts, read: (body: JsonObject) => Asked, show: Show): Handler {
  return async (caller: Caller, request: HttpRequest): Promise<HttpResponse> => {
    const asked = read(readLargeJsonObject(request, parts.record));
    const scanned = await scan(parts, caller, asked, request.signal);
    return answer(200, show(scanned, caller), caller, scanned.decision.id);
  };
}

function ownRoutes(parts: Parts): Route[] {
  const { ledger, clock } = parts;
  const route = recordedRoutes({ ledger, clock, boundary: 'scan', callerOf: attestedPrincipal });
  const post = (path: string, read: (body: JsonObject) => Asked): Route => ({
    ...route('POST', path, 'scan', scanning(parts, read, scannedJson)),
    bodyBytes: scanBodyBytes,
  });
  return [post('/api/v1/scan/prompt', askedPrompt), post('/api/v1/scan/output', askedOutput)];
}

function llmGuardRoutes(parts: Parts): Route[] {
  const { ledger, clock } = parts;
  const callerOf = (request: HttpRequest) => clientOf(parts, request);
  const route = recordedRoutes({ ledger, clock, boundary: 'scan', callerOf });
  const post = (path: string, read: (body: JsonObject) => Asked, show: Show): Route => {
    const inner = route('POST', path, 'scan', scanning(parts, read, show));
    const handler = async (request: HttpRequest) => asItsError(await inner.handler(request));
    return { ...inner, handler, bodyBytes: scanBodyBytes };
  };
  const withText =
    (name: string): Show =>
    (scanned, caller) => ({
      [name]: sanitized(parts.judge, caller, scanned),
      ...scannedNumbers(scanned),
    });
  return [
    post('/analyze/prompt', readPrompt, withText('sanitized_prompt')),
    post('/scan/prompt', readPrompt, scannedNumbers),
    post('/analyze/output', readOutput, withText('sanitized_output')),
    post('/scan/output', readOutput, scannedNumbers),
  ];
}
