// Spans and metrics of the SDK through OpenTelemetry's API, where the agent has it installed.

import { createRequire } from 'node:module';
import type * as OpenTelemetry from '@opentelemetry/api';
import { ATTRIBUTE, METRIC, SPAN } from '../../runtime/telemetry/names.ts';
import type { AgentContext } from './agent.ts';

type Api = typeof OpenTelemetry;
type Attributes = Record<string, string | boolean | number | string[]>;

let api: Api | false | undefined;

/** The API, or false where it is not installed: an optional peer, so that the SDK has no dependency. */
function openTelemetry(): Api | false {
  if (api === undefined) {
    try {
      api = createRequire(import.meta.url)('@opentelemetry/api') as Api;
    } catch {
      api = false;
    }
  }
  return api;
}

/** A span that takes attributes; does nothing without OpenTelemetry. */
export interface Span {
  set(attributes: Attributes): void;
  fail(message: string): void;
}

const silent: Span = { set() {}, fail() {} };

/** Runs `work` in a span; an exception marks the span as failed by its name only, since messages may hold data. */
export function inSpan<Result>(
  name: string,
  attributes: Attributes,
  work: (span: Span) => Result,
): Result {
  const otel = openTelemetry();
  if (otel === false) return work(silent);
  return otel.trace.getTracer('platform').startActiveSpan(name, { attributes }, (active) => {
    const span: Span = {
      set: (more) => void active.setAttributes(more),
      fail: (message) => void active.setStatus({ code: otel.SpanStatusCode.ERROR, message }),
    };
    const failed = (error: unknown) => {
      span.fail(error instanceof Error ? error.name : 'Error');
      active.end();
      return error;
    };
    let result: Result;
    try {
      result = work(span);
    } catch (error) {
      throw failed(error);
    }
    if (!(result instanceof Promise)) {
      active.end();
      return result;
    }
    return result.then(
      (value) => {
        active.end();
        return value;
      },
      (error) => {
        throw failed(error);
      },
    ) as Result;
  });
}

/** A span that is ended by who opened it: for work that outlives a call. */
export interface OpenSpan extends Span {
  /** Runs `work` within the span, so that spans of its own are below it. */
  within<Result>(work: () => Result): Result;
  end(): void;
}

const silentOpen: OpenSpan = { ...silent, within: (work) => work(), end() {} };

/** Opens a span of a call to another service. */
export function openSpan(name: string, attributes: Attributes): OpenSpan {
  const otel = openTelemetry();
  if (otel === false) return silentOpen;
  const kind = otel.SpanKind.CLIENT;
  const active = otel.trace.getTracer('platform').startSpan(name, { attributes, kind });
  const within = otel.trace.setSpan(otel.context.active(), active);
  return {
    set: (more) => void active.setAttributes(more),
    fail: (message) => void active.setStatus({ code: otel.SpanStatusCode.ERROR, message }),
    within: (work) => otel.context.with(within, work),
    end: () => active.end(),
  };
}

/** Adds to a counter. */
export function count(name: string, value: number, labels: Record<string, string>): void {
  const otel = openTelemetry();
  if (otel !== false) otel.metrics.getMeter('platform').createCounter(name).add(value, labels);
}

/** Records a duration in seconds. */
export function histogram(name: string, seconds: number, labels: Record<string, string>): void {
  const otel = openTelemetry();
  if (otel === false) return;
  const meter = otel.metrics.getMeter('platform');
  meter.createHistogram(name, { unit: 's' }).record(seconds, labels);
}

/** Headers that carry the present trace to the gateway (W3C Trace Context). */
export function traceHeaders(): Record<string, string> {
  const otel = openTelemetry();
  const headers: Record<string, string> = {};
  if (otel !== false) otel.propagation.inject(otel.context.active(), headers);
  return headers;
}

/** Runs one invocation of an agent in its span, counted and timed. */
export function observeAgent<Result>(
  context: AgentContext,
  run: () => Promise<Result>,
): Promise<Result> {
  const labels = {
    [ATTRIBUTE.agentName]: context.agentName,
    [ATTRIBUTE.tenant]: context.tenant,
    [ATTRIBUTE.framework]: context.framework,
  };
  return inSpan(SPAN.agentInvoke, labels, async (span) => {
    const otel = openTelemetry();
    const meter = otel === false ? undefined : otel.metrics.getMeter('platform');
    const active = meter?.createUpDownCounter(METRIC.agentActive);
    const started = performance.now();
    let status = 'error';
    active?.add(1, labels);
    try {
      const result = await run();
      status = 'ok';
      return result;
    } finally {
      span.set({ [ATTRIBUTE.status]: status });
      active?.add(-1, labels);
      const outcome = { ...labels, [ATTRIBUTE.status]: status };
      meter?.createCounter(METRIC.agentInvocations).add(1, outcome);
      const seconds = (performance.now() - started) / 1000;
      meter?.createHistogram(METRIC.agentDuration, { unit: 's' }).record(seconds, outcome);
    }
  });
}

/** Counts one scan of the guard, and one block for each scanner that found something. */
export function countScan(direction: string, blocking: readonly string[], seconds: number): void {
  const otel = openTelemetry();
  if (otel === false) return;
  const meter = otel.metrics.getMeter('platform');
  meter.createCounter(METRIC.guardScans).add(1, { direction });
  meter.createHistogram(METRIC.guardScanDuration, { unit: 's' }).record(seconds, { direction });
  for (const scanner of blocking) {
    meter.createCounter(METRIC.guardBlocks).add(1, { direction, scanner });
  }
}
