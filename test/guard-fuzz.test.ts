// The short form of `npm run fuzz:guard`: hostile texts in Node and Python, whole and in pieces.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../runtime/testing/needs.ts';
import { pythonForTests } from '../sdk/python/environment.ts';
import { fuzzGuard } from './guard-fuzz/run.ts';

const INPUTS = 4000;

if (needs('python')) {
  test('hostile texts are answered alike everywhere, in time that grows with them', async () => {
    const { python } = await pythonForTests();
    const seed = Math.floor(Math.random() * 2 ** 32);
    const report = await fuzzGuard({ inputs: INPUTS, seed, python });
    assert.equal(report.failures, [], `seed ${seed}`);
    assert.is(report.python, INPUTS);
    assert.ok(report.streamed > INPUTS / 10 && report.doubled > INPUTS / 40, `seed ${seed}`);
    assert.ok(report.kinds.length > 30, `only ${report.kinds.join(', ')} with seed ${seed}`);
  });
}

test.run();
