// One stream of the outbound proxy: the caller asked again, the route picked, relayed with the caller's SVID.
import { randomUUID } from 'node:crypto';
import { codeOf, IdentityError, PlatformError } from '../../runtime/errors.ts';
import { isServiceSpiffeId } from '../../runtime/identity/spiffe-id.ts';
import { backdateSeconds, type X509Svid } from '../../runtime/identity/workload/x509.ts';
import type { HeaderPairs } from '../../runtime/proxywasm/filter.ts';
import { factsOf, isDenial, OwnSvidError, problemAnswer, sendAnswer, withFacts } from './answer.ts';
import { isPlatformName } from './fields.ts';
import type { Arrival } from './front.ts';
import { causeOf, type StreamRecord } from './journal.ts';
import type { OutboundConfig, OutboundConnection, OutboundRoute } from './outbound.ts';
import type { CallerPool } from './pools.ts';
import { type Outcome, relay } from './relay.ts';
import { runStream, type StreamParts } from './run-stream.ts';
import { checkTarget, isBelow } from './target.ts';

export interface OutboundParts extends StreamParts<OutboundConfig> {
  poolFor(spiffeId: string | undefined): CallerPool;
}

/** All that an application may say in the platform's words; the inbound filter judges it again. */
const passed: ReadonlySet<string> = new Set(['x-platform-approval', 'x-platform-on-behalf-of']);
/** A service carries on a request that was let in before: its facts are that request's. */
const passedFromServices: ReadonlySet<string> = new Set([
  ...passed,
  ...['x-platform-request-id', 'x-platform-time', 'x-platform-salt'],
]);

/** Serves one stream to its end; never rejects. */
export async function serveOutbound(
  arrival: Arrival<OutboundConnection>,
  parts: OutboundParts,
): Promise<void> {
  const source = arrival.connection.caller?.spiffeId ?? '';
  const known = { source, destination: '', service: '' };
  await runStream(arrival, parts, known, {
    pass: (record) => pass(arrival, parts, record),
    refuse: (error, record) => refuse(error, arrival, parts, record),
  });
}

async function pass(
  { connection, stream, head }: Arrival<OutboundConnection>,
  { config, limits, clock, poolFor }: OutboundParts,
  record: StreamRecord,
): Promise<Outcome> {
  const spiffeId = stillAttested(connection, config);
  const request = head();
  const path = checkTarget(request.method, request.target);
  record.path = path;
  const route = routeOf(config.routes, path, request.authority);
  const { service } = route;
  record.service = service.name;
  record.destination = service.spiffeId;
  const pool = poolFor(spiffeId);
  const svid = liveSvid(pool, config);
  record.source = svid.spiffeId;
  const { trustDomain, scope, denied } = config;
  const to = { ...service, trustDomain, scope, denied, clock, limits };
  const client = pool.client(to, stream.protocol, svid);
  const onward = {
    ...request,
    authority: service.serverName,
    headers: withoutPlatformNames(request.headers, svid.spiffeId),
  };
  return relay(stream, client, onward, {
    bodyBytes: route.bodyBytes ?? limits.bodyBytes,
    limits,
    onResponse(status, headers) {
      // What the other end fixed: it joins the lines of both ends, and the evidence.
      const { requestId, decisionId } = factsOf(headers);
      record.requestId = requestId;
      record.decisionId = decisionId;
      return { status, headers: withFacts(headers, { requestId }) };
    },
  });
}

/** A connection outlives its process and its entry: both are asked again at each request. */
function stillAttested(
  { caller, refused }: OutboundConnection,
  config: OutboundConfig,
): string | undefined {
  if (refused !== undefined) throw refused;
  if (caller === undefined) {
    if (config.attest === undefined) return undefined;
    throw new IdentityError('caller_unknown', 'the connection was never attested');
  }
  if (!caller.stillThere()) {
    throw new IdentityError('caller_unknown', 'this process is not an agent any more');
  }
  return caller.spiffeId;
}

function liveSvid(pool: CallerPool, { denied }: OutboundConfig): X509Svid {
  let svid: X509Svid;
  try {
    svid = pool.identity.svid();
  } catch (error) {
    if (codeOf(error) === 'svid_expired') throw new OwnSvidError(error as PlatformError);
    throw error;
  }
  const { spiffeId, notBefore } = svid;
  if (denied.isDenied(spiffeId, notBefore.getTime() / 1000 + backdateSeconds)) {
    throw new IdentityError('svid_denied', `${spiffeId} has been taken away`);
  }
  return svid;
}

function routeOf(routes: readonly OutboundRoute[], path: string, authority: string): OutboundRoute {
  // Port 80 is what a plain HTTP client means without saying so.
  const name = authority.toLowerCase().replace(/:80$/, '');
  for (const route of routes) {
    if (route.authorities !== undefined && !route.authorities.includes(name)) continue;
    if (route.paths.some((prefix) => isBelow(path, prefix))) return route;
  }
  throw new PlatformError('route_unknown', 'no such path');
}

function withoutPlatformNames(headers: HeaderPairs, caller: string): HeaderPairs {
  const kept = isServiceSpiffeId(caller) ? passedFromServices : passed;
  return headers.filter(([name]) => !isPlatformName(name) || kept.has(name));
}

async function refuse(
  error: unknown,
  { connection, stream, method }: Arrival<OutboundConnection>,
  { config, metrics }: OutboundParts,
  record: StreamRecord,
): Promise<Outcome> {
  const requestId = randomUUID();
  record.requestId = requestId;
  record.reason = codeOf(error);
  if (error instanceof PlatformError) record.upstreamError ||= causeOf(error);
  metrics.refused(record.reason);
  let answered = error;
  if (isDenial(error)) {
    const data = error.data as { pid?: number; uid?: number };
    const facts = { requestId, time: record.time, method, service: record.service };
    try {
      await config.onRefused?.({
        error,
        ...facts,
        spiffeId: record.source || undefined,
        pid: connection.caller?.pid ?? data.pid,
        uid: connection.caller?.uid ?? data.uid,
      });
    } catch (cause) {
      record.reason = 'evidence_unavailable';
      answered = new PlatformError('evidence_unavailable', 'the refusal could not be recorded', {
        cause,
      });
    }
  }
  const answer = problemAnswer(answered, { request_id: requestId });
  const bytesSent = sendAnswer(stream, method, answer);
  return { status: answer.status, bytesReceived: 0, bytesSent, error: undefined, hasLeft: false };
}
