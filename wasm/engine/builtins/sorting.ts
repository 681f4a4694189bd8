// Sorts arrays of values in Rego's order, in O(n log n) whatever their order was.

import { alloc } from '../../common/arena';
import { compare } from '../compare';
import { ELEMENTS, elementAt, lengthOf, newArray, push } from '../value';

/** A new array with the elements in order; equal ones keep theirs. */
export function sortedArray(array: u32): u32 {
  const count = lengthOf(array);
  const result = newArray(count);
  for (let i: u32 = 0; i < count; i++) push(result, elementAt(array, i));
  if (count < 2 || isSorted(array)) return result;
  let from = load<u32>(result, ELEMENTS);
  let to = alloc(count << 2);
  for (let width: u32 = 1; width < count; width <<= 1) {
    for (let low: u32 = 0; low < count; low += width << 1) {
      merge(from, to, low, min(low + width, count), min(low + (width << 1), count));
    }
    const swap = from;
    from = to;
    to = swap;
  }
  store<u32>(result, from, ELEMENTS);
  return result;
}

function isSorted(array: u32): bool {
  const count = lengthOf(array);
  for (let i: u32 = 1; i < count; i++) {
    if (compare(elementAt(array, i - 1), elementAt(array, i)) > 0) return false;
  }
  return true;
}

function merge(from: u32, to: u32, low: u32, middle: u32, high: u32): void {
  let i = low;
  let j = middle;
  for (let k = low; k < high; k++) {
    let left = j >= high;
    if (i < middle && j < high)
      left = compare(load<u32>(from + (i << 2)), load<u32>(from + (j << 2))) <= 0;
    store<u32>(to + (k << 2), load<u32>(from + ((left ? i : j) << 2)));
    if (left) i++;
    else j++;
  }
}
