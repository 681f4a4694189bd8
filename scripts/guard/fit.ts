// Fits one of the guard's models to its corpus, calibrates it and says how it did on what was set aside.

import type { Normaliser } from '../../wasm/guard/normalise/testing.ts';
import type { Corpus } from './corpus.ts';
import type { Features } from './features.ts';
import { type Linear, logOdds, type Rounded, round, train, widened } from './logistic.ts';
import { BUCKETS } from './model-file.ts';
import { type Windows, windowsOf } from './samples.ts';

const SEED = 1;
const EPOCHS = 4;
const RATE = 0.3;
const PENALTY = 3e-4;
/** In the second round this many windows of a text to be found count, and all that the first round found. */
const WINDOWS_KEPT = 2;

/** The value below which the share `share` of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/**
 * The weights for the second round: of a long attack most sentences are harmless ones, so that only
 * those count that the first round found, and the likeliest of each text.
 */
function secondRound(model: Linear, windows: Windows): Float32Array {
  const byOwner = new Map<number, { odds: number; index: number }[]>();
  windows.labels.forEach((label, index) => {
    if (label === 0) return;
    const owner = windows.owners[index]!;
    const entry = { odds: logOdds(model, windows, index), index };
    const known = byOwner.get(owner);
    if (known === undefined) byOwner.set(owner, [entry]);
    else known.push(entry);
  });
  const weights = windows.weights.slice();
  for (const entries of byOwner.values()) {
    entries.sort((a, b) => b.odds - a.odds);
    for (const [rank, { odds, index }] of entries.entries()) {
      if (rank >= WINDOWS_KEPT && odds <= 0) weights[index] = 0;
    }
  }
  return weights;
}

/** What was set aside, by set: the log-odds of each harmless window, and of the best window of each text to be found. */
function asideOdds(model: Linear, corpus: Corpus, windows: Windows): Map<string, number[]> {
  const odds = new Map<string, number[]>();
  const aside = corpus.examples.filter((example) => example.aside);
  windows.labels.forEach((label, index) => {
    if (label === 1) return;
    const { set } = aside[windows.owners[index]!]!;
    const known = odds.get(set) ?? [];
    known.push(logOdds(model, windows, index));
    odds.set(set, known);
  });
  return odds;
}

/** What the share `most` of the harmless windows exceeds, each set counting alike. */
function exceededBy(odds: Map<string, number[]>, most: number): number {
  const values = [...odds.values()].map((list) => list.toSorted((a, b) => a - b));
  const share = (threshold: number) => {
    const shares = values.map((list) => list.filter((odd) => odd > threshold).length / list.length);
    return shares.reduce((a, b) => a + b, 0) / shares.length;
  };
  let [low, high] = [-20, 20];
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2;
    if (share(middle) > most) low = middle;
    else high = middle;
  }
  return high;
}

/**
 * A model of the corpus, rounded as it is shipped, its bias such that the share `most` of the harmless
 * windows set aside has log-odds above `target`.
 */
export function fit(
  corpus: Corpus,
  normaliser: Normaliser,
  features: Features,
  { target, most }: { target: number; most: number },
): Rounded {
  const options = { buckets: BUCKETS, seed: SEED, epochs: EPOCHS, rate: RATE, penalty: PENALTY };
  const windows = windowsOf(
    corpus.examples.filter(({ aside }) => !aside),
    normaliser,
    features,
  );
  const first = train(windows, options);
  const second = train({ ...windows, weights: secondRound(first, windows) }, options);
  const rounded = round(second);
  const aside = windowsOf(
    corpus.examples.filter(({ aside }) => aside),
    normaliser,
    features,
  );
  const threshold = exceededBy(asideOdds(widened(rounded), corpus, aside), most);
  return { ...rounded, bias: rounded.bias + target - threshold };
}
