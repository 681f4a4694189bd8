// What the inbound proxy asks its filter about a stream: the head, the body where it waits for one, and the answer.
import { ModuleError } from '../../runtime/errors.ts';
import { BODY_BYTES_MAX } from '../../runtime/mesh/message.ts';
import type {
  FilterProperties,
  FilterStream,
  FilterVerdict,
  HeaderPairs,
} from '../../runtime/proxywasm/filter.ts';
import type { OwnAnswer } from './answer.ts';
import { isPlatformName, type RequestHead } from './fields.ts';
import { type HeldBody, holdBody } from './held-body.ts';
import type { InboundConfig, InboundConnection, InboundRefusal } from './inbound.ts';
import type { StreamRecord } from './journal.ts';
import type { ProxyLimits } from './limits.ts';
import { type ResponseHead, tooLarge } from './relay.ts';
import type { ServerStream } from './streams.ts';

/** What a stream has with the filter. */
export interface Filtered {
  stream?: FilterStream;
  /** The body that the filter waited for. */
  body?: HeldBody;
  /** The request that it decided on with the body. */
  message?: InboundRefusal['message'];
}

/** What the filter answers by itself; it is a refusal with a decision. */
export class FilterAnswer {
  readonly answer: OwnAnswer;
  readonly detail: string;

  constructor(answer: OwnAnswer, detail: string) {
    this.answer = answer;
    this.detail = detail;
  }
}

/** Asks the filter about the head. Whatever goes wrong in it is a deny. */
export function decideOnHead(
  request: RequestHead,
  { peer, socket, hosted }: InboundConnection,
  config: InboundConfig,
  record: StreamRecord,
  filtered: Filtered,
): Passing {
  const properties: FilterProperties = new Map<string, string | boolean>([
    ['connection.mtls', true],
    ['connection.uri_san_peer_certificate', peer.spiffeId],
    ['connection.uri_san_local_certificate', hosted.service.spiffeId],
    ['connection.requested_server_name', String(socket.servername)],
    ['connection.tls_version', 'TLSv1.3'],
    ['source.address', `${socket.remoteAddress}:${socket.remotePort}`],
    ['request.protocol', record.protocol === 'h2' ? 'HTTP/2' : 'HTTP/1.1'],
  ]);
  const pairs: HeaderPairs = [
    [':method', request.method],
    [':path', request.target],
    [':authority', request.authority],
    [':scheme', 'https'],
    ...fieldsOf(request),
  ];
  return asked(record, () => {
    filtered.stream = config.filterFor(hosted.service).stream(properties);
    // What the filter decides without a body has the same message in Node.
    const isTooLarge = (request.length ?? 0) > BODY_BYTES_MAX;
    filtered.message = messageOf(request, isTooLarge ? tooMuch : none, new Uint8Array(32));
    return [filtered.stream, filtered.stream.requestHeaders(pairs, !request.hasBody)];
  });
}

/** Bodies that were not waited for: there is none, or it says of itself that it is more than is read. */
const none = new Uint8Array(0);
const tooMuch = new Uint8Array(BODY_BYTES_MAX + 1);

/** The fields of a request, with the one that says that it goes on as another protocol. */
function fieldsOf({ headers, isUpgrade }: RequestHead): HeaderPairs {
  return isUpgrade ? [...headers, ['upgrade', 'websocket']] : headers;
}

export type Passing = Exclude<FilterVerdict, { kind: 'respond' }>;

interface Waiting {
  /** What the filter said of the head. */
  verdict: FilterVerdict;
  stream: ServerStream;
  bodyBytes: number;
  limits: ProxyLimits;
}

/** Asks the filter about the body, as it comes; undefined when the asking side has left. */
export async function decideOnBody(
  request: RequestHead,
  { verdict: { headers }, stream, bodyBytes, limits }: Waiting,
  record: StreamRecord,
  filtered: Filtered,
): Promise<Passing | undefined> {
  const { stream: filter, body } = filtered as Required<Filtered>;
  if (bodyBytes > 0 && (request.length ?? 0) > bodyBytes) throw tooLarge(bodyBytes);
  const verdict = await holdBody(stream, body, { filter, limits, bodyBytes });
  if (verdict === undefined) return undefined;
  const salt = headers.find(([name]) => name === 'x-platform-salt')?.[1] ?? '';
  filtered.message = messageOf(request, body.whole(), Buffer.from(salt, 'hex'));
  return asked(record, () => [filter, verdict]);
}

function messageOf(
  request: RequestHead,
  body: Uint8Array,
  salt: Uint8Array,
): InboundRefusal['message'] {
  const { method, target } = request;
  return { request: { method, target, headers: fieldsOf(request), body }, salt };
}

/** Takes a verdict of the filter; throws its answer, where it has one. */
function asked(record: StreamRecord, ask: () => [FilterStream, FilterVerdict]): Passing {
  try {
    const [filter, verdict] = ask();
    readFacts(filter, record);
    if (verdict.kind === 'respond') throw new FilterAnswer(verdict, verdict.detail);
    return verdict;
  } catch (error) {
    if (error instanceof FilterAnswer || error instanceof ModuleError) throw error;
    throw new ModuleError('module_trapped', 'the filter failed', { cause: error });
  }
}

/** What the filter lets pass must say who the peer is, once, and nothing else may claim it. */
export function checked(
  pairs: HeaderPairs,
  request: RequestHead,
  spiffeId: string,
  record: StreamRecord,
): RequestHead {
  const onward: RequestHead = { ...request, headers: [] };
  const seen = new Set<string>();
  for (const pair of pairs) {
    const [name, value] = pair;
    if (name === ':method') onward.method = value;
    else if (name === ':path') onward.target = value;
    else if (name === ':authority') onward.authority = value;
    else if (!name.startsWith(':') && name !== 'upgrade') onward.headers.push(pair);
    if (!isPlatformName(name)) continue;
    if (seen.has(name)) throw invalid(`the filter says ${name} twice`);
    seen.add(name);
    if (name === 'x-platform-spiffe-id' && value !== spiffeId) {
      throw invalid('the filter names another peer');
    }
    if (name === 'x-platform-request-id') record.requestId ||= value;
    if (name === 'x-platform-mesh-decision') record.decisionId ||= value;
  }
  if (!seen.has('x-platform-spiffe-id')) throw invalid('the filter does not name the peer');
  return onward;
}

export function answered(
  filter: FilterStream | undefined,
  status: number,
  headers: HeaderPairs,
  hasBody: boolean,
): ResponseHead {
  if (filter === undefined) return { status, headers };
  const verdict = filter.responseHeaders([[':status', String(status)], ...headers], !hasBody);
  if (verdict.kind === 'respond') throw invalid('the filter withheld the answer');
  const [first, ...rest] = verdict.headers;
  if (first?.[0] === ':status') return { status: Number(first[1]), headers: rest };
  return { status, headers: verdict.headers.filter(([name]) => !name.startsWith(':')) };
}

function readFacts(filter: FilterStream, record: StreamRecord): void {
  const facts = filter.facts();
  record.requestId = facts.get('request_id') ?? '';
  // The time that was decided on, so that the decision can be recomputed from what is written down.
  record.time = facts.get('time') ?? record.time;
  record.decisionId = facts.get('decision_id') ?? '';
  record.reason = facts.get('reason') ?? '';
  record.message = { method: facts.get('method'), tool: facts.get('tool') };
  const all = facts.get('decision_ids') ?? '';
  record.decisionIds = all === record.decisionId ? '' : all;
}

/** The stream is over for the filter too. */
export function endFilter(filter: FilterStream | undefined): void {
  try {
    filter?.end();
  } catch {
    // The stream is over; a filter that fails now has nothing left to decide.
  }
}

function invalid(why: string): ModuleError {
  return new ModuleError('module_output_invalid', why);
}
