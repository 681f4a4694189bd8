// The tracer and the metric instruments of the platform, created once.

import type { Counter, Histogram, Tracer } from '@opentelemetry/api';
import { metrics, trace } from '@opentelemetry/api';
import { METRIC } from './names.ts';

/** Instruments bind to the provider that is registered at their first use, so they are made late. */
let made: Instruments | undefined;

export interface Instruments {
  tracer: Tracer;
  toolInvocations: Counter;
  toolDuration: Histogram;
  vaultGets: Counter;
  vaultGetDuration: Histogram;
  guardScans: Counter;
  guardBlocks: Counter;
  guardScanDuration: Histogram;
}

/** The platform's instruments; call after `startTelemetry`, otherwise they record nothing. */
export function instruments(): Instruments {
  made ??= make();
  return made;
}

function make(): Instruments {
  const meter = metrics.getMeter('platform');
  const seconds = { unit: 's' };
  return {
    tracer: trace.getTracer('platform'),
    toolInvocations: meter.createCounter(METRIC.toolInvocations),
    toolDuration: meter.createHistogram(METRIC.toolDuration, seconds),
    vaultGets: meter.createCounter(METRIC.vaultGets),
    vaultGetDuration: meter.createHistogram(METRIC.vaultGetDuration, seconds),
    guardScans: meter.createCounter(METRIC.guardScans),
    guardBlocks: meter.createCounter(METRIC.guardBlocks),
    guardScanDuration: meter.createHistogram(METRIC.guardScanDuration, seconds),
  };
}
