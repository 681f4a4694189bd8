// Answers in the proxy's own name: problem documents, and what a filter says instead of the service.
import { IdentityError, PlatformError } from '../../runtime/errors.ts';
import type { JsonObject } from '../../runtime/json.ts';
import type { HeaderPairs } from '../../runtime/proxywasm/filter.ts';
import { problemResponse } from '../common/problem.ts';
import type { ServerStream } from './streams.ts';

export interface OwnAnswer {
  status: number;
  headers: HeaderPairs;
  body: Uint8Array;
}

/** The proxy itself has no identity that anybody would take: it is away, the caller did no wrong. */
export class OwnSvidError extends IdentityError {
  constructor(error: PlatformError) {
    super(error.code, error.message, { cause: error, hint: error.hint });
  }
}

/**
 * Whether somebody was refused something, which leaves evidence. A service or an identity server that
 * is away has refused nothing, and what is no PlatformError is a failure too.
 */
export function isDenial(error: unknown): error is PlatformError {
  if (!(error instanceof PlatformError) || error instanceof OwnSvidError) return false;
  return error.code !== 'service_unavailable' && error.code !== 'identity_unavailable';
}

/** What an answer says of the request that it is for. */
export interface AnswerFacts {
  requestId: string;
  /** Of boundary `mesh`; on the hop between two proxies only. */
  decisionId?: string;
}

const requestIdHeader = 'x-platform-request-id';
const decisionHeader = 'x-platform-mesh-decision';

/** Says the facts in the head of an answer; what a service says under their names goes. */
export function withFacts(
  headers: HeaderPairs,
  { requestId, decisionId = '' }: AnswerFacts,
): HeaderPairs {
  const kept = headers.filter(([name]) => {
    const said = name.toLowerCase().replaceAll('_', '-');
    return said !== decisionHeader && (said !== requestIdHeader || requestId === '');
  });
  if (requestId !== '') kept.push([requestIdHeader, requestId]);
  if (decisionId !== '') kept.push([decisionHeader, decisionId]);
  return kept;
}

/** What the inbound proxy said; empty for what it did not say, or not in the form that it has. */
export function factsOf(headers: HeaderPairs): Required<AnswerFacts> {
  const said = (wanted: string) => headers.find(([name]) => name === wanted)?.[1] ?? '';
  const [requestId, decisionId] = [said(requestIdHeader), said(decisionHeader)];
  return {
    requestId: uuid.test(requestId) ? requestId : '',
    decisionId: decisionHash.test(decisionId) ? decisionId : '',
  };
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const decisionHash = /^(sha256:)?[0-9a-f]{64}$/;

/** The problem document of an error; `members` are added. */
export function problemAnswer(error: unknown, members: JsonObject): OwnAnswer {
  const own = error instanceof OwnSvidError ? { ...members, status: 503 } : members;
  const problem = problemResponse(error, own);
  const status = error instanceof OwnSvidError ? 503 : problem.status;
  return {
    status,
    headers: withFacts(Object.entries(problem.headers), {
      requestId: String(members.request_id ?? ''),
    }),
    body: Buffer.from(problem.body as string),
  };
}

/**
 * Sends a short answer, if nothing has been sent yet, and returns the bytes of its body. Never throws:
 * a client may have left while the refusal was put on record.
 */
export function sendAnswer(stream: ServerStream, method: string, answer: OwnAnswer): number {
  if (stream.hasResponded()) {
    stream.cut();
    return 0;
  }
  const framing: HeaderPairs = answer.headers.filter(([name]) => name !== 'content-length');
  framing.push(['content-length', String(answer.body.length)]);
  const hasBody = method !== 'HEAD' && answer.body.length > 0;
  try {
    const sink = stream.respond(answer.status, framing, hasBody);
    if (hasBody) sink.write(answer.body);
    stream.finish([]);
  } catch {
    stream.cut();
    return 0;
  }
  return hasBody ? answer.body.length : 0;
}
