// Sorts object members by key without recursion and in O(n log n), so that hostile key orders cost no more.

import { alloc } from './arena';
import { compareUtf16 } from './text';

/** Offsets that everything sorted here shares: where its key is and how long. */
export const KEY_POINTER: u32 = 4;
export const KEY_LENGTH: u32 = 8;

/** Orders two members by key (RFC 8785 section 3.2.3). */
export function compareMembers(a: u32, b: u32): i32 {
  return compareUtf16(
    load<u32>(a + KEY_POINTER),
    load<u32>(a + KEY_LENGTH),
    load<u32>(b + KEY_POINTER),
    load<u32>(b + KEY_LENGTH),
  );
}

/** Sorts `count` member pointers at `base` in place (bottom-up merge sort); false when two keys are equal. */
export function sortMembers(base: u32, count: u32): bool {
  let from = base;
  let to = alloc(count << 2);
  for (let width: u32 = 1; width < count; width <<= 1) {
    for (let low: u32 = 0; low < count; low += width << 1) {
      if (!merge(from, to, low, min(low + width, count), min(low + (width << 1), count))) {
        return false;
      }
    }
    const swap = from;
    from = to;
    to = swap;
  }
  if (from != base) memory.copy(base, from, count << 2);
  return true;
}

/** Merges two sorted runs; equal keys always meet in some merge, which is how a duplicate is found. */
function merge(from: u32, to: u32, low: u32, middle: u32, high: u32): bool {
  let i = low;
  let j = middle;
  for (let k = low; k < high; k++) {
    let left = j >= high;
    if (i < middle && j < high) {
      const order = compareMembers(load<u32>(from + (i << 2)), load<u32>(from + (j << 2)));
      if (order == 0) return false;
      left = order < 0;
    }
    store<u32>(to + (k << 2), load<u32>(from + ((left ? i : j) << 2)));
    if (left) i++;
    else j++;
  }
  return true;
}
