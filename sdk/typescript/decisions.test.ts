// Decisions of the SDK under signed bundles: the ids of every host, and bundles that change while it decides.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeBundleKey } from '../../runtime/bundle/keys.ts';
import { loadPair } from '../../runtime/bundle/load.ts';
import { writeSamplePair } from '../../runtime/bundle/testing.ts';
import { createLocalDecider } from '../../runtime/decide/local.ts';
import { sampleData } from '../../runtime/testing/sample-data.ts';
import { sampleRequests } from '../../runtime/testing/sample-requests.ts';
import { openDecider } from './decisions.ts';
import type { PlatformError } from './errors.ts';

const folder = mkdtempSync(join(tmpdir(), 'sdk-decisions-'));
const { keys, trusted } = await writeSamplePair(folder);
const keyFile = join(folder, 'bundle.jwk');
await writeBundleKey(keyFile, keys);
const requests = sampleRequests(300, 8);

test('every request has the id that the services compute', async () => {
  const pair = await loadPair(folder, trusted);
  const service = createLocalDecider({ current: () => pair });
  const decider = await openDecider({ bundles: folder, keys: `${keyFile}.pub` });
  for (const request of requests) {
    assert.is(decider.decide(request).id, service.decide(request).id);
  }
  assert.equal(decider.revisions(), { policy: pair.policy.revision, data: pair.data.revision });
  decider.close();
});

test('new bundles are in force at once, bad ones never, and nothing fails in between', async () => {
  const errors: string[] = [];
  const decider = await openDecider({
    ...{ bundles: folder, keys: `${keyFile}.pub`, intervalMs: 60_000 },
    onError: (error: PlatformError) => errors.push(error.code),
  });
  const before = decider.revisions();
  await writeSamplePair(folder, { keys, data: sampleData(21) });
  await decider.refresh();
  const after = decider.revisions();
  assert.is(after.policy, before.policy);
  assert.is.not(after.data, before.data);
  assert.is(decider.decide(requests[0]!).dataRevision, after.data);
  writeFileSync(join(folder, 'data', 'data.json'), '{}');
  await decider.refresh();
  assert.equal(decider.revisions(), after);
  assert.is(decider.decide(requests[0]!).dataRevision, after.data);
  assert.is(errors.length, 1);
  decider.close();
});

test('without a good pair to begin with there is no decider', async () => {
  const open = openDecider({ bundles: join(folder, 'nowhere'), keys: `${keyFile}.pub` });
  assert.is(await open.then(String, (error: PlatformError) => error.code), 'bundle_missing');
});

test.after(() => rmSync(folder, { recursive: true, force: true }));
test.run();
