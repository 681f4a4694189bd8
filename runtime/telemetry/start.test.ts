// What the local page shows: finished spans and metric sums, kept in memory without an endpoint.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { instruments } from './instruments.ts';
import { METRIC, SPAN } from './names.ts';
import { startTelemetry } from './start.ts';

delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
const telemetry = startTelemetry('platform-test');

test('a finished span is kept with its status, attributes and parent', () => {
  const { tracer } = instruments();
  tracer.startActiveSpan(SPAN.gatewayCall, { attributes: { tool_name: 'x' } }, (span) => {
    tracer.startSpan(SPAN.guardScan).end();
    span.setStatus({ code: 2, message: 'denied' });
    span.end();
  });
  const [child, parent] = telemetry.spans();
  assert.is(parent?.name, SPAN.gatewayCall);
  assert.is(parent?.status, 'error');
  assert.equal(parent?.attributes, { tool_name: 'x' });
  assert.is(child?.parentSpanId, parent?.spanId);
});

test('only the newest spans are kept, so that memory stays bounded', () => {
  for (let i = 0; i < 600; i++) instruments().tracer.startSpan(`span ${i}`).end();
  const names = telemetry.spans().map((span) => span.name);
  assert.is(names.length, 500);
  assert.is(names.at(-1), 'span 599');
});

test('counters and histograms can be read at any time', async () => {
  instruments().toolInvocations.add(2, { tool_name: 'x' });
  instruments().toolDuration.record(0.25);
  const metrics = await telemetry.metrics();
  assert.is(metrics.find((metric) => metric.name === METRIC.toolInvocations)?.value, 2);
  assert.equal(metrics.find((metric) => metric.name === METRIC.toolDuration)?.value, {
    count: 1,
    sum: 0.25,
  });
});

test.after(() => telemetry.shutdown());
test.run();
