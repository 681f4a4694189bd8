// Runs the tests of the Python SDK's platform_llm with the providers' real packages, and its policies.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeSamplePair } from '../../runtime/bundle/testing.ts';
import { needs } from '../../runtime/testing/needs.ts';
import { pythonSdk, pythonWith, sdkRequirements, testRequirements } from './environment.ts';

const run = promisify(execFile);
const here = fileURLToPath(new URL('.', import.meta.url));

function requirements(): string[] {
  const lines = readFileSync(join(here, 'tests', 'llm', 'requirements.txt'), 'utf8').split('\n');
  return [...sdkRequirements, ...testRequirements, ...lines.filter((line) => /^[a-z]/.test(line))];
}

if (needs('python')) {
  test('the wrapped clients of four providers behave', async () => {
    const python = pythonWith('sdk-llm', requirements(), { paths: [pythonSdk] });
    const bundles = mkdtempSync(join(tmpdir(), 'platform-llm-'));
    try {
      await writeSamplePair(bundles);
      const { PYTHONPATH: _, ...env } = process.env;
      const { stdout } = await run(python, ['-B', '-m', 'pytest', '--no-header', 'tests/llm'], {
        cwd: here,
        env: { ...env, PLATFORM_NODE: process.execPath, TEST_BUNDLES: bundles },
        maxBuffer: 64 << 20,
      }).catch((error: { stdout: string; stderr: string }) => {
        throw new Error(`${error.stdout}\n${error.stderr}`);
      });
      assert.match(stdout, /\d+ passed/);
      assert.not.match(stdout, /skipped/);
    } finally {
      rmSync(bundles, { recursive: true, force: true });
    }
  });
}

test.run();
