// The same inputs through Envoy, over the filter that ships, and through Chromium: the ids that Node gives.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../runtime/testing/needs.ts';
import { compareHosts } from '../scripts/parity/compare.ts';
import type { HostName } from '../scripts/parity/host.ts';
import { exampleOf } from '../scripts/parity/report.ts';
import { startHosts } from '../scripts/parity/start.ts';

const COUNT = 4000;
const SEED = 20260102;
const test = suite('parity of proxies and browsers');

for (const name of ['envoy', 'chromium'] as const satisfies HostName[]) {
  if (!needs(name)) continue;
  test(`${name} computes the ids that Node computes`, async () => {
    await using running = await startHosts([name]);
    const report = await compareHosts({ ...running, inputs: COUNT, seed: SEED });
    assert.is(report.inputs, COUNT);
    assert.is(report.differences.map(exampleOf).join('\n'), '');
    assert.is(report.hosts.get(name)?.differing, 0);
  });
}

test.run();
