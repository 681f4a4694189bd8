// The vault on the wire: paths to handlers, results to responses, nothing else.

import { PlatformError } from '../../runtime/errors.ts';
import type { JsonObject, JsonValue } from '../../runtime/json.ts';
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
  /** Where to look; `named` is the scope that the request names, if any. Throws `secret_invalid`. */
  asker(caller: Caller, named: unknown): Asker;
  /** Where to list. */
  lister(caller: Caller, named: unknown): Asker;
  /** Where to write, and who does. */
  writer(caller: Caller, named: unknown): { asker: Asker; scope: string };
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
    asker: agentInAllScopes,
    lister: agentInAllScopes,
    writer: (caller, named) => {
      const scope = namedScope(named, caller.identity);
      requireScope(scope, parts.scope, parts.trustDomain);
      return { asker: agentAsker(caller), scope };
    },
  };
  return [health, ...routesOf(parts, side)];
}

/** An agent is looked for in the scopes that cover it; one that it names would only seem to narrow them. */
function agentInAllScopes(caller: Caller, named: unknown): Asker {
  if (named === undefined || named === null) return agentAsker(caller);
  throw new PlatformError('secret_invalid', 'agents name a scope only where they write');
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
    writer: (caller, named) => {
      const scope = scopeOf(caller, named);
      return { asker: operatorOf(caller, [scope]), scope };
    },
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
      const asker = side.asker(caller, scopeInBody(request, body));
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
      const asker = side.asker(caller, scopeInBody(request, body));
      const items = await getSecrets(parts, asker, keysOf(body));
      return answer(200, { secrets: items.map(batchItemJson) }, caller);
    }),
  ];
}

/** The scope of a request that has a body. Throws `secret_invalid` when it is in the query. */
function scopeInBody(request: HttpRequest, body: JsonObject): JsonValue | undefined {
  if (request.query.get('scope') === null) return body.scope;
  throw new PlatformError('secret_invalid', 'this request names its scope in the body');
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
  const { asker, scope } = side.writer(caller, scopeInBody(request, body));
  const [expiresAt, check] = [expiryOf(body, parts.clock()), checkOf(body)];
  const secret = { scope, key, expiresAt, check, value: secretValueOf(body) };
  const written = await putSecret(parts, asker, secret);
  const { version, created } = written.result;
  return answer(created ? 201 : 200, { key, scope, version }, caller, written.decision.id);
}
