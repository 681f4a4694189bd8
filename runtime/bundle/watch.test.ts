import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BundleError, type PlatformError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { sampleData } from '../testing/sample-data.ts';
import { buildDataBundle } from './build.ts';
import type { BundleKeyPair } from './keys.ts';
import type { LoadedPair } from './pair.ts';
import { signBundle } from './sign.ts';
import { writeSamplePair } from './testing.ts';
import { type BundleWatcher, watchBundles } from './watch.ts';
import { writeBundle } from './write.ts';

const root = mkdtempSync(join(tmpdir(), 'watch-'));
let folders = 0;
const watchers: BundleWatcher[] = [];
// The watcher alone keeps no process running.
const running = setInterval(() => {}, 1000);
test.after(() => {
  clearInterval(running);
  for (const watcher of watchers) watcher.close();
  rmSync(root, { recursive: true, force: true });
});

interface World {
  folder: string;
  keys: BundleKeyPair;
  watcher: BundleWatcher;
  swaps: LoadedPair[];
  errors: PlatformError[];
}

/** A watcher that looks only when it is told or when the system reports a change. */
async function world(intervalMs = 3_600_000): Promise<World> {
  const folder = join(root, String(folders++));
  const { keys, trusted } = await writeSamplePair(folder);
  const errors: PlatformError[] = [];
  const swaps: LoadedPair[] = [];
  const watcher = await watchBundles(folder, trusted, {
    intervalMs,
    onError: (error) => errors.push(error),
  });
  watcher.onSwap((pair) => swaps.push(pair));
  watchers.push(watcher);
  return { folder, keys, watcher, swaps, errors };
}

async function writeData(folder: string, keys: BundleKeyPair, data: JsonObject): Promise<string> {
  const bundle = buildDataBundle(data);
  await signBundle(bundle.files, 'data', keys.privateKey);
  await writeBundle(bundle.files, join(folder, 'data'));
  return bundle.revision;
}

test('new data is in force with the policy that was', async () => {
  const { folder, keys, watcher, swaps } = await world();
  const before = watcher.current();
  const revision = await writeData(folder, keys, sampleData(5));
  await watcher.refresh();
  assert.is(watcher.current().data.revision, revision);
  assert.is(watcher.current().policy, before.policy);
  assert.is(swaps.at(-1), watcher.current());
  assert.is(watcher.lastError(), undefined);
});

test('a folder that links to itself is refused, and keeps nobody busy', async () => {
  const { folder, watcher } = await world();
  const before = watcher.current();
  const links = ['a', 'b', 'c'].map((name) => join(folder, 'policy', name));
  for (const link of links) symlinkSync('.', link);
  await watcher.refresh();
  assert.is(watcher.current(), before);
  assert.is(watcher.lastError()?.code, 'bundle_path_invalid');
  for (const link of links) rmSync(link);
  await watcher.refresh();
  assert.is(watcher.lastError(), undefined);
});

test('a bad bundle is reported once, the last good pair stays, and a good one ends it', async () => {
  const { folder, keys, watcher, errors } = await world();
  const before = watcher.current();
  writeFileSync(join(folder, 'data', 'data.json'), '{"agents":{}}');
  await watcher.refresh();
  await watcher.refresh();
  assert.is(watcher.current(), before);
  assert.equal(
    errors.map((error) => error.code),
    ['bundle_signature_invalid'],
  );
  assert.is(watcher.lastError()?.code, 'bundle_signature_invalid');
  const revision = await writeData(folder, keys, sampleData(6));
  await watcher.refresh();
  assert.is(watcher.current().data.revision, revision);
  assert.is(watcher.lastError(), undefined);
});

test('good data beside a bad policy changes nothing', async () => {
  const { folder, keys, watcher } = await world();
  const before = watcher.current();
  writeFileSync(join(folder, 'policy', 'policy.wasm'), 'half');
  await writeData(folder, keys, sampleData(7));
  await watcher.refresh();
  assert.is(watcher.current(), before);
});

test('without a good pair to begin with, the watcher does not start', async () => {
  const folder = join(root, String(folders++));
  const { trusted } = await writeSamplePair(folder);
  writeFileSync(join(folder, 'data', 'data.json'), '{"agents":{}');
  try {
    await watchBundles(folder, trusted);
    assert.unreachable();
  } catch (error) {
    assert.instance(error, BundleError);
    assert.is((error as BundleError).code, 'bundle_truncated');
  }
});

test('a change is found without being told', async () => {
  const { folder, keys, watcher } = await world(20);
  const swapped = new Promise<LoadedPair>((resolve) => {
    watcher.onSwap(resolve);
  });
  const revision = await writeData(folder, keys, sampleData(8));
  assert.is((await swapped).data.revision, revision);
});

test('whoever reads while bundles are written over and over sees only whole pairs', async () => {
  const { folder, keys, watcher, errors } = await world(5);
  const known = new Set([watcher.current().data.revision]);
  for (let round = 1; round <= 20; round++) {
    known.add(buildDataBundle(sampleData(round)).revision);
    await writeData(folder, keys, sampleData(round));
    assert.ok(known.has(watcher.current().data.revision));
  }
  await watcher.refresh();
  assert.is(watcher.current().data.revision, buildDataBundle(sampleData(20)).revision);
  assert.equal(errors, []);
});

test.run();
