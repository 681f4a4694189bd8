// The operator's view of one machine: status, calls and telemetry, for the control socket and the page.
import { PlatformError } from '../../runtime/errors.ts';
import type { JsonObject, JsonValue } from '../../runtime/json.ts';
import type { HttpRequest, Route } from '../common/http/port.ts';
import type { OperatorGate } from '../common/operator.ts';
import { assetRoutes } from './assets.ts';
import type { CallFeed, CallQuery } from './calls.ts';
import { guarded, type PageGuard } from './page-guard.ts';

export interface ConsoleConfig {
  gate: OperatorGate;
  calls: CallFeed;
  /** Everything that `platform status` prints. */
  status(): Promise<JsonObject>;
  telemetry(): Promise<JsonObject>;
  /** `{picture}` of the rules behind a decision of the evidence, as runtime/explain draws it. */
  explain(decisionId: string): Promise<JsonObject>;
}

export interface Console {
  /** GET /api/v1/status, /api/v1/calls, /api/v1/telemetry and /api/v1/decisions/:id/explanation. */
  routes: Route[];
  /** The page's files, these routes and `others`, behind the page's guard. */
  pageRoutes(guard: PageGuard, others: readonly Route[]): Route[];
}

const waitSecondsMax = 60;
const spiffeIdsMax = 64;

/** Creates the console; it listens nowhere itself. */
export function createConsole(config: ConsoleConfig): Console {
  const boundary = { boundary: 'console', action: 'view' };
  const routes: Route[] = [
    {
      ...{ method: 'GET', path: '/api/v1/status', boundary },
      handler: () => config.gate.view('status', config.status),
    },
    {
      ...{ method: 'GET', path: '/api/v1/telemetry', boundary },
      handler: () => config.gate.view('telemetry', config.telemetry),
    },
    {
      ...{ method: 'GET', path: '/api/v1/calls', boundary },
      handler: (request) => config.gate.view('calls', () => listCalls(config.calls, request)),
    },
    {
      ...{ method: 'GET', path: '/api/v1/decisions/:id/explanation', boundary },
      handler: ({ params }) =>
        config.gate.view('explanation', () => config.explain(decisionId(params.id ?? ''))),
    },
  ];
  return {
    routes,
    pageRoutes: (guard, others) =>
      [...assetRoutes(), ...routes, ...others].map((route) => guarded(route, guard)),
  };
}

/** `?after=SEQUENCE&wait=SECONDS&spiffe_id=…&spiffe_id=…`: waits for news where there is none. */
async function listCalls(calls: CallFeed, request: HttpRequest): Promise<JsonObject> {
  const spiffeIds = request.query.getAll('spiffe_id');
  if (spiffeIds.length > spiffeIdsMax) {
    throw new PlatformError('input_invalid', `more than ${spiffeIdsMax} identities`);
  }
  const query: CallQuery = {
    after: numberOf(request, 'after', -1, Number.MAX_SAFE_INTEGER),
    ...(spiffeIds.length > 0 ? { spiffeIds } : {}),
  };
  const waitMs = numberOf(request, 'wait', 0, waitSecondsMax) * 1000;
  const found = await calls.next(query, waitMs, request.signal);
  return { calls: found as unknown as JsonValue, sequence: calls.sequence };
}

function decisionId(text: string): string {
  if (/^[0-9a-f]{64}$/.test(text)) return text;
  throw new PlatformError('input_invalid', 'a decision id has 64 hex digits');
}

function numberOf(request: HttpRequest, name: string, missing: number, max: number): number {
  const text = request.query.get(name);
  if (text === null) return missing;
  const value = Number(text);
  if (!Number.isInteger(value) || value < -1 || value > max) {
    throw new PlatformError('input_invalid', `${name} is a whole number up to ${max}`);
  }
  return value;
}
