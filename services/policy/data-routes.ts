// The data API: `/v1/data`, `/v0/data` and the default decision, as OPA answers them.
import { PlatformError } from '../../runtime/errors.ts';
import type { JsonObject } from '../../runtime/json.ts';
import type { HttpRequest, HttpResponse, Route } from '../common/http/port.ts';
import { flag, objectText, textResponse } from './answer.ts';
import { readInputParameter, readInputV0, readInputV1 } from './body.ts';
import { type DocumentPath, describePath, readDocumentPath } from './document-path.ts';
import { keyOf } from './documents.ts';
import { type Evaluated, evaluate, type Question } from './evaluate.ts';
import type { Parts } from './parts.ts';

const EXPLAIN_MODES = ['notes', 'fails', 'full', 'debug'];
const MISSING_INPUT = JSON.stringify({
  code: 'api_usage_warning',
  message: "'input' key missing from the request",
});

/** The routes that answer for documents. */
export function dataRoutes(parts: Parts): Route[] {
  const route = (method: string, path: string, handler: Route['handler']): Route => ({
    ...{ method, path, handler },
    boundary: { boundary: 'policy', action: 'evaluate' },
  });
  const v1 = (request: HttpRequest) => answerV1(parts, request);
  const v0 = (request: HttpRequest) => answerV0(parts, request, pathBehind(request, '/v0/data'));
  return [
    route('POST', '/v1/data', v1),
    route('POST', '/v1/data/*', v1),
    route('GET', '/v1/data', v1),
    route('GET', '/v1/data/*', v1),
    route('POST', '/v0/data', v0),
    route('POST', '/v0/data/*', v0),
    route('POST', '/', (request) =>
      answerV0(parts, request, readDocumentPath(parts.defaultDecision)),
    ),
  ];
}

function pathBehind(request: HttpRequest, prefix: string): DocumentPath {
  return readDocumentPath(request.path.slice(prefix.length));
}

async function answerV1(parts: Parts, request: HttpRequest): Promise<HttpResponse> {
  const started = process.hrtime.bigint();
  const isPost = request.method === 'POST';
  const input = isPost
    ? await readInputV1(request, parts.modules.record)
    : readInputParameter(request, parts.modules.record);
  const read = process.hrtime.bigint();
  const question: Question = {
    path: pathBehind(request, '/v1/data'),
    input,
    explain: request.query.getAll('explain').find((mode) => EXPLAIN_MODES.includes(mode)),
    pretty: flag(request, 'pretty'),
    strict: flag(request, 'strict-builtin-errors'),
  };
  const evaluated = await answered(parts, question);
  const ended = process.hrtime.bigint();
  const timers = { input: read - started, query: ended - read, all: ended - started };
  const withMetrics = flag(request, 'metrics') || flag(request, 'instrument');
  const withTrace = evaluated.result !== undefined || question.explain === 'full';
  const text = objectText({
    decision_id: JSON.stringify(evaluated.decisionId),
    provenance: flag(request, 'provenance') ? provenance(parts, evaluated) : undefined,
    explanation:
      withTrace && evaluated.explanation !== undefined
        ? JSON.stringify(evaluated.explanation)
        : undefined,
    metrics: withMetrics ? JSON.stringify(metricsOf(timers)) : undefined,
    result: evaluated.result,
    warning: isPost && input === undefined ? MISSING_INPUT : undefined,
  });
  return textResponse(request, text);
}

async function answerV0(
  parts: Parts,
  request: HttpRequest,
  path: DocumentPath,
): Promise<HttpResponse> {
  const input = await readInputV0(request, parts.modules.record);
  const { result, snapshot } = await answered(parts, { path, input });
  if (result !== undefined) return textResponse(request, result);
  const what = snapshot.documents.has(keyOf(path)) ? 'document undefined' : 'document missing';
  throw new PlatformError('document_undefined', `${what}: ${describePath(path)}`);
}

/** Evaluates, counts and logs; a failure is logged as well and thrown on. */
async function answered(parts: Parts, question: Question): Promise<Evaluated> {
  const started = process.hrtime.bigint();
  try {
    const evaluated = await evaluate(parts.engine, question);
    parts.log?.decided(question, evaluated);
    parts.metrics.evaluated(evaluated, Number(process.hrtime.bigint() - started) / 1e9);
    return evaluated;
  } catch (error) {
    parts.log?.failed(question, error);
    parts.metrics.failed(error);
    throw error;
  }
}

function provenance({ version }: Parts, { snapshot }: Evaluated): string {
  const { policy, data } = snapshot.pair;
  const bundles = { policy: { revision: policy.revision }, data: { revision: data.revision } };
  const build = { build_commit: '', build_timestamp: '', build_hostname: '' };
  return JSON.stringify({ version, ...build, bundles });
}

/** Names and units of OPA's performance metrics. */
function metricsOf(timers: { input: bigint; query: bigint; all: bigint }): JsonObject {
  return {
    counter_server_query_cache_hit: 1,
    timer_rego_input_parse_ns: Number(timers.input),
    timer_rego_query_eval_ns: Number(timers.query),
    timer_server_handler_ns: Number(timers.all),
  };
}
