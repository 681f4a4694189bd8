// The index of a large object or set: open addressing, with sorted runs where keys collide on purpose.
//
// The hash has no secret, since every host must do the same steps, so that whoever sends an input can make
// all its keys collide. A table that would need a long search therefore becomes sorted runs: one run of 2^k
// entries for each bit k of the number of entries, the largest first; a new entry is a run of one, and runs
// of one size are merged (the logarithmic method of Bentley and Saxe). That is slower, but never quadratic.

import { alloc, mark, release } from '../common/arena';
import { compare, equal, hashOf } from './compare';
import { CAPACITY, INDEX, keyAt, lengthOf, MASK } from './value';

/** The longest search of a table. */
const PROBES_MAX: u32 = 128;
/** How many different keys of one hash a search compares. */
const TWINS_MAX: u32 = 8;
/** In the place of the mask: the index is sorted runs. */
const RUNS: u32 = 0xffffffff;

// A slot of a table: the hash above, the entry's number + 1 below; 0 is empty. An element of a run: the number.

/** Where the entry with this key is, or -1; only for containers with an index. */
export function findInIndex(container: u32, key: u32, hash: u32): i32 {
  const mask = load<u32>(container, MASK);
  if (mask == RUNS) return findInRuns(container, key);
  const slots = load<u32>(container, INDEX);
  let i = hash & mask;
  // A table is never full, so that an empty slot ends every search.
  for (let slot = load<u64>(slots + (i << 3)); slot != 0; slot = load<u64>(slots + (i << 3))) {
    if (<u32>(slot >> 32) == hash) {
      const at = <u32>slot - 1;
      const other = keyAt(container, at);
      if (other == key || equal(other, key)) return <i32>at;
    }
    i = (i + 1) & mask;
  }
  return -1;
}

/** Whether the table of a container has no room for the entry that was just added. */
export function indexIsFull(container: u32): bool {
  const mask = load<u32>(container, MASK);
  if (mask == RUNS) return lengthOf(container) > load<u32>(load<u32>(container, INDEX) - 4);
  return lengthOf(container) << 1 > mask + 1;
}

/** Makes the index of all entries anew, in the memory of the last one when that is large enough. */
export function buildIndex(container: u32): void {
  const length = lengthOf(container);
  if (load<u32>(container, INDEX) != 0 && load<u32>(container, MASK) == RUNS) {
    buildRuns(container);
    return;
  }
  let slots = load<u32>(container, INDEX);
  let mask = load<u32>(container, MASK);
  if (slots == 0 || indexIsFull(container)) {
    const wanted = max(load<u32>(container, CAPACITY), length);
    mask = (1 << (32 - clz((wanted << 1) - 1))) - 1;
    slots = alloc((mask + 1) << 3);
    store<u32>(container, slots, INDEX);
    store<u32>(container, mask, MASK);
  }
  memory.fill(slots, 0, (mask + 1) << 3);
  for (let i: u32 = 0; i < length; i++) {
    if (!place(container, slots, mask, i, hashOf(keyAt(container, i)))) {
      buildRuns(container);
      return;
    }
  }
}

/** Adds the entry of this number to the index. */
export function addToIndex(container: u32, at: u32, hash: u32): void {
  const mask = load<u32>(container, MASK);
  if (mask == RUNS) addToRuns(container, load<u32>(container, INDEX), at);
  else if (!place(container, load<u32>(container, INDEX), mask, at, hash)) buildRuns(container);
}

/** False when the search for this key would be too long. */
function place(container: u32, slots: u32, mask: u32, at: u32, hash: u32): bool {
  let twins: u32 = 0;
  let i = hash & mask;
  for (let probes: u32 = 0; probes < PROBES_MAX; probes++) {
    const slot = load<u64>(slots + (i << 3));
    if (slot == 0) {
      store<u64>(slots + (i << 3), ((<u64>hash) << 32) | (at + 1));
      return true;
    }
    if (<u32>(slot >> 32) == hash && ++twins > TWINS_MAX) return false;
    i = (i + 1) & mask;
  }
  return false;
}

/** Runs have their capacity in front. */
function buildRuns(container: u32): void {
  const length = lengthOf(container);
  let runs = load<u32>(container, INDEX);
  const bytes = load<u32>(container, MASK) == RUNS ? 0 : (load<u32>(container, MASK) + 1) << 3;
  if (bytes != 0) {
    // A table of so many slots has room for as many runs as it had for entries, and more.
    store<u32>(runs, (bytes >> 2) - 1);
    runs += 4;
  } else if (indexIsFull(container)) {
    const capacity = max(load<u32>(container, CAPACITY), length);
    runs = alloc((capacity + 1) << 2) + 4;
    store<u32>(runs - 4, capacity);
  }
  store<u32>(container, runs, INDEX);
  store<u32>(container, RUNS, MASK);
  for (let i: u32 = 0; i < length; i++) addToRuns(container, runs, i);
}

function addToRuns(container: u32, runs: u32, at: u32): void {
  store<u32>(runs + (at << 2), at);
  const point = mark();
  // Each run that ends here and is as long as the new one is merged into it, as a counter carries.
  for (let size: u32 = 1; (at & size) != 0; size <<= 1) {
    const start = at + 1 - (size << 1);
    const copy = alloc(size << 2);
    memory.copy(copy, runs + (start << 2), size << 2);
    let i: u32 = 0;
    let j: u32 = start + size;
    for (let k = start; i < size; k++) {
      const left = load<u32>(copy + (i << 2));
      const right = j <= at ? load<u32>(runs + (j << 2)) : left;
      if (j > at || compare(keyAt(container, left), keyAt(container, right)) < 0) {
        store<u32>(runs + (k << 2), left);
        i += 1;
      } else {
        store<u32>(runs + (k << 2), right);
        j += 1;
      }
    }
    release(point);
  }
}

function findInRuns(container: u32, key: u32): i32 {
  const runs = load<u32>(container, INDEX);
  const length = lengthOf(container);
  let start: u32 = 0;
  while (start < length) {
    const size: u32 = 1 << (31 - clz(length - start));
    let low = start;
    let high = start + size;
    while (low < high) {
      const middle = (low + high) >> 1;
      const at = load<u32>(runs + (middle << 2));
      const order = compare(keyAt(container, at), key);
      if (order == 0) return <i32>at;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    start += size;
  }
  return -1;
}
