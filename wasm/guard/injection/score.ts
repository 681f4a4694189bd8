// Puts the weight of the rules and the log-odds of the model together to one score, corrected for how many windows came before.

/** The text talks of no attack, of attacks, or of the one that the rules found in it. */
export const TALK_NONE: u32 = 0;
export const TALK_ABOUT: u32 = 1;
export const TALK_OF: u32 = 2;

/** What one doubling of the number of windows costs the model, in thousandths of log-odds. */
const SPENT_PER_DOUBLING: i32 = 400;
const SPENT_MAX: i32 = 2400;
/** What the model must say more, when the text talks of attacks, and when the rules found what it talks of. */
const TALK: i32 = 1500;
const TALKED_OF: i32 = 4500;
/** What is talked of is no attack because of the model alone. */
const TALKED_OF_MAX: i32 = 450;
/** What it must say more, when no rule says so too. */
const ALONE: i32 = 300;
/** What it may say less for each thousandth of weight: rules and model that are unsure alike are surer together. */
const SUPPORT: i32 = 3;
/** By how much the model can move what the rules say, in thousandths. */
const SWAY_MAX: i32 = 200;
const SWAY_DIVISOR: i32 = 10;

/** 1000 times the logistic function at 0, 500, 1000, … 8000 thousandths. */
const LOGISTIC = memory.data<i32>([
  500, 622, 731, 818, 881, 924, 953, 971, 982, 989, 993, 996, 998, 998, 999, 999, 1000,
]);
const STEP: i32 = 500;
const LAST: i32 = 8000;

/** The probability, in thousandths, that belongs to log-odds in thousandths; between the points of the table a line. */
export function logistic(odds: i32): i32 {
  if (odds < 0) return 1000 - logistic(-odds);
  if (odds >= LAST) return 1000;
  const index = odds / STEP;
  const low = load<i32>(LOGISTIC + (index << 2));
  const high = load<i32>(LOGISTIC + (index << 2), 4);
  return low + ((high - low) * (odds % STEP)) / STEP;
}

/**
 * What the model must say more in the window of this number, counted from 0: a long text has more windows in which
 * it may be wrong. Each doubling of their number costs alike (alpha spending).
 */
export function spent(window: u32): i32 {
  return min(SPENT_MAX, <i32>(31 - clz(window + 1)) * SPENT_PER_DOUBLING);
}

/**
 * The score of a window: `weight` of the rules, `odds` of the model, by which the weight is swayed too unless
 * `isJudged` says that no model has looked at this reading; `talk` says how the text talks of attacks.
 */
export function combined(weight: i32, odds: i32, isJudged: bool, talk: u32, window: u32): i32 {
  if (!isJudged) return min(1000, max(0, weight));
  const less = talk == TALK_NONE ? 0 : talk == TALK_ABOUT ? TALK : TALKED_OF;
  const support = weight <= 0 ? -ALONE : weight * SUPPORT;
  let alone = logistic(odds - spent(window) - less + support);
  if (talk == TALK_OF) alone = min(alone, TALKED_OF_MAX);
  if (weight <= 0) return alone;
  const sway = max(-SWAY_MAX, min(talk == TALK_NONE ? SWAY_MAX : 0, odds / SWAY_DIVISOR));
  return max(alone, max(0, min(1000, weight + sway)));
}
