// What both roles do with a stream: keep its record, pass it on, answer where that fails, and write it down.
import { codeOf } from '../../runtime/errors.ts';
import type { Arrival } from './front.ts';
import { causeOf, type Journal, type StreamRecord } from './journal.ts';
import type { ProxyLimits } from './limits.ts';
import type { ProxyMetrics } from './metrics.ts';
import type { Outcome } from './relay.ts';
import type { ServerStream } from './streams.ts';

/** What the streams of one proxy share. */
export interface StreamParts<Config> {
  config: Config;
  limits: ProxyLimits;
  clock: () => Date;
  journal: Journal;
  metrics: ProxyMetrics;
}

/** The two ways of a stream; both fill in the record as they learn more. */
export interface StreamSteps {
  pass(record: StreamRecord): Promise<Outcome>;
  /** Answers for what `pass` rejected with, or for its error before any answer; never rejects. */
  refuse(error: unknown, record: StreamRecord): Promise<Outcome>;
}

/** Runs one stream to its end, beginning with what its connection says of it; never rejects. */
export async function runStream(
  { stream, method }: Arrival<unknown>,
  { clock, journal }: StreamParts<unknown>,
  known: Pick<StreamRecord, 'source' | 'destination' | 'service'>,
  { pass, refuse }: StreamSteps,
): Promise<void> {
  const record: StreamRecord = {
    ...known,
    method,
    path: '',
    protocol: stream.protocol,
    requestId: '',
    decisionId: '',
    decisionIds: '',
    message: {},
    reason: '',
    upstreamError: '',
    startedAt: performance.now(),
    time: clock().toISOString(),
  };
  try {
    journal.stream(record, await outcomeOf(stream, record, { pass, refuse }));
  } catch (error) {
    // Nobody awaits a stream: what got here would end the process, and every other stream with it.
    record.reason = codeOf(error);
    stream.cut();
    journal.stream(record, {
      status: 0,
      bytesReceived: 0,
      bytesSent: 0,
      error: undefined,
      hasLeft: false,
    });
  }
}

async function outcomeOf(
  stream: ServerStream,
  record: StreamRecord,
  { pass, refuse }: StreamSteps,
): Promise<Outcome> {
  try {
    const outcome = await pass(record);
    if (outcome.hasLeft) record.reason = 'client_left';
    if (outcome.error !== undefined) {
      record.reason = outcome.error.code;
      record.upstreamError = causeOf(outcome.error);
      if (!stream.hasResponded()) throw outcome.error;
    }
    return outcome;
  } catch (error) {
    return refuse(error, record);
  }
}
