// Turns texts into the samples that a model is fitted to: normalised windows, and their buckets.

import type { Normaliser } from '../../wasm/guard/normalise/testing.ts';
import type { Example } from './corpus.ts';
import type { Features } from './features.ts';
import type { Samples } from './logistic.ts';

/** At most this many windows of one text are used, from its beginning. */
const WINDOWS_MAX = 12;

/** The windows of examples, and which example each is of. */
export interface Windows extends Samples {
  /** For each window the number of its example. */
  owners: Uint32Array;
}

/** The samples of examples: every window of each, each example worth one divided by the root of its windows. */
export function windowsOf(
  examples: readonly Pick<Example, 'text' | 'label'>[],
  normaliser: Normaliser,
  features: Features,
): Windows {
  const parts: Uint16Array[] = [];
  const owners: number[] = [];
  const weights: number[] = [];
  examples.forEach(({ text }, owner) => {
    const seen = new Set(normaliser.windows(text.slice(0, 8192).toWellFormed()));
    const windows = [...seen].filter((window) => window.trim() !== '').slice(0, WINDOWS_MAX);
    for (const window of windows) {
      parts.push(features.of(window));
      owners.push(owner);
      weights.push(1 / Math.sqrt(windows.length));
    }
  });
  return {
    ...packed(parts),
    owners: Uint32Array.from(owners),
    labels: Uint8Array.from(owners, (owner) => examples[owner]!.label),
    weights: Float32Array.from(weights),
  };
}

/** The buckets of all windows in one array, and where each window's begin. */
export function packed(parts: readonly Uint16Array[]): Pick<Samples, 'buckets' | 'starts'> {
  const starts = new Uint32Array(parts.length + 1);
  parts.forEach((part, i) => {
    starts[i + 1] = starts[i]! + part.length;
  });
  const buckets = new Uint16Array(starts.at(-1)!);
  parts.forEach((part, i) => {
    buckets.set(part, starts[i]!);
  });
  return { buckets, starts };
}
