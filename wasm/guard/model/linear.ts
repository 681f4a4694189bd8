// The linear models: the log-odds of a window under the weights that the build linked in, integers only.

import { INJECTION_MODEL, section, TOXICITY_MODEL } from '../tables';
import { count } from '../text';
import { buckets, features } from './features';

/** "ATLM", as scripts/guard/model-file.ts writes it. */
const MAGIC: u32 = 0x4d4c5441;
const BIAS: usize = 4;
const UNIT: usize = 8;
const WEIGHTS: usize = 64;
/** What a model says that is not there or has nothing to look at: nothing is likely. */
const NOTHING: i32 = -20000;
const MOST: i64 = 20000;

const injection: usize = section(INJECTION_MODEL);
const toxicity: usize = section(TOXICITY_MODEL);

/** The largest integer whose square is not above `value`. */
function squareRoot(value: u32): u32 {
  let rest = value;
  let root: u32 = 0;
  let bit: u32 = 1 << 30;
  while (bit > rest) bit >>= 2;
  while (bit != 0) {
    if (rest >= root + bit) {
      rest -= root + bit;
      root = (root >> 1) + bit;
    } else root >>= 1;
    bit >>= 2;
  }
  return root;
}

/** The log-odds, in thousandths, that the window [begin,end) of normalised text has under a model. */
function logOdds(model: usize, begin: usize, end: usize): i32 {
  if (model == 0 || load<u32>(model) != MAGIC) return NOTHING;
  const found = features(begin, end);
  count(found);
  if (found == 0) return NOTHING;
  const weights = model + WEIGHTS;
  let sum: i32 = 0;
  for (let at = buckets, stop = buckets + ((<usize>found) << 1); at < stop; at += 2) {
    sum += <i32>load<i8>(weights + <usize>load<u16>(at));
  }
  const scaled = (<i64>sum * <i64>load<u32>(model, UNIT)) / <i64>squareRoot(found << 16);
  const odds = <i64>load<i32>(model, BIAS) + scaled;
  return <i32>max(-MOST, min(MOST, odds));
}

/** Log-odds, in thousandths, that the normalised window [begin,end) is an attack; 0 for one harmless window in a hundred. */
export function injectionScore(begin: usize, end: usize): i32 {
  return logOdds(injection, begin, end);
}

/** Log-odds, in thousandths, that the normalised window [begin,end) is abuse; 847 (a score of 700) for one civil window in a thousand. */
export function toxicityScore(begin: usize, end: usize): i32 {
  return logOdds(toxicity, begin, end);
}
