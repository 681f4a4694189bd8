// The models' features, rounding and files, and that the shipped module says what the training scripts compute.

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Guard } from '../../runtime/modules/guard.ts';
import { moduleBytes } from '../../runtime/modules/source.ts';
import { Normaliser } from '../../wasm/guard/normalise/testing.ts';
import { scoreOf } from './eval-scanner.ts';
import { Features } from './features.ts';
import { random } from './generate.ts';
import { logOdds, round, type Samples, train, widened } from './logistic.ts';
import { BUCKETS, decodeModel, encodeModel, MODEL_BYTES } from './model-file.ts';
import { packed } from './samples.ts';

const features = await Features.create();

/** Words that attack, in samples of our own, and words that do not. */
function samples(seed: number): Samples {
  const next = random(seed);
  const word = (list: string[]) => list[Math.floor(next() * list.length)]!;
  const windows = Array.from({ length: 200 }, (_, i) => {
    const harmless = Array.from({ length: 6 }, () =>
      word(['tea', 'boat', 'paper', 'walk', 'green']),
    );
    return i % 4 === 0 ? [...harmless, word(['ignore', 'jailbreak']), 'rules'] : harmless;
  });
  return {
    ...packed(windows.map((words) => features.of(words.join(' ')))),
    labels: Uint8Array.from(windows, (_, i) => (i % 4 === 0 ? 1 : 0)),
    weights: new Float32Array(windows.length).fill(1),
  };
}

const options = { buckets: BUCKETS, seed: 1, epochs: 3, rate: 0.3, penalty: 1e-4 };

test('features are words, pairs of words and n-grams of characters with the edges of their word', () => {
  // One word: itself; of `_abc_` three trigrams, two of four and one of five.
  assert.is(features.of('abc').length, 1 + 3 + 2 + 1);
  // Two words of one letter: themselves, `_a_`, `_b_`, and the pair.
  assert.is(features.of('a b').length, 2 + 2 + 1);
  // A third word adds a pair and a pair over the gap.
  assert.is(features.of('a b c').length, 3 + 3 + 2 + 1);
  assert.is(features.of('').length, 0);
  assert.is(features.of('  ').length, 0);
});

test('every bucket exists, and a window has no more features than its length allows', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 3000 }), (text) => {
      const found = features.of(text);
      assert.ok(found.every((bucket) => bucket < BUCKETS));
      assert.ok(found.length <= Math.min(8192, 5 * Buffer.byteLength(text)));
    }),
    { numRuns: 300 },
  );
});

test('training tells attacks from the rest and gives the same bytes again', () => {
  const first = encodeModel(round(train(samples(3), options)));
  const second = encodeModel(round(train(samples(3), options)));
  assert.equal(first, second);
  const model = widened(decodeModel(first));
  const held = samples(4);
  const odds = Array.from(held.labels, (_, i) => logOdds(model, held, i));
  const of = (label: number) => odds.filter((_, i) => held.labels[i] === label);
  assert.ok(Math.min(...of(1)) > Math.max(...of(0)));
});

test('rounding moves no log-odds by more than half a unit for each root of a feature', () => {
  const linear = train(samples(5), options);
  const rounded = round(linear);
  // What is cut to fit is not rounded.
  linear.weights.forEach((weight, i) => {
    if (Math.abs(weight) > 127 * rounded.unit) return;
    assert.ok(Math.abs(rounded.weights[i]! * rounded.unit - weight) <= rounded.unit / 2 + 1e-12);
  });
});

test('a model file is 64 KB and read back as it was; other bytes are refused', () => {
  const rounded = round(train(samples(6), options));
  const bytes = encodeModel(rounded);
  assert.is(bytes.length, MODEL_BYTES);
  // A Buffer's slice is a view, and its memory begins elsewhere.
  const shifted = Buffer.concat([Buffer.from('xyz'), bytes]).subarray(3);
  assert.equal(decodeModel(shifted).weights, rounded.weights);
  assert.ok(Math.abs(decodeModel(bytes).bias - rounded.bias) <= 0.0005);
  assert.throws(() => decodeModel(bytes.subarray(1)), /not the bytes/);
  assert.throws(() => decodeModel(new Uint8Array(MODEL_BYTES)), /not the bytes/);
});

/** The log-odds in thousandths as the module computes them: integers only. */
function shippedOdds(model: Uint8Array, window: string): number {
  const view = new DataView(model.buffer, model.byteOffset, model.byteLength);
  const found = features.of(window);
  if (found.length === 0) return -20_000;
  let sum = 0;
  for (const bucket of found) sum += view.getInt8(64 + bucket);
  const scaled = Math.trunc(
    (sum * view.getUint32(8, true)) / Math.floor(Math.sqrt(found.length * 65536)),
  );
  return Math.max(-20_000, Math.min(20_000, view.getInt32(4, true) + scaled));
}

test('the shipped module judges a sentence as the training scripts do', async () => {
  const guard = Guard.create(moduleBytes('guard'));
  const normaliser = await Normaliser.create();
  const model = readFileSync(new URL('../../wasm/guard/models/toxicity.bin', import.meta.url));
  const words = [
    'you',
    'stupid',
    'idiot',
    'thanks',
    'friend',
    'lovely',
    'шут',
    '你好',
    'go away',
    'Ärger',
  ];
  const sentence = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(sentence, (list) => {
      const text = list.join(' ');
      const odds = shippedOdds(model, normaliser.readings(text).folded);
      const score = scoreOf(guard, 'Toxicity', text);
      assert.ok(
        Math.abs(score - 1000 / (1 + Math.exp(-odds / 1000))) < 12,
        `${text}: ${score} and ${odds}`,
      );
    }),
    { numRuns: 200 },
  );
});

test.run();
