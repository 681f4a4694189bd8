// The metrics page: one family once, whatever registries stand on it, and bounded however many proxies there are.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metricsPage, OutboundMetrics, ProxyMetrics } from './metrics.ts';

const test = suite('proxy metrics');

test('a page of two registries has each family once, with its help and both directions', () => {
  const inbound = new ProxyMetrics('inbound', () => ({ platform_proxy_connections: 3 }));
  const outbound = new OutboundMetrics();
  inbound.stream('web', 200, 3, 10, 20);
  outbound.stream('web', 403, 3, 1, 2);
  outbound.refused('svid_denied');
  outbound.open = 7;
  const page = metricsPage([inbound, outbound]);
  const typed = [...page.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name]) => name);
  const helped = [...page.matchAll(/^# HELP (\S+) \S/gm)].map(([, name]) => name);
  assert.equal(typed, helped);
  assert.is(new Set(typed).size, typed.length);
  let family = '';
  for (const line of page.trim().split('\n')) {
    if (line.startsWith('# ')) family = line.split(' ')[2]!;
    else assert.ok(line.startsWith(family), `${line} stands under ${family}`);
  }
  assert.match(page, 'requests_total{direction="inbound",service="web",status="200"} 1');
  assert.match(page, 'requests_total{direction="outbound",service="web",status="403"} 1');
  assert.match(page, 'refused_total{direction="outbound",reason="svid_denied"} 1');
  assert.match(page, 'connections{direction="inbound"} 3');
  assert.match(page, 'connections{direction="outbound"} 7');
});

test('what a label holds cannot end it', () => {
  const metrics = new ProxyMetrics('inbound', () => ({}));
  metrics.stream('a"} 1\nb\\', 200, 1, 0, 0);
  assert.match(metricsPage([metrics]), 'service="a\\"} 1\\nb\\\\",status="200"} 1');
});

test.run();
