// Header maps on their way into and out of a filter's memory, and what a filter may write into them.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { HeaderMap } from './header-map.ts';
import { decodePairs, encodePairs } from './pairs.ts';

const test = suite('pairs');

const fieldText = fc.string({
  unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
});

test('header maps come back as they were; other bytes are no map', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fieldText, fieldText)), (pairs) => {
      assert.equal(decodePairs(encodePairs(pairs)), pairs);
    }),
  );
  assert.equal(
    encodePairs([
      ['a', '1'],
      ['b', '22'],
    ]),
    Buffer.from(
      '02000000 01000000 01000000 01000000 02000000 61003100 6200323200'.replaceAll(' ', ''),
      'hex',
    ),
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      const pairs = decodePairs(bytes);
      if (pairs === undefined || bytes.length <= 1) return;
      assert.equal(Buffer.from(encodePairs(pairs)), Buffer.from(bytes));
    }),
    { numRuns: 2000 },
  );
});

test('what a filter writes into headers cannot end a line or make up a pseudo-header', () => {
  const map = new HeaderMap([
    [':path', '/'],
    ['A', '1'],
    ['a', '2'],
  ]);
  for (const [name, value] of [
    ['x', 'a\r\nb: c'],
    ['x', 'a\0b'],
    ['x y', '1'],
    ['', '1'],
    ['x:', '1'],
    [':fragment', '1'],
    ['é', '1'],
  ] as const) {
    assert.not.ok(map.add(name, value), name);
    assert.not.ok(map.replace(name, value), name);
    assert.not.ok(map.set([[name, value]]), name);
  }
  assert.is(map.value('A'), '1,2');
  assert.ok(map.replace('A', '3'));
  assert.ok(map.add(':method', 'GET'));
  assert.equal(map.pairs, [
    [':method', 'GET'],
    [':path', '/'],
    ['a', '3'],
  ]);
  assert.not.ok(map.add('big', 'x'.repeat(1 << 20)));
});

test.run();
