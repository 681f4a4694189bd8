// The same inputs through Envoy, over the filter that ships, and through Chromium: the ids that Node gives.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../runtime/testing/needs.ts';
import { compareHosts } from '../scripts/parity/compare.ts';
import type { HostName } from '../scripts/parity/host.ts';
import { compareInline } from '../scripts/parity/inline.ts';
import { exampleOf } from '../scripts/parity/report.ts';
import { samplePairOnDisk, startHosts } from '../scripts/parity/start.ts';

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

if (needs('envoy')) {
  test('requests with certificates and bodies have the ids in the access log that Node computes', async () => {
    await using pair = await samplePairOnDisk();
    const options = { peers: 120, bodies: 120, seed: SEED };
    const { requests, allowed, reasons, differences } = await compareInline(pair, options);
    assert.equal(differences, []);
    assert.ok(requests >= 200 && allowed > 20, `${requests} logged, ${allowed} allowed`);
    const codes = [...reasons.keys()];
    for (const code of [
      'guard_blocked',
      'unknown_caller',
      'message_not_listed',
      'spiffe_',
      'input_',
    ]) {
      assert.ok(
        codes.some((reason) => reason.startsWith(code)),
        code,
      );
    }
  });
}

test.run();
