// Turns a set of code points into sets of the bytes of their UTF-8, in sequences that share their ends.
import type { Ranges } from './re2-class.ts';

/** Bytes `low` to `high`, then what follows them. */
export interface Edge {
  low: number;
  high: number;
  /** The edges of the next byte; undefined behind the last one. */
  next?: Edge[];
}

/** The last code point of one, two, three and four bytes of UTF-8. */
const LENGTH_LIMITS = [0x7f, 0x7ff, 0xffff, 0x10ffff];
const CONTINUATION: Edge = { low: 0x80, high: 0xbf };

/**
 * The edges of the first byte. Texts are valid UTF-8: where all that is not ASCII is in the set, sequences that valid
 * text never has are in it as well, which makes it small.
 */
export function utf8Edges(ranges: Ranges): Edge[] {
  const edges: Edge[] = [];
  for (const [low, high] of ranges) {
    if (low <= 0x7f) edges.push({ low, high: Math.min(high, 0x7f) });
  }
  const last = ranges.at(-1);
  if (last !== undefined && last[0] <= 0x80 && last[1] === 0x10ffff) {
    const one = [CONTINUATION];
    const two: Edge[] = [{ ...CONTINUATION, next: one }];
    const three: Edge[] = [{ ...CONTINUATION, next: two }];
    edges.push({ low: 0xc2, high: 0xdf, next: one });
    edges.push({ low: 0xe0, high: 0xef, next: two });
    edges.push({ low: 0xf0, high: 0xf4, next: three });
    return edges;
  }
  const sequences = ranges.flatMap(([low, high]) => sequencesOf(Math.max(low, 0x80), high));
  return [...edges, ...shared(sequences, new Map())];
}

type Sequence = readonly (readonly [number, number])[];

/** The sequences of byte ranges of the code points `low` to `high`, none of them ASCII. */
function sequencesOf(low: number, high: number): Sequence[] {
  if (low > high) return [];
  for (const limit of LENGTH_LIMITS) {
    if (low <= limit && limit < high) {
      return [...sequencesOf(low, limit), ...sequencesOf(limit + 1, high)];
    }
  }
  // Halves of surrogate pairs have no UTF-8.
  if (low <= 0xdfff && high >= 0xd800) {
    return [...sequencesOf(low, 0xd7ff), ...sequencesOf(0xe000, high)];
  }
  for (let bits = 6; bits <= 18; bits += 6) {
    const mask = (1 << bits) - 1;
    if ((low & ~mask) === (high & ~mask)) continue;
    if ((low & mask) !== 0) {
      return [...sequencesOf(low, low | mask), ...sequencesOf((low | mask) + 1, high)];
    }
    if ((high & mask) !== mask) {
      return [...sequencesOf(low, (high & ~mask) - 1), ...sequencesOf(high & ~mask, high)];
    }
  }
  const first = encode(low);
  const last = encode(high);
  return [first.map((byte, index) => [byte, last[index]!] as const)];
}

function encode(point: number): number[] {
  return [...new TextEncoder().encode(String.fromCodePoint(point))];
}

/** Joins sequences that begin alike, and those that end alike by keeping each tail once. */
function shared(sequences: readonly Sequence[], known: Map<string, Edge[]>): Edge[] {
  const key = JSON.stringify(sequences);
  const before = known.get(key);
  if (before !== undefined) return before;
  const heads = new Map<string, { low: number; high: number; tails: Sequence[] }>();
  for (const [head, ...tail] of sequences) {
    const [low, high] = head!;
    const name = `${low}-${high}`;
    const entry = heads.get(name) ?? { low, high, tails: [] };
    if (tail.length > 0) entry.tails.push(tail);
    heads.set(name, entry);
  }
  const edges = [...heads.values()].map(({ low, high, tails }): Edge => {
    return tails.length === 0 ? { low, high } : { low, high, next: shared(tails, known) };
  });
  known.set(key, edges);
  return edges;
}
