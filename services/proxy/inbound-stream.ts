// One stream of the inbound proxy: checked, decided by the filter, relayed, and written down.
import { randomUUID } from 'node:crypto';
import { codeOf, PlatformError } from '../../runtime/errors.ts';
import type { JsonObject } from '../../runtime/json.ts';
import {
  isDenial,
  type OwnAnswer,
  OwnSvidError,
  problemAnswer,
  sendAnswer,
  withFacts,
} from './answer.ts';
import type { PeerConnections } from './connections.ts';
import {
  answered,
  checked,
  decideOnBody,
  decideOnHead,
  endFilter,
  FilterAnswer,
  type Filtered,
} from './filtered.ts';
import type { Arrival } from './front.ts';
import { HeldBody, type HeldBytes } from './held-body.ts';
import type { InboundConfig, InboundConnection, InboundService } from './inbound.ts';
import type { StreamRecord } from './journal.ts';
import type { ProxyLimits } from './limits.ts';
import { type Outcome, relay } from './relay.ts';
import { runStream, type StreamParts } from './run-stream.ts';
import { agentOf, type StreamShare } from './stream-share.ts';
import { checkTarget, isBelow } from './target.ts';

export interface InboundParts extends StreamParts<InboundConfig> {
  connections: PeerConnections;
  share: StreamShare;
  held: HeldBytes;
}

/** Serves one stream to its end; never rejects. */
export async function serveInbound(
  arrival: Arrival<InboundConnection>,
  parts: InboundParts,
): Promise<void> {
  const { peer, hosted } = arrival.connection;
  const { name: service, spiffeId: destination } = hosted.service;
  const filtered: Filtered = {};
  const known = { source: peer.spiffeId, destination, service };
  let endShare = () => {};
  await runStream(arrival, parts, known, {
    pass(record) {
      endShare = parts.share.begin(peer.spiffeId);
      return pass(arrival, parts, record, filtered);
    },
    refuse: (error, record) => refuse(error, arrival, parts, record, filtered),
  });
  endShare();
  filtered.body?.release();
  endFilter(filtered.stream);
}

async function pass(
  { connection, stream, head }: Arrival<InboundConnection>,
  { config, limits, connections, held }: InboundParts,
  record: StreamRecord,
  filtered: Filtered,
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
  const bodyBytes = bodyBytesOf(service, path, limits);
  let verdict = decideOnHead(request, connection, config, record, filtered);
  if (verdict.kind === 'wait') {
    filtered.body = new HeldBody(held, agentOf(connection.peer.spiffeId) ?? connection);
    const waiting = { verdict, stream, bodyBytes, limits };
    const decided = await decideOnBody(request, waiting, record, filtered);
    if (decided === undefined) return leftBehind(filtered.body.bytes);
    // The identity may have been taken away in the meantime.
    connections.check(connection);
    verdict = decided;
  }
  const onward = checked(verdict.headers, request, connection.peer.spiffeId, record);
  // Nothing is refused from here on: an answer may take hours, and the body is held no longer.
  filtered.message = undefined;
  return relay(stream, client, onward, {
    bodyBytes,
    limits,
    held: filtered.body,
    onResponse(status, headers, hasBody) {
      const head = answered(filtered.stream, status, headers, hasBody);
      return { ...head, headers: withFacts(head.headers, record) };
    },
  });
}

async function refuse(
  error: unknown,
  { connection, stream, method }: Arrival<InboundConnection>,
  { config, metrics }: InboundParts,
  record: StreamRecord,
  { message, body }: Filtered,
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
        message,
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
  const { status } = answer;
  const bytesReceived = body?.bytes ?? 0;
  return { status, bytesReceived, bytesSent, error: undefined, hasLeft: false };
}

function leftBehind(bytesReceived: number): Outcome {
  return { status: 0, bytesReceived, bytesSent: 0, error: undefined, hasLeft: true };
}

function denied({ detail }: FilterAnswer): PlatformError {
  return new PlatformError('denied', detail === '' ? 'policy does not allow this' : detail);
}

function reasonOf({ answer }: FilterAnswer): string {
  return answer.status === 403 ? 'denied' : 'module_trapped';
}

function bodyBytesOf(service: InboundService, path: string, limits: ProxyLimits): number {
  for (const { paths, bodyBytes } of service.bodies ?? []) {
    if (paths.some((prefix) => isBelow(path, prefix))) return bodyBytes;
  }
  return service.bodyBytes ?? limits.bodyBytes;
}
