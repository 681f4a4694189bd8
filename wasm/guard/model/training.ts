// What the training scripts use of the models: the buckets of a text, with the code of the shipped module.

import { buckets, features } from './features';

const TEXT_MAX: usize = 4 * 1024 * 1024;
const text: usize = heap.alloc(TEXT_MAX);

/** Where a text may be written. */
export function textPointer(): usize {
  return text;
}

/** Computes the features of the normalised window [offset,offset+length) of the text; how many there are. */
export function windowFeatures(offset: u32, length: u32): u32 {
  return features(text + offset, text + offset + length);
}

/** Where the buckets of the last window stand, u16 each. */
export function bucketPointer(): usize {
  return buckets;
}
