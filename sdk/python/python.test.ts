// Runs the Python SDK's own tests, and its wheel in an environment that has never seen this repository.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../../runtime/testing/needs.ts';
import { pythonForTests, pythonWith, sdkRequirements } from './environment.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const prices = fileURLToPath(new URL('../prices.json', import.meta.url));
const wasm = fileURLToPath(new URL('../../wasm/build', import.meta.url));

function python(path: string, args: string[], cwd: string): string {
  const { PYTHONPATH: _, ...env } = process.env;
  return execFileSync(path, ['-B', ...args], { cwd, encoding: 'utf8', env, stdio: 'pipe' });
}

if (needs('python')) {
  test('the Python tests pass', async () => {
    const { python: interpreter } = await pythonForTests();
    assert.match(python(interpreter, ['-m', 'pytest', '--no-header'], here), /\d+ passed/);
  });

  test('the wheel works where the repository is not', () => {
    const folder = mkdtempSync(join(tmpdir(), 'platform-wheel-'));
    try {
      const source = join(folder, 'sdk', 'python');
      cpSync(here, source, { recursive: true });
      cpSync(prices, join(folder, 'sdk', 'prices.json'));
      mkdirSync(join(folder, 'wasm'));
      cpSync(wasm, join(folder, 'wasm', 'build'), { recursive: true });
      const builder = pythonWith('sdk-build', ['setuptools==84.2.1', 'wheel==0.48.0']);
      const wheelArguments = ['wheel', '.', '--no-deps', '--no-build-isolation', '-w', folder];
      python(builder, ['-m', 'pip', '--quiet', ...wheelArguments], source);
      rmSync(join(folder, 'sdk'), { recursive: true });
      rmSync(join(folder, 'wasm'), { recursive: true });
      const wheel = readdirSync(folder).find((name) => name.endsWith('.whl'));
      const installed = pythonWith('sdk-wheel', sdkRequirements);
      const site = join(folder, 'site');
      python(
        installed,
        ['-m', 'pip', '-q', 'install', '--no-deps', '-t', site, join(folder, wheel!)],
        folder,
      );
      const program = [
        'import sys; sys.path.insert(0, "site")',
        'from platform_sdk import guard, scope',
        'from platform_sdk.llm.usage import Usage; print(Usage(input=1_000_000).cost("gpt-4o"))',
        'print(guard.scan_prompt("mail ann@example.com")["is_valid"], scope.covers("spiffe://t/*", "spiffe://t/a"))',
      ].join('\n');
      assert.is(python(installed, ['-c', program], folder).trim(), '2.5\nFalse True');
      writeFileSync(join(site, 'platform_sdk', 'modules', 'scope.wasm'), 'not the module');
      assert.throws(() => python(installed, ['-c', program], folder), /damaged/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

test.run();
