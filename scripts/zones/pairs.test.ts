// What byte pair encoding packs comes out again, stream by stream.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compress, type Packed } from './pairs.ts';

function unpack({ pairs }: Packed, stream: readonly number[]): number[] {
  return stream.flatMap((symbol) =>
    symbol < 256 ? [symbol] : unpack({ pairs, streams: [] }, pairs[symbol - 256]!),
  );
}

test('gives back every stream', () => {
  const byte = fc.oneof(fc.constantFrom(1, 2, 3), fc.nat(255));
  fc.assert(
    fc.property(fc.array(fc.array(byte, { maxLength: 60 }), { maxLength: 8 }), (streams) => {
      const packed = compress(streams);
      assert.equal(
        packed.streams.map((stream) => unpack(packed, stream)),
        streams,
      );
    }),
    { numRuns: 300 },
  );
});

test('makes a repetition short', () => {
  const [stream] = compress([Array.from({ length: 512 }, (_, i) => i % 2)]).streams;
  assert.ok(stream!.length < 10, `${stream!.length}`);
});

test.run();
