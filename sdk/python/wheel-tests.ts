// Runs the Python package's own tests against its wheel, from a folder where nothing of the repository is.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as assert from 'uvu/assert';
import { createBundleKey, writeBundleKey } from '../../runtime/bundle/keys.ts';
import { writeSamplePair } from '../../runtime/bundle/testing.ts';
import { sampleData } from '../../runtime/testing/sample-data.ts';
import type { Interpreter } from './interpreters.ts';
import { buildWheel, installWheel, runPython } from './wheel.ts';

const tests = fileURLToPath(new URL('tests', import.meta.url));
const cli = fileURLToPath(new URL('../../cli/platform.ts', import.meta.url));

/** A wheel, and bundles to test it with: two pairs that one key has signed. */
export interface BuiltWheel {
  folder: string;
  wheel: string;
  remove(): void;
}

/** Builds the wheel, and signs the bundles; a few seconds of work. */
export async function buildForTests(): Promise<BuiltWheel> {
  const folder = mkdtempSync(join(tmpdir(), 'platform-wheel-'));
  const keys = await createBundleKey();
  await writeSamplePair(join(folder, 'bundles', 'one'), { keys, data: sampleData(20) });
  await writeSamplePair(join(folder, 'bundles', 'two'), { keys, data: sampleData(40) });
  await writeBundleKey(join(folder, 'bundles', 'bundle.jwk'), keys);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  return { folder, wheel: buildWheel(folder), remove };
}

/** Installs the wheel for an interpreter and runs all tests but those of `llm`; each property so many times. */
export function testWheel(built: BuiltWheel, interpreter: Interpreter, examples: number): void {
  const place = join(built.folder, interpreter.version);
  const { python, site } = installWheel(built.wheel, interpreter, place);
  const where = ['-c', 'import platform_sdk; print(platform_sdk.__file__)'];
  assert.ok(runPython(python, where, place).startsWith(site));
  const args = ['-m', 'pytest', '-p', 'no:cacheprovider', '--no-header', tests];
  const printed = runPython(python, [...args, '--ignore', join(tests, 'llm')], place, {
    TEST_BUNDLES: join(built.folder, 'bundles'),
    TEST_CLI: cli,
    TEST_EXAMPLES: String(examples),
    TEST_NODE: process.execPath,
  });
  assert.match(printed, /\d+ passed/);
  assert.not.match(printed, /skipped|warning/);
}
