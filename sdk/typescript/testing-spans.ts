// OpenTelemetry for tests: spans are kept in a list as they end.

import { NodeSDK } from '@opentelemetry/sdk-node';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';

/** Starts telemetry for this process; the caller shuts it down. */
export function keepSpans(): { spans: ReadableSpan[]; telemetry: NodeSDK } {
  const spans: ReadableSpan[] = [];
  const telemetry = new NodeSDK({
    autoDetectResources: false,
    metricReaders: [],
    logRecordProcessors: [],
    spanProcessors: [
      {
        onStart() {},
        onEnd: (span) => void spans.push(span),
        async forceFlush() {},
        async shutdown() {},
      },
    ],
  });
  telemetry.start();
  return { spans, telemetry };
}
