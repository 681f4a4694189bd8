// No more than so much runs at once, everything runs in the order it came, and a failure hands its turn on.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Turns } from './turns.ts';

const test = suite('turns');

test('two at once, first come first served, also when work fails', async () => {
  const turns = new Turns(2);
  const order: number[] = [];
  let running = 0;
  let most = 0;
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) =>
      turns.run(async () => {
        order.push(index);
        running += 1;
        most = Math.max(most, running);
        assert.not(turns.isFree);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        if (index % 3 === 0) throw new Error(`no ${index}`);
        return index;
      }),
    ),
  );
  assert.is(most, 2);
  assert.equal(
    order,
    Array.from({ length: 20 }, (_, index) => index),
  );
  assert.is(results.filter(({ status }) => status === 'rejected').length, 7);
  assert.ok(turns.isFree);
});

test.run();
