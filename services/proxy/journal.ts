// Writes one access log line for each stream and counts it; bodies, queries and header values never get here.
import type { PlatformError } from '../../runtime/errors.ts';
import type { JsonObject } from '../../runtime/json.ts';
import type { ProxyMetrics } from './metrics.ts';
import type { Outcome } from './relay.ts';
import type { Protocol } from './streams.ts';

export type Direction = 'inbound' | 'outbound';

/** What is known of a stream; it is filled in as the stream goes on. */
export interface StreamRecord {
  source: string;
  destination: string;
  service: string;
  method: string;
  /** Without the query, which may hold a secret. */
  path: string;
  protocol: Protocol;
  requestId: string;
  decisionId: string;
  /** Of every decision about the request, where there was more than the one. */
  decisionIds: string;
  /** What the body calls, where it was read: the method of its message, and the tool. */
  message: { method?: string | undefined; tool?: string | undefined };
  /** A stable code, or `client_left`. */
  reason: string;
  upstreamError: string;
  /** `performance.now()` at the head's arrival. */
  startedAt: number;
  time: string;
}

export interface Journal {
  stream(record: StreamRecord, outcome: Outcome): void;
  /** A connection that never got to carry a stream, or was cut. */
  connection(facts: {
    source: string;
    destination: string;
    reason: string;
    time: string;
    requestId?: string;
  }): void;
}

/** Writes by `accessLog` one line for each stream and for each connection without one, and counts both. */
export function createJournal(
  direction: Direction,
  metrics: ProxyMetrics,
  accessLog: (line: JsonObject) => void,
): Journal {
  return {
    stream(record, outcome) {
      const ms = performance.now() - record.startedAt;
      metrics.stream(record.service, outcome.status, ms, outcome.bytesReceived, outcome.bytesSent);
      accessLog({
        time: record.time,
        direction,
        source_spiffe_id: record.source,
        destination_spiffe_id: record.destination,
        service: record.service,
        method: record.method,
        path: record.path,
        protocol: record.protocol,
        status: outcome.status,
        bytes_received: outcome.bytesReceived,
        bytes_sent: outcome.bytesSent,
        duration_ms: Math.round(ms * 1000) / 1000,
        request_id: record.requestId,
        decision_id: record.decisionId,
        ...(record.decisionIds === '' ? {} : { decision_ids: record.decisionIds }),
        ...called(record),
        reason: record.reason,
        upstream_error: record.upstreamError,
      });
    },
    connection({ source, destination, reason, time, requestId = '' }) {
      metrics.refused(reason);
      const ids = { source_spiffe_id: source, destination_spiffe_id: destination };
      accessLog({ time, direction, ...ids, status: 0, request_id: requestId, reason });
    },
  };
}

function called({ message: { method, tool } }: StreamRecord): JsonObject {
  return {
    ...(method === undefined ? {} : { message_method: method }),
    ...(tool === undefined ? {} : { tool }),
  };
}

/** The system's short code for what failed at the next hop, never its message. */
export function causeOf(error: PlatformError): string {
  const cause = error.cause as { code?: unknown } | undefined;
  return typeof cause?.code === 'string' ? cause.code : '';
}
