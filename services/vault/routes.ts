// The vault on the wire: paths to handlers, results to responses, nothing else.
import { attestedOperator, attestedPrincipal, type Caller } from '../common/caller.ts';
import { jsonResponse, readJsonObject } from '../common/http/json.ts';
import type { HttpRequest, HttpResponse, Route } from '../common/http/port.ts';
import { answer, recordedRoutes } from '../common/recorded.ts';
import { deleteSecret, putSecret, restoreSecret } from './change.ts';
import { listSecrets } from './list.ts';
import { namedScope, requireKey, requireScope } from './names.ts';
import { observed } from './observed.ts';
import type { Parts } from './parts.ts';
import { getSecret, getSecrets, listVersions } from './read.ts';
import { rotateMasterKey, rotationProgress } from './rotate.ts';
import { type Asker, agentAsker } from './target.ts';
import {
  batchItemJson,
  checkOf,
  expiryOf,
  flag,
  keysOf,
  listedJson,
  listRequestOf,
  secretJson,
  secretValueOf,
  single,
  versionOf,
  versionsJson,
} from './wire.ts';

/** How one kind of caller says whose secrets a request is about. */
interface Side {
  callerOf(request: HttpRequest): Omit<Caller, 'context'>;
  /** Where to look; `named` is the scope that the request names, if any. */
  asker(caller: Caller, named: unknown): Asker;
  /** Where to list. */
  lister(caller: Caller, named: unknown): Asker;
  /** Where to write. */
  scopeOf(caller: Caller, named: unknown): string;
}

const root = '/api/v1/secrets';

const health: Route = {
  method: 'GET',
  path: '/health',
  boundary: 'open',
  handler: async () => jsonResponse(200, { status: 'ok' }),
};

/** The routes that agents and services reach through their proxy. */
export function secretRoutes(parts: Parts): Route[] {
  const side: Side = {
    callerOf: attestedPrincipal,
    asker: agentAsker,
    lister: agentAsker,
    scopeOf: ({ identity }, named) =>
      requireScope(namedScope(named, identity), parts.scope, parts.trustDomain),
  };
  return [health, ...routesOf(parts, side)];
}

/** The routes that only the control socket serves: the operator names the scope that it means. */
export function controlRoutes(parts: Parts): Route[] {
  const scopeOf = (_caller: Caller, named: unknown) =>
    requireScope(named, parts.scope, parts.trustDomain);
  const operatorOf = (caller: Caller, scopes: string[]) => ({
    ...{ ...caller, scopes, isOperator: true },
  });
  const side: Side = {
    callerOf: (request) => ({ identity: attestedOperator(request, parts.trustDomain) }),
    asker: (caller, named) => operatorOf(caller, [scopeOf(caller, named)]),
    lister: (caller, named) =>
      operatorOf(caller, named === undefined ? [] : [scopeOf(caller, named)]),
    scopeOf,
  };
  const route = routeMaker(parts, side);
  return [
    ...routesOf(parts, side),
    route('POST', `${root}/rotate-master-key`, 'rotate', async (caller) => {
      const { progress, decision } = await rotateMasterKey(parts, caller);
      return answer(202, progress, caller, decision.id);
    }),
    route('GET', `${root}/rotation`, 'rotate', async (caller) => {
      const { progress, decision } = await rotationProgress(parts, caller);
      return answer(200, progress, caller, decision.id);
    }),
  ];
}

function routeMaker({ ledger, clock }: Parts, { callerOf }: Side) {
  return recordedRoutes({ ledger, clock, boundary: 'secret', callerOf });
}

function routesOf(parts: Parts, side: Side): Route[] {
  const route = routeMaker(parts, side);
  const one = `${root}/:key`;
  const scopeInQuery = (caller: Caller, request: HttpRequest) =>
    side.asker(caller, single(request, 'scope'));
  return [
    route('GET', root, 'list', async (caller, request) => {
      const asker = side.lister(caller, single(request, 'scope'));
      const listed = await listSecrets(parts, asker, listRequestOf(request));
      const { secrets, next, decision } = listed;
      return answer(200, listedJson(secrets, next), caller, decision.id);
    }),
    route('GET', one, 'read', async (caller, request) => {
      const key = requireKey(request.params.key);
      const version = versionOf(single(request, 'version'));
      const asker = scopeInQuery(caller, request);
      const found = await observed(asker, key, () => getSecret(parts, asker, key, version));
      return answer(200, secretJson(found), caller, found.decision.id);
    }),
    route('PUT', one, 'write', (caller, request) => put(parts, side, caller, request)),
    route('DELETE', one, 'delete', async (caller, request) => {
      const key = requireKey(request.params.key);
      const asker = scopeInQuery(caller, request);
      const deleted = await deleteSecret(parts, asker, key, flag(request, 'purge'));
      const body = { ...deleted.id, deleted_at: deleted.result.toISOString() };
      return answer(200, body, caller, deleted.decision.id);
    }),
    route('POST', `${one}/restore`, 'restore', async (caller, request) => {
      const key = requireKey(request.params.key);
      const body = readJsonObject(request, parts.record);
      const asker = side.asker(caller, body.scope);
      const restored = await restoreSecret(parts, asker, key, versionOf(body.version));
      const shown = { ...restored.id, version: restored.result };
      return answer(200, shown, caller, restored.decision.id);
    }),
    route('GET', `${one}/versions`, 'list', async (caller, request) => {
      const key = requireKey(request.params.key);
      const asker = scopeInQuery(caller, request);
      const { versions, decision } = await listVersions(parts, asker, key);
      return answer(200, versionsJson(versions), caller, decision.id);
    }),
    route('POST', `${root}/batch`, 'read', async (caller, request) => {
      const body = readJsonObject(request, parts.record);
      const asker = side.asker(caller, body.scope);
      const items = await getSecrets(parts, asker, keysOf(body));
      return answer(200, { secrets: items.map(batchItemJson) }, caller);
    }),
  ];
}

async function put(
  parts: Parts,
  side: Side,
  caller: Caller,
  request: HttpRequest,
): Promise<HttpResponse> {
  const key = requireKey(request.params.key);
  const body = readJsonObject(request, parts.record);
  request.body.fill(0);
  const scope = side.scopeOf(caller, body.scope);
  const asker = side.asker(caller, scope);
  const [expiresAt, check] = [expiryOf(body, parts.clock()), checkOf(body)];
  const secret = { scope, key, expiresAt, check, value: secretValueOf(body) };
  const written = await putSecret(parts, asker, secret);
  const { version, created } = written.result;
  return answer(created ? 201 : 200, { key, scope, version }, caller, written.decision.id);
}
