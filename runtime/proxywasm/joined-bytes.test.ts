// Bodies in parts, as a sender would choose them who wants them to take much memory.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { JoinedBytes } from './joined-bytes.ts';

const test = suite('joined bytes');

test('whatever the parts, the whole is what came, and what comes later changes nothing of it', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 5000 }), { maxLength: 20 }), (parts) => {
      const joined = new JoinedBytes();
      const wholes = parts.map((part) => {
        joined.add(part);
        return joined.whole();
      });
      for (const [index, whole] of wholes.entries()) {
        assert.is(Buffer.compare(whole, Buffer.concat(parts.slice(0, index + 1))), 0);
      }
      assert.is(joined.length, Buffer.concat(parts).length);
    }),
  );
});

test('a mebibyte that comes byte by byte takes little more than one that comes at once', () => {
  const bytes = 1 << 20;
  const taken = () => process.memoryUsage().heapUsed + process.memoryUsage().external;
  const before = taken();
  const joined = new JoinedBytes();
  for (let at = 0; at < bytes; at += 1) {
    // A slice of what was read of the connection, which it would keep whole.
    joined.add(Buffer.from([at]));
  }
  assert.is(joined.length, bytes);
  assert.ok(taken() - before < 48 * bytes, `${taken() - before} bytes`);
});

test.run();
