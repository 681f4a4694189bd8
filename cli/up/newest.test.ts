// What is kept is the newest, never more than there is room for.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Newest } from './newest.ts';

const test = suite('newest');

test('keeps only the newest, within both bounds, and says whether any had to go', () => {
  const sizes = fc.array(fc.nat(12), { maxLength: 40 });
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 8 }), fc.nat(30), (sizes, itemsMax, bytesMax) => {
      const newest = new Newest<number>(itemsMax, bytesMax);
      sizes.forEach((bytes, index) => {
        newest.add(index, bytes);
      });
      const kept = newest.items();
      const bytesOf = (items: number[]) => items.reduce((sum, index) => sum + sizes[index]!, 0);
      assert.equal(
        kept,
        kept.map((_, at) => sizes.length - 1 - at),
      );
      assert.ok(kept.length <= itemsMax && bytesOf(kept) <= bytesMax);
      assert.is(newest.isCut, kept.length < sizes.length);
    }),
  );
});

test('what fits stays, and what is too large by itself does not', () => {
  const newest = new Newest<string>(2, 10);
  newest.add('a', 4);
  newest.add('b', 6);
  assert.equal(newest.items(), ['b', 'a']);
  assert.not(newest.isCut);
  newest.add('c', 1);
  assert.equal(newest.items(), ['c', 'b']);
  newest.add('d', 11);
  assert.equal(newest.items(), []);
  assert.ok(newest.isCut);
});

test.run();
