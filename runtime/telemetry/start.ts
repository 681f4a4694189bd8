// Starts OpenTelemetry: to an OTLP endpoint when one is set, otherwise kept in memory for the local page.
import { MetricReader } from '@opentelemetry/sdk-metrics';
import { NodeSDK } from '@opentelemetry/sdk-node';
import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace';

/** How many finished spans the local page can look back on. */
const SPANS_KEPT = 500;

/** How long the last spans may take to leave: a collector that hangs must not hold up the end. */
const FLUSH_MS = 1000;

/** A finished span, as the local page shows it. */
export interface KeptSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  startTime: string;
  durationMs: number;
  status: 'unset' | 'ok' | 'error';
  attributes: Record<string, unknown>;
}

/** One number of one metric, as the local page shows it. */
export interface KeptMetric {
  name: string;
  unit: string;
  attributes: Record<string, unknown>;
  /** A counter's sum, or the count and sum of a histogram. */
  value: number | { count: number; sum: number };
}

/** Running telemetry; `spans` and `metrics` are empty when an OTLP endpoint takes them instead. */
export interface Telemetry {
  spans(): KeptSpan[];
  metrics(): Promise<KeptMetric[]>;
  shutdown(): Promise<void>;
}

class LocalReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/**
 * Starts the OpenTelemetry SDK once a process. With `OTEL_EXPORTER_OTLP_ENDPOINT` set, the SDK reads
 * the standard `OTEL_*` variables and exports there; otherwise spans and metrics stay in this process.
 */
export function startTelemetry(serviceName: string): Telemetry {
  if (process.env.OTEL_EXPORTER_OTLP_ENDPOINT) {
    const sdk = new NodeSDK({ serviceName });
    sdk.start();
    const shutdown = () => within(FLUSH_MS, sdk.shutdown());
    return { spans: () => [], metrics: async () => [], shutdown };
  }
  const kept: ReadableSpan[] = [];
  const reader = new LocalReader();
  const sdk = new NodeSDK({
    serviceName,
    autoDetectResources: false,
    spanProcessors: [keepIn(kept)],
    metricReaders: [reader],
    logRecordProcessors: [],
  });
  sdk.start();
  return {
    spans: () => kept.map(toKept),
    metrics: () => collect(reader),
    shutdown: () => sdk.shutdown(),
  };
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  // What did not leave in time is lost, and so is the reason; there is nobody left to tell.
  await Promise.race([work.catch(() => {}), late]);
  clearTimeout(timer);
}

function keepIn(kept: ReadableSpan[]): SpanProcessor {
  return {
    onStart() {},
    onEnd(span) {
      kept.push(span);
      if (kept.length > SPANS_KEPT) kept.shift();
    },
    async forceFlush() {},
    async shutdown() {},
  };
}

function toKept(span: ReadableSpan): KeptSpan {
  const [seconds, nanoseconds] = span.startTime;
  return {
    name: span.name,
    traceId: span.spanContext().traceId,
    spanId: span.spanContext().spanId,
    parentSpanId: span.parentSpanContext?.spanId,
    startTime: new Date(seconds * 1000 + nanoseconds / 1e6).toISOString(),
    durationMs: span.duration[0] * 1000 + span.duration[1] / 1e6,
    status: (['unset', 'ok', 'error'] as const)[span.status.code] ?? 'unset',
    attributes: { ...span.attributes },
  };
}

async function collect(reader: MetricReader): Promise<KeptMetric[]> {
  const { resourceMetrics } = await reader.collect();
  return resourceMetrics.scopeMetrics.flatMap((scope) =>
    scope.metrics.flatMap((metric) =>
      metric.dataPoints.map((point) => ({
        name: metric.descriptor.name,
        unit: metric.descriptor.unit,
        attributes: { ...point.attributes },
        value: typeof point.value === 'number' ? point.value : countAndSum(point.value),
      })),
    ),
  );
}

function countAndSum(value: { count: number; sum?: number | undefined }): {
  count: number;
  sum: number;
} {
  return { count: value.count, sum: value.sum ?? 0 };
}
