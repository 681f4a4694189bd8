// What is sealed opens only with the same key, for the same purpose, unchanged.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createSealer } from './seal.ts';
import { failure } from './testing.ts';

const sealer = createSealer(Buffer.alloc(32, 1));

test('opens what it sealed, and nothing with a bit changed', () => {
  const contexts = fc.array(fc.string(), { maxLength: 4 });
  fc.assert(
    fc.property(fc.uint8Array(), contexts, fc.nat(), fc.nat(7), (plain, context, at, bit) => {
      const sealed = sealer.seal(plain, context);
      assert.equal([...sealer.open(sealed, context)!], [...plain]);
      const changed = Uint8Array.from(sealed);
      changed[at % changed.length]! ^= 1 << bit;
      assert.is(sealer.open(changed, context), undefined);
      assert.is(sealer.open(sealed.subarray(0, at % sealed.length), context), undefined);
    }),
  );
});

test('no other context opens it, however it is cut', () => {
  const sealed = sealer.seal(Buffer.from('x'), ['a', 'b,c']);
  for (const context of [
    ['a', 'b', 'c'],
    ['a,b', 'c'],
    ['a"', '"b,c'],
    [],
    ['a'],
    ['a', 'b,c', ''],
  ]) {
    assert.is(sealer.open(sealed, context), undefined);
  }
});

test('the same twice does not look the same', () => {
  const twice = [1, 2].map(() => Buffer.from(sealer.seal(Buffer.from('x'), [])).toString('hex'));
  assert.is.not(twice[0], twice[1]);
});

test('another key opens nothing, and a key of another length is none', async () => {
  const other = createSealer(Buffer.alloc(32, 2));
  assert.is(other.open(sealer.seal(Buffer.from('x'), []), []), undefined);
  for (const length of [0, 16, 31, 33, 64]) {
    assert.is(await failure(() => createSealer(Buffer.alloc(length))), 'configuration_invalid');
  }
});

test.run();
