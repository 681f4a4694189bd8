// What stands in for Node in a browser gives what Node gives.
import { Buffer as NodeBuffer, isUtf8 as nodeIsUtf8 } from 'node:buffer';
import { createHash as nodeCreateHash, hash as nodeHash } from 'node:crypto';
import { isDeepStrictEqual as nodeIsDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonValue } from '../../json.ts';
import { Buffer, isUtf8 } from './buffer.ts';
import { createHash, hash, randomBytes, timingSafeEqual } from './crypto.ts';
import { isDeepStrictEqual } from './util.ts';

const bytes = fc.uint8Array({ maxLength: 300 });
const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 100 }), fc.string({ maxLength: 100 }));

test('SHA-256 of any pieces', () => {
  fc.assert(
    fc.property(fc.array(bytes, { maxLength: 6 }), (pieces) => {
      const [ours, nodes] = [createHash('sha256'), nodeCreateHash('sha256')];
      for (const piece of pieces) {
        ours.update(piece);
        nodes.update(piece);
      }
      assert.is(ours.digest('hex'), nodes.digest('hex'));
    }),
  );
  for (let length = 0; length < 200; length++) {
    const data = NodeBuffer.alloc(length, length);
    assert.is(hash('sha256', data, 'base64'), nodeHash('sha256', data, 'base64'));
  }
  assert.throws(() => createHash('md5'));
});

test('texts and bytes', () => {
  fc.assert(
    fc.property(text, (given) => {
      for (const encoding of ['utf8', 'latin1', 'hex', 'base64', 'base64url'] as const) {
        const [ours, nodes] = [Buffer.from(given, encoding), NodeBuffer.from(given, encoding)];
        if (/^(utf8|latin1)$/.test(encoding) || /^[\x20-\x7e]*$/.test(given)) {
          assert.equal([...ours], [...nodes], `${encoding} ${JSON.stringify(given)}`);
        }
      }
      assert.is(Buffer.byteLength(given), NodeBuffer.byteLength(given));
    }),
  );
  fc.assert(
    fc.property(bytes, (given) => {
      for (const encoding of ['utf8', 'latin1', 'hex', 'base64', 'base64url'] as const) {
        const expected = NodeBuffer.from(given).toString(encoding);
        assert.is(Buffer.from(given).toString(encoding), expected, encoding);
        const back = Buffer.from(expected, encoding);
        assert.equal([...back], [...NodeBuffer.from(expected, encoding)], encoding);
      }
    }),
  );
});

test('orders, parts and numbers', () => {
  fc.assert(
    fc.property(bytes, bytes, fc.nat({ max: 0xffffffff }), (left, right, number) => {
      assert.is(Buffer.compare(left, right), NodeBuffer.compare(left, right));
      const part = [1, 20, 2, 30] as const;
      const parts = (whole: Uint8Array) => whole.subarray(2, 30);
      assert.is(
        Buffer.from(left).compare(right, ...part),
        NodeBuffer.compare(parts(left), right.subarray(1, 20)),
      );
      assert.is(isUtf8(left), nodeIsUtf8(left));
      assert.is(timingSafeEqual(left, right), NodeBuffer.compare(left, right) === 0);
      assert.equal([...Buffer.concat([left, right])], [...NodeBuffer.concat([left, right])]);
      const [ours, nodes] = [Buffer.alloc(9), NodeBuffer.alloc(9)];
      ours.writeUInt32BE(number, 3);
      nodes.writeUInt32BE(number, 3);
      assert.equal([...ours], [...nodes]);
      assert.is(ours.readUInt32BE(3), number);
    }),
  );
  const whole = Buffer.from('abcdef');
  whole.slice(1, 3)[0] = 0x7a;
  assert.is(whole.toString('utf8', 1, 4), 'zcd');
  assert.is(whole.write('é', 2), 2);
  assert.is(randomBytes(70_000).length, 70_000);
});

test('equal values', () => {
  const value = fc.jsonValue() as fc.Arbitrary<JsonValue>;
  fc.assert(
    fc.property(value, value, (left, right) => {
      assert.is(isDeepStrictEqual(left, right), nodeIsDeepStrictEqual(left, right));
      assert.ok(isDeepStrictEqual(left, structuredClone(left)));
    }),
  );
});

test.run();
