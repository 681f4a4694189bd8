// The features of the linear models: hashed words, pairs of words and character n-grams of one window.

/** Buckets of the hash; with the header of 64 bytes a model's weights are exactly 64 KB. */
export const BUCKETS: u32 = 65472;
/** The longest window, in bytes; what lies behind is not looked at. */
export const WINDOW_MAX: usize = 2048;
/** No window has more: a long word has three n-grams a byte, a word of one letter four features in two bytes. */
export const FEATURES_MAX: u32 = 8192;

const FNV: u32 = 0x01000193;
const WORD_SEED: u32 = 0x811c9dc5;
const PAIR_SEED: u32 = 0x9e3779b9;
const SKIP_SEED: u32 = 0x7f4a7c15;
/** Stands before the first and behind the last character of a word. */
const EDGE: u32 = 0x5f;

/** The bucket of each feature, u16, in the order in which the window has them. */
export const buckets: usize = memory.data(16384);
let count: u32 = 0;

function add(hash: u32): void {
  let mixed = hash ^ (hash >>> 15);
  mixed *= 0x2c1b3c6d;
  mixed ^= mixed >>> 12;
  if (count >= FEATURES_MAX) return;
  store<u16>(buckets + ((<usize>count) << 1), <u16>(((mixed >>> 16) * BUCKETS) >>> 16));
  count++;
}

/** 1 letters, digits and every byte of a character that is not ASCII; 2 signs; 0 space. */
function classOf(byte: u32): u32 {
  if (byte >= 0x80) return 1;
  if (byte <= 0x20 || byte == 0x7f) return 0;
  if (byte >= 0x61 && byte <= 0x7a) return 1;
  if (byte >= 0x30 && byte <= 0x39) return 1;
  if (byte >= 0x41 && byte <= 0x5a) return 1;
  return 2;
}

/** The bytes of the character that begins with `byte`. */
function widthOf(byte: u32): usize {
  if (byte < 0xc0) return 1;
  if (byte < 0xe0) return 2;
  return byte < 0xf0 ? 3 : 4;
}

/**
 * The n-grams of the word [begin,end) that begin at each of its characters, edges included: of 3 to 5
 * characters, of 2 to 4 in scripts whose characters have 3 bytes and more, Chinese and Japanese above all.
 */
function addGrams(begin: usize, end: usize): void {
  // The one that begins with the edge in front.
  gramsAt(begin, end, (WORD_SEED ^ EDGE) * FNV, 1);
  for (let p = begin; p < end; p += widthOf(load<u8>(p))) gramsAt(p, end, WORD_SEED, 0);
}

function gramsAt(begin: usize, end: usize, seed: u32, taken: u32): void {
  const wide: u32 = load<u8>(begin) >= 0xe3 ? 1 : 0;
  const least: u32 = 3 - wide;
  const most: u32 = 5 - wide;
  let hash = seed;
  let length = taken;
  let p = begin;
  while (length < most) {
    if (p >= end) {
      if (length + 1 >= least) add((hash ^ EDGE) * FNV);
      return;
    }
    const stop = min(end, p + widthOf(load<u8>(p)));
    for (; p < stop; p++) hash = (hash ^ <u32>load<u8>(p)) * FNV;
    length++;
    if (length >= least) add(hash);
  }
}

/**
 * Writes the buckets of the window [begin,end) of normalised text (lower case, single spaces) to
 * `buckets` and returns how many there are. A word is a run of letters and digits, or of signs.
 */
export function features(begin: usize, end: usize): u32 {
  const stop = min(end, begin + WINDOW_MAX);
  count = 0;
  let before: u32 = 0;
  let beforeThat: u32 = 0;
  let p = begin;
  while (p < stop) {
    const kind = classOf(load<u8>(p));
    if (kind == 0) {
      p++;
      continue;
    }
    const start = p;
    let hash = WORD_SEED;
    do {
      hash = (hash ^ <u32>load<u8>(p)) * FNV;
      p++;
    } while (p < stop && classOf(load<u8>(p)) == kind);
    add(hash ^ PAIR_SEED);
    if (before != 0) add((before * 31) ^ hash ^ PAIR_SEED);
    if (beforeThat != 0) add((beforeThat * 37) ^ hash ^ SKIP_SEED);
    if (kind == 1) addGrams(start, p);
    beforeThat = before;
    before = hash;
  }
  return count;
}
