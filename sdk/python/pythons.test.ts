// The Python SDK's wheel passes its tests on every other Python that is on this machine, from 3.10 on.
import { test } from 'uvu';
import { needs } from '../../runtime/testing/needs.ts';
import { pythonInterpreters } from './interpreters.ts';
import { buildForTests, testWheel } from './wheel-tests.ts';

/** Few: the machine's own Python has been asked many times (python.test.ts). */
const EXAMPLES = 10;
const [, ...others] = needs('python') ? pythonInterpreters() : [];

if (others.length > 0) {
  const built = await buildForTests();
  for (const interpreter of others) {
    test(`the wheel passes its tests on Python ${interpreter.version}`, () => {
      testWheel(built, interpreter, EXAMPLES);
    });
  }
  test.after(() => built.remove());
}

test.run();
