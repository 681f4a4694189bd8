// Makes the objects that a parser has read, and finds keys that are there twice.

import { equalStrings } from './compare';
import { insert, LINEAR_MAX, newObject, sorted } from './object';
import { copyBytes } from './text';
import { ELEMENTS, HASH, LENGTH, lengthOf } from './value';

/** An object of so many pairs of key and value, or 0 when a key is there twice and the last does not win. */
export function objectOf(pairs: u32, count: u32, keep: bool, lastWins: bool): u32 {
  const object = newObject(count);
  if (count > LINEAR_MAX) {
    for (let i: u32 = 0; i < count; i++) {
      const key = load<u32>(pairs + (i << 3));
      insert(object, key, load<u32>(pairs + (i << 3), 4));
      if (lengthOf(object) != i + 1 && !lastWins) return 0;
    }
  } else {
    if (!lastWins && hasTwins(pairs, count)) return 0;
    if (lastWins) for (let i: u32 = 0; i < count; i++) insertPair(object, pairs + (i << 3));
    else {
      copyBytes(load<u32>(object, ELEMENTS), pairs, count << 3);
      store<u32>(object, count, LENGTH);
    }
  }
  return keep ? sorted(object) : object;
}

function insertPair(object: u32, pair: u32): void {
  insert(object, load<u32>(pair), load<u32>(pair, 4));
}

/** Whether a key is there twice; a bit for each hash tells most pairs apart at once. */
function hasTwins(pairs: u32, count: u32): bool {
  let seen: u64 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const pair = pairs + (i << 3);
    const bit = (<u64>1) << (load<u32>(load<u32>(pair), HASH) & 63);
    if ((seen & bit) != 0 && twin(pairs, pair)) return true;
    seen |= bit;
  }
  return false;
}

/** Whether a pair before this one has its key; the hashes are known. */
function twin(pairs: u32, pair: u32): bool {
  const key = load<u32>(pair);
  const hash = load<u32>(key, HASH);
  for (let p = pairs; p < pair; p += 8) {
    const other = load<u32>(p);
    if (other == key || (load<u32>(other, HASH) == hash && equalStrings(other, key))) return true;
  }
  return false;
}
