// The Python SDK's wheel passes its tests where the repository is not, on the machine's own Python.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../../runtime/testing/needs.ts';
import { pythonInterpreters } from './interpreters.ts';
import { installWheel, runPython } from './wheel.ts';
import { buildForTests, testWheel } from './wheel-tests.ts';

const EXAMPLES = 100;
const PROGRAM = [
  'from platform_sdk import guard, scope',
  'from platform_sdk.llm.usage import Usage; print(Usage(input=1_000_000).cost("gpt-4o"))',
  'print(guard.scan_prompt("mail ann@example.com")["is_valid"], scope.covers("spiffe://t/*", "spiffe://t/a"))',
].join('\n');

if (needs('python')) {
  const [own] = pythonInterpreters();
  const built = await buildForTests();

  test(`the wheel passes its tests on Python ${own!.version}`, () => {
    testWheel(built, own!, EXAMPLES);
  });

  test('a damaged module of the wheel is not run', () => {
    const place = join(built.folder, 'damaged');
    const { python, site } = installWheel(built.wheel, own!, place);
    assert.is(runPython(python, ['-c', PROGRAM], place).trim(), '2.5\nFalse True');
    writeFileSync(join(site, 'platform_sdk', 'modules', 'scope.wasm'), 'not the module');
    assert.throws(() => runPython(python, ['-c', PROGRAM], place), /damaged/);
  });

  test.after(() => built.remove());
}

test.run();
