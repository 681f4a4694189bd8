// Byte pair encoding: the commonest pair of neighbours becomes a symbol of its own, again and again.

/** Streams of symbols: below 256 a byte, otherwise the pair of that number less 256. */
export interface Packed {
  readonly streams: number[][];
  readonly pairs: [number, number][];
}

/** A pair must occur so often to be worth its entry. */
const WORTH = 5;

/** Packs streams of bytes; each can be unpacked without the others. */
export function compress(bytes: readonly (readonly number[])[]): Packed {
  let streams = bytes.map((stream) => [...stream]);
  const pairs: [number, number][] = [];
  while (pairs.length < 4096) {
    const best = commonest(streams);
    if (!best || best.count < WORTH) break;
    const symbol = 256 + pairs.length;
    pairs.push([best.a, best.b]);
    streams = streams.map((stream) => replace(stream, best.a, best.b, symbol));
  }
  return { streams, pairs };
}

function commonest(
  streams: readonly number[][],
): { a: number; b: number; count: number } | undefined {
  const counts = new Map<number, number>();
  for (const stream of streams) {
    for (let i = 1; i < stream.length; i++) {
      const key = stream[i - 1]! * 65536 + stream[i]!;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      // Of three alike in a row only two are a pair.
      if (stream[i] === stream[i - 1] && stream[i] === stream[i + 1]) i++;
    }
  }
  let best: { a: number; b: number; count: number } | undefined;
  for (const [key, count] of counts) {
    if (!best || count > best.count) best = { a: Math.floor(key / 65536), b: key % 65536, count };
  }
  return best;
}

function replace(stream: readonly number[], a: number, b: number, symbol: number): number[] {
  const result: number[] = [];
  for (let i = 0; i < stream.length; i++) {
    if (stream[i] === a && stream[i + 1] === b) {
      result.push(symbol);
      i++;
    } else result.push(stream[i]!);
  }
  return result;
}
