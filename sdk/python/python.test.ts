// Builds the Python SDK's wheel once, installs it in a fresh environment of every Python there is, and runs its
// tests there.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createBundleKey, writeBundleKey } from '../../runtime/bundle/keys.ts';
import { writeSamplePair } from '../../runtime/bundle/testing.ts';
import { needs } from '../../runtime/testing/needs.ts';
import { sampleData } from '../../runtime/testing/sample-data.ts';
import { type Interpreter, pythonInterpreters } from './interpreters.ts';
import { buildWheel, installWheel, runPython } from './wheel.ts';

const tests = fileURLToPath(new URL('tests', import.meta.url));
const cli = fileURLToPath(new URL('../../cli/platform.ts', import.meta.url));

/** Runs the package's own tests against what is installed, from a folder outside the repository. */
function runTests(python: string, folder: string, bundles: string, examples: number): string {
  const args = ['-m', 'pytest', '-p', 'no:cacheprovider', '--no-header', tests];
  return runPython(python, [...args, '--ignore', join(tests, 'llm')], folder, {
    TEST_BUNDLES: bundles,
    TEST_CLI: cli,
    TEST_EXAMPLES: String(examples),
    TEST_NODE: process.execPath,
  });
}

const PROGRAM = [
  'from platform_sdk import guard, scope',
  'from platform_sdk.llm.usage import Usage; print(Usage(input=1_000_000).cost("gpt-4o"))',
  'print(guard.scan_prompt("mail ann@example.com")["is_valid"], scope.covers("spiffe://t/*", "spiffe://t/a"))',
].join('\n');

if (needs('python')) {
  const folder = mkdtempSync(join(tmpdir(), 'platform-wheel-'));
  const bundles = join(folder, 'bundles');
  const keys = await createBundleKey();
  await writeSamplePair(join(bundles, 'one'), { keys, data: sampleData(20) });
  await writeSamplePair(join(bundles, 'two'), { keys, data: sampleData(40) });
  await writeBundleKey(join(bundles, 'bundle.jwk'), keys);
  const wheel = buildWheel(folder);

  const testWith = (interpreter: Interpreter, examples: number) => {
    test(`the wheel passes its tests on Python ${interpreter.version}`, () => {
      const place = join(folder, interpreter.version);
      const { python, site } = installWheel(wheel, interpreter, place);
      const where = ['-c', 'import platform_sdk; print(platform_sdk.__file__)'];
      assert.ok(runPython(python, where, place).startsWith(site));
      const printed = runTests(python, place, bundles, examples);
      assert.match(printed, /\d+ passed/);
      assert.not.match(printed, /skipped|warning/);
    });
  };
  const [first, ...others] = pythonInterpreters();
  testWith(first!, 100);
  for (const interpreter of others) testWith(interpreter, 10);

  test('a damaged module of the wheel is not run', () => {
    const place = join(folder, 'damaged');
    const { python, site } = installWheel(wheel, first!, place);
    assert.is(runPython(python, ['-c', PROGRAM], place).trim(), '2.5\nFalse True');
    writeFileSync(join(site, 'platform_sdk', 'modules', 'scope.wasm'), 'not the module');
    assert.throws(() => runPython(python, ['-c', PROGRAM], place), /damaged/);
  });

  test.after(() => rmSync(folder, { recursive: true, force: true }));
}

test.run();
