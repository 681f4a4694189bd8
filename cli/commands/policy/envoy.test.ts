// `platform policy envoy` as an operator runs it: once, following bundles, and with bundles that are not good.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeBundleKey } from '../../../runtime/bundle/keys.ts';
import { writeSamplePair } from '../../../runtime/bundle/testing.ts';
import { sampleData } from '../../../runtime/testing/sample-data.ts';

const platform = fileURLToPath(new URL('../../platform.ts', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'envoy-verb-'));
const at = (...names: string[]) => join(root, ...names);
const { keys } = await writeSamplePair(at('bundles'));
await writeBundleKey(at('key'), keys);
const env = { ...process.env, NO_COLOR: '1' };
const options = ['policy', 'envoy', '--bundles', at('bundles'), '--key', at('key.pub')];

function run(...argv: string[]): Promise<{ code: number; out: string; error: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [platform, ...argv], { env }, (error, out, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, error: stderr });
    });
  });
}

interface Line {
  discovery: string;
  filter: string;
  data_revision: string;
}

/** The plugin's configuration that a discovery file holds, and the module that it names. */
function discovered(file: string): { configuration: Record<string, unknown>; module: string } {
  const [resource] = JSON.parse(readFileSync(file, 'utf8')).resources;
  const { config } = resource.typed_config;
  assert.is(resource.name, 'mesh');
  assert.is(config.failure_policy, 'FAIL_RELOAD');
  return {
    configuration: JSON.parse(config.configuration.value),
    module: config.vm_config.code.local.filename,
  };
}

test('it writes the module and the file that names it, and shows what belongs into Envoy', async () => {
  const { code, out, error } = await run(...options, '--service', 'vault', '--out', at('once'));
  assert.is(code, 0, error);
  assert.match(out, /written .*mesh\.json/);
  assert.match(out, /"config_discovery"/);
  const { configuration, module } = discovered(at('once', 'mesh.json'));
  assert.is(configuration.service, 'vault');
  assert.is(configuration.trust_domain, 'platform.local');
  assert.equal(readFileSync(module), readFileSync(at('bundles', 'policy', 'filter.wasm')));
  assert.equal(readdirSync(at('once')).length, 2);
});

test('with --watch each new pair is written, and a bad one changes nothing', async () => {
  const child = spawn(
    process.execPath,
    [platform, ...options, '--service', 'vault', '--out', at('watched'), '--watch', '--json'],
    { env, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value as string) as Line;
  const first = await next();
  await writeSamplePair(at('bundles'), { keys, data: sampleData(21) });
  const second = await next();
  assert.is.not(second.data_revision, first.data_revision);
  assert.is(second.filter, first.filter, 'the policy is the same');
  const { configuration } = discovered(second.discovery);
  assert.is(configuration.data_revision, second.data_revision);
  const before = readFileSync(second.discovery, 'utf8');
  const good = readFileSync(at('bundles', 'data', 'data.json'));
  const refused = once(child.stderr, 'data');
  writeFileSync(at('bundles', 'data', 'data.json'), '{}');
  assert.match(String((await refused)[0]), /warning bundle_/);
  assert.is(readFileSync(second.discovery, 'utf8'), before);
  writeFileSync(at('bundles', 'data', 'data.json'), good);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  assert.equal(await ended, [0, null]);
});

test('bundles of another key, and a wrong command line, write nothing', async () => {
  const other = await writeSamplePair(at('other'));
  await writeBundleKey(at('other-key'), other.keys);
  const wrong = ['policy', 'envoy', '--bundles', at('bundles'), '--key', at('other-key.pub')];
  const refused = await run(...wrong, '--service', 'vault', '--out', at('refused'), '--json');
  assert.is(refused.code, 1);
  assert.match(JSON.parse(refused.error).error.code, /^bundle_/);
  assert.not(existsSync(at('refused')));
  assert.is((await run(...options, '--out', at('refused'))).code, 2);
});

test.after(() => rmSync(root, { recursive: true, force: true }));
test.run();
