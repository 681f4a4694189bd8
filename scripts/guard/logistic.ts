// Logistic regression over hashed features with AdaGrad, and its rounding to the eight bits that are shipped.

import { random } from './generate.ts';

/** Windows of text: their buckets one after another, with what each window is worth. */
export interface Samples {
  buckets: Uint16Array;
  /** Where each window's buckets begin; one more than there are windows. */
  starts: Uint32Array;
  /** 1 for an attack, 0 for harmless text. */
  labels: Uint8Array;
  /** How much each window counts. */
  weights: Float32Array;
}

/** A model before rounding: the log-odds are bias + sum of weights / sqrt(number of features). */
export interface Linear {
  weights: Float64Array;
  bias: number;
}

export interface TrainingOptions {
  buckets: number;
  seed: number;
  epochs: number;
  rate: number;
  /** Strength of the quadratic penalty on each weight. */
  penalty: number;
}

/** The log-odds of one window. */
export function logOdds(
  { weights, bias }: Linear,
  { buckets, starts }: Samples,
  i: number,
): number {
  const from = starts[i]!;
  const to = starts[i + 1]!;
  let sum = 0;
  for (let j = from; j < to; j++) sum += weights[buckets[j]!]!;
  return bias + (to > from ? sum / Math.sqrt(to - from) : 0);
}

function shuffled(count: number, next: () => number): Uint32Array {
  const order = Uint32Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor(next() * (i + 1));
    const held = order[i]!;
    order[i] = order[j]!;
    order[j] = held;
  }
  return order;
}

/** Fits a model. The same samples and options give the same weights, bit for bit. */
export function train(samples: Samples, options: TrainingOptions): Linear {
  const { buckets, starts, labels, weights: worth } = samples;
  const weights = new Float64Array(options.buckets);
  const squares = new Float64Array(options.buckets).fill(1e-3);
  const linear: Linear = { weights, bias: 0 };
  let biasSquares = 1e-3;
  const next = random(options.seed);
  for (let epoch = 0; epoch < options.epochs; epoch++) {
    for (const i of shuffled(labels.length, next)) {
      if (worth[i] === 0) continue;
      const from = starts[i]!;
      const to = starts[i + 1]!;
      if (to === from) continue;
      const error = (1 / (1 + Math.exp(-logOdds(linear, samples, i))) - labels[i]!) * worth[i]!;
      const share = error / Math.sqrt(to - from);
      for (let j = from; j < to; j++) {
        const bucket = buckets[j]!;
        const gradient = share + options.penalty * weights[bucket]!;
        squares[bucket]! += gradient * gradient;
        weights[bucket]! -= (options.rate * gradient) / Math.sqrt(squares[bucket]!);
      }
      biasSquares += error * error;
      linear.bias -= (options.rate * error) / Math.sqrt(biasSquares);
    }
  }
  return linear;
}

/** A model as shipped: weights of one byte, in units of `unit`; the bias in log-odds. */
export interface Rounded {
  weights: Int8Array;
  unit: number;
  bias: number;
}

/** Rounds the weights to eight bits; the largest thousandth are cut to what fits. */
export function round({ weights, bias }: Linear): Rounded {
  const sizes = weights.map(Math.abs).sort();
  const largest = sizes[Math.floor(sizes.length * 0.999)] || sizes.at(-1) || 1;
  const unit = largest / 127;
  const rounded = Int8Array.from(weights, (weight) => {
    return Math.max(-127, Math.min(127, Math.round(weight / unit)));
  });
  return { weights: rounded, unit, bias };
}

/** The rounded model as one that `logOdds` takes. */
export function widened({ weights, unit, bias }: Rounded): Linear {
  return { weights: Float64Array.from(weights, (weight) => weight * unit), bias };
}
