// One stream of the inbound proxy: checked, decided by the filter, relayed, and written down.
import { randomUUID } from 'node:crypto';
import { codeOf, ModuleError, PlatformError } from '../../runtime/errors.ts';
import type { JsonObject } from '../../runtime/json.ts';
import type {
  FilterProperties,
  FilterStream,
  HeaderPairs,
} from '../../runtime/proxywasm/filter.ts';
import {
  isDenial,
  type OwnAnswer,
  OwnSvidError,
  problemAnswer,
  sendAnswer,
  withFacts,
} from './answer.ts';
import type { PeerConnections } from './connections.ts';
import { isPlatformName, type RequestHead } from './fields.ts';
import type { Arrival } from './front.ts';
import type { InboundConfig, InboundConnection, InboundService } from './inbound.ts';
import type { StreamRecord } from './journal.ts';
import type { ProxyLimits } from './limits.ts';
import { type Outcome, type ResponseHead, relay } from './relay.ts';
import { runStream, type StreamParts } from './run-stream.ts';
import type { StreamShare } from './stream-share.ts';
import { checkTarget, isBelow } from './target.ts';

export interface InboundParts extends StreamParts<InboundConfig> {
  connections: PeerConnections;
  share: StreamShare;
}

/** What the filter answers by itself; it is a refusal with a decision. */
class FilterAnswer {
  readonly answer: OwnAnswer;
  readonly detail: string;

  constructor(answer: OwnAnswer, detail: string) {
    this.answer = answer;
    this.detail = detail;
  }
}

/** Serves one stream to its end; never rejects. */
export async function serveInbound(
  arrival: Arrival<InboundConnection>,
  parts: InboundParts,
): Promise<void> {
  const { peer, hosted } = arrival.connection;
  const { name: service, spiffeId: destination } = hosted.service;
  const filtered: { stream: FilterStream | undefined } = { stream: undefined };
  const known = { source: peer.spiffeId, destination, service };
  let endShare = () => {};
  await runStream(arrival, parts, known, {
    pass(record) {
      endShare = parts.share.begin(peer.spiffeId);
      return pass(arrival, parts, record, filtered);
    },
    refuse: (error, record) => refuse(error, arrival, parts, record),
  });
  endShare();
  end(filtered.stream);
}

async function pass(
  { connection, stream, head }: Arrival<InboundConnection>,
  { config, limits, connections }: InboundParts,
  record: StreamRecord,
  filtered: { stream: FilterStream | undefined },
): Promise<Outcome> {
  const request = head();
  const path = checkTarget(request.method, request.target);
  record.path = path;
  const { service, identity, client } = connection.hosted;
  connections.check(connection);
  try {
    identity.svid();
  } catch (error) {
    throw new OwnSvidError(error as PlatformError);
  }
  const onward = decide(request, connection, config, record, filtered);
  return relay(stream, client, onward, {
    bodyBytes: bodyBytesOf(service, path, limits),
    limits,
    onResponse(status, headers, hasBody) {
      const head = answered(filtered.stream, status, headers, hasBody);
      return { ...head, headers: withFacts(head.headers, record) };
    },
  });
}

/** Asks the filter. Whatever goes wrong in it is a deny. */
function decide(
  request: RequestHead,
  { peer, socket, hosted }: InboundConnection,
  config: InboundConfig,
  record: StreamRecord,
  filtered: { stream: FilterStream | undefined },
): RequestHead {
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
    ...request.headers,
  ];
  try {
    filtered.stream = config.filterFor(hosted.service).stream(properties);
    const verdict = filtered.stream.requestHeaders(pairs, !request.hasBody);
    readFacts(filtered.stream, record);
    if (verdict.kind === 'respond') throw new FilterAnswer(verdict, verdict.detail);
    if (verdict.kind === 'wait') throw invalid('the filter waits for a body');
    return checked(verdict.headers, request, peer.spiffeId, record);
  } catch (error) {
    if (error instanceof FilterAnswer || error instanceof ModuleError) throw error;
    throw new ModuleError('module_trapped', 'the filter failed', { cause: error });
  }
}

/** What the filter lets pass must say who the peer is, once, and nothing else may claim it. */
function checked(
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
    else if (!name.startsWith(':')) onward.headers.push(pair);
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

function answered(
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

async function refuse(
  error: unknown,
  { connection, stream, method }: Arrival<InboundConnection>,
  { config, metrics }: InboundParts,
  record: StreamRecord,
): Promise<Outcome> {
  record.requestId ||= randomUUID();
  let answer: OwnAnswer;
  if (error instanceof FilterAnswer) {
    record.reason ||= reasonOf(error);
    answer = error.answer;
  } else {
    record.reason = codeOf(error);
    const members: JsonObject = { request_id: record.requestId };
    if (record.decisionId !== '') members.decision_id = record.decisionId;
    answer = problemAnswer(error, members);
  }
  metrics.refused(record.reason);
  try {
    if (error instanceof FilterAnswer || isDenial(error)) {
      await config.onRefused?.({
        error: error instanceof PlatformError ? error : denied(error as FilterAnswer),
        requestId: record.requestId,
        time: record.time,
        method,
        service: record.service,
        spiffeId: connection.peer.spiffeId,
        decisionId: record.decisionId || undefined,
      });
    }
  } catch (cause) {
    record.reason = 'evidence_unavailable';
    const unrecorded = new PlatformError('evidence_unavailable', 'the refusal was not recorded', {
      cause,
    });
    answer = problemAnswer(unrecorded, { request_id: record.requestId });
  }
  answer = { ...answer, headers: withFacts(answer.headers, record) };
  const bytesSent = sendAnswer(stream, method, answer);
  return { status: answer.status, bytesReceived: 0, bytesSent, error: undefined, hasLeft: false };
}

function denied({ detail }: FilterAnswer): PlatformError {
  return new PlatformError('denied', detail === '' ? 'policy does not allow this' : detail);
}

function reasonOf({ answer }: FilterAnswer): string {
  return answer.status === 403 ? 'denied' : 'module_trapped';
}

function readFacts(filter: FilterStream, record: StreamRecord): void {
  const facts = filter.facts();
  record.requestId = facts.get('request_id') ?? '';
  // The time that was decided on, so that the decision can be recomputed from what is written down.
  record.time = facts.get('time') ?? record.time;
  record.decisionId = facts.get('decision_id') ?? '';
  record.reason = facts.get('reason') ?? '';
}

function bodyBytesOf(service: InboundService, path: string, limits: ProxyLimits): number {
  for (const { paths, bodyBytes } of service.bodies ?? []) {
    if (paths.some((prefix) => isBelow(path, prefix))) return bodyBytes;
  }
  return service.bodyBytes ?? limits.bodyBytes;
}

function end(filter: FilterStream | undefined): void {
  try {
    filter?.end();
  } catch {
    // The stream is over; a filter that fails now has nothing left to decide.
  }
}

function invalid(why: string): ModuleError {
  return new ModuleError('module_output_invalid', why);
}
