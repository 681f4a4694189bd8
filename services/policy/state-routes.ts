// Health, status, metrics, and the policies in force: everything that can be read, nothing written.
import { PlatformError } from '../../runtime/errors.ts';
import type { JsonObject, JsonValue } from '../../runtime/json.ts';
import type { RegoFile } from '../../runtime/modules/rego.ts';
import type { HttpRequest, HttpResponse, Route } from '../common/http/port.ts';
import { flag, objectText, textResponse, valueResponse } from './answer.ts';
import type { Snapshot } from './engine.ts';
import type { Parts } from './parts.ts';

/** The routes that tell of the service itself. */
export function stateRoutes(parts: Parts): Route[] {
  const read = (path: string, handler: (request: HttpRequest) => HttpResponse): Route => ({
    ...{ method: 'GET', path, boundary: { boundary: 'policy', action: 'read' } },
    handler: async (request) => handler(request),
  });
  const refused = (method: string, path: string): Route => ({
    ...{ method, path, boundary: { boundary: 'policy', action: 'write' } },
    handler: async () => {
      throw new PlatformError('policy_read_only', 'policies and data cannot be written here', {
        hint: 'build a bundle with platform policy build, and serve that',
      });
    },
  });
  return [
    { ...read('/health', (request) => health(parts, request)), boundary: 'open' },
    read('/v1/policies', (request) => listPolicies(parts, request)),
    read('/v1/policies/*', (request) => onePolicy(parts, request)),
    read('/v1/status', (request) => valueResponse(request, { result: statusOf(parts) })),
    read('/v1/config', (request) => valueResponse(request, { result: configOf(parts) })),
    read('/metrics', () => ({
      status: 200,
      headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
      body: parts.metrics.page(),
    })),
    ...['/v1/data', '/v1/data/*', '/v1/policies/*'].flatMap((path) =>
      ['PUT', 'PATCH', 'DELETE'].map((method) => refused(method, path)),
    ),
  ];
}

/**
 * `/health` answers when something can be decided, `?bundles` when every bundle has been in force, and
 * `?plugins` when, besides, none is refused at the moment.
 */
function health({ engine, bundles, log }: Parts, request: HttpRequest): HttpResponse {
  const problems: string[] = [];
  const wantsPlugins = flag(request, 'plugins');
  if (wantsPlugins || flag(request, 'bundles') || flag(request, 'bundle')) {
    if (!bundles.isActivated || engine.current() === undefined) {
      problems.push('one or more bundles are not activated');
    }
  }
  const excluded = request.query.getAll('exclude-plugin');
  if (wantsPlugins && !excluded.includes('bundle')) problems.push(...bundles.problems());
  if (wantsPlugins && !excluded.includes('decision_logs') && log?.trouble !== undefined) {
    problems.push(`decision logs: ${log.trouble}`);
  }
  if (problems.length === 0) return valueResponse(request, {});
  return valueResponse(request, { error: problems.join('; ') }, 500);
}

function policyText(snapshot: Snapshot, { path, content }: RegoFile): string {
  const [id, raw] = [JSON.stringify(path), JSON.stringify(content)];
  return objectText({ id, raw, ast: snapshot.trees[path] });
}

function listPolicies({ engine }: Parts, request: HttpRequest): HttpResponse {
  const snapshot = engine.snapshot();
  const policies = snapshot?.files.map((file) => policyText(snapshot, file)) ?? [];
  return textResponse(request, `{"result":[${policies.join(',')}]}`);
}

function onePolicy({ engine }: Parts, request: HttpRequest): HttpResponse {
  const id = decoded(request.path.slice('/v1/policies/'.length));
  const snapshot = engine.snapshot();
  const file = snapshot?.files.find(({ path }) => path === id);
  if (snapshot === undefined || file === undefined) {
    throw new PlatformError('policy_unknown', `policy id ${JSON.stringify(id.slice(0, 256))}`, {
      hint: 'GET /v1/policies lists the ids',
    });
  }
  return textResponse(request, objectText({ result: policyText(snapshot, file) }));
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function statusOf({ bundles, labels, log }: Parts): JsonValue {
  const plugins: JsonObject = {
    bundle: { state: bundles.problems().length > 0 ? 'ERROR' : stateOf(bundles.isActivated) },
  };
  if (log !== undefined) plugins.decision_logs = { state: log.trouble ? 'ERROR' : 'OK' };
  return { labels: { ...labels }, bundles: bundles.status(), plugins };
}

function stateOf(isActivated: boolean): string {
  return isActivated ? 'OK' : 'NOT_READY';
}

function configOf({ labels, defaultDecision }: Parts): JsonObject {
  return { labels: { ...labels }, default_decision: `/${defaultDecision}` };
}
