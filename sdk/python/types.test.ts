// The Python SDK is clean to the checkers that its users have: two of types, and one of lint and form.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../../runtime/testing/needs.ts';
import { pythonWith, sdkRequirements } from './environment.ts';
import { runPython } from './wheel.ts';

const here = fileURLToPath(new URL('.', import.meta.url));

if (needs('python')) {
  const python = pythonWith('sdk-checks', [
    ...sdkRequirements,
    ...['mypy==2.4.1', 'pyright==1.1.414', 'ruff==0.17.6'],
  ]);
  // Pyright runs in the Node that is found first.
  const variables = { PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
  const check = (args: readonly string[]) => runPython(python, ['-m', ...args], here, variables);

  test('mypy finds nothing to complain about, at its strictest, for Python 3.10', () => {
    const printed = check(['mypy', '--cache-dir', '/dev/null', 'src']);
    assert.match(printed, /^Success: no issues found/m);
  });

  test('pyright finds nothing to complain about, for Python 3.10', () => {
    const printed = check(['pyright', '--pythonpath', python, 'src']);
    assert.match(printed, /^0 errors, 0 warnings/m);
  });

  test('ruff finds nothing to complain about', () => {
    assert.match(check(['ruff', 'check', '--no-cache', '.']), /All checks passed/);
    assert.match(check(['ruff', 'format', '--no-cache', '--check', '.']), /already formatted/);
  });
}

test.run();
