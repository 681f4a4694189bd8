// The table of interned strings: the policy's constants, the data's strings and the host's keys, each once.

import { alloc, persist, resetArena } from '../common/arena';
import { equalBytes, hashBytes } from './text';
import { HASH, INTERNED, Kind, LENGTH, lengthOf, stringOf, TEXT, textOf } from './value';

const FIRST_SLOTS: u32 = 1024;
/** Strings whose search would be longer are not interned, so that no choice of texts makes it slow. */
const PROBES_MAX: u32 = 64;

// A slot: the hash above, the string below; 0 is empty.
let slots: u32 = 0;
let mask: u32 = 0;
let count: u32 = 0;

/** The slot with this text, an empty one, or 0 when the search is too long. */
function slotOf(pointer: u32, length: u32, hash: u32): u32 {
  let i = hash & mask;
  for (let probes: u32 = 0; probes < PROBES_MAX; probes++) {
    const at = slots + (i << 3);
    const slot = load<u64>(at);
    if (slot == 0) return at;
    if (<u32>(slot >> 32) == hash) {
      const string = <u32>slot;
      if (lengthOf(string) == length && equalBytes(textOf(string), pointer, length)) return at;
    }
    i = (i + 1) & mask;
  }
  return 0;
}

/** The interned string with this text and hash (`hashBytes`), or 0. */
export function interned(pointer: u32, length: u32, hash: u32): u32 {
  if (slots == 0) return 0;
  const at = slotOf(pointer, length, hash);
  return at == 0 ? 0 : load<u32>(at);
}

function growTable(): void {
  const old = slots;
  const oldCount: u32 = slots == 0 ? 0 : mask + 1;
  const wanted = max(FIRST_SLOTS, oldCount << 1);
  slots = alloc(wanted << 3);
  mask = wanted - 1;
  memory.fill(slots, 0, wanted << 3);
  for (let i: u32 = 0; i < oldCount; i++) {
    const slot = load<u64>(old + (i << 3));
    if (slot == 0) continue;
    moveSlot(slot);
  }
}

function moveSlot(slot: u64): void {
  let j = <u32>(slot >> 32) & mask;
  for (let probes: u32 = 0; probes < PROBES_MAX; probes++) {
    if (load<u64>(slots + (j << 3)) == 0) {
      store<u64>(slots + (j << 3), slot);
      return;
    }
    j = (j + 1) & mask;
  }
  // No search would find it, so that from now on it is a string as any other.
  store<u8>(<u32>slot, 0, 1);
}

/** The string with this text and hash, interned from now on; the caller keeps the memory (`persist`). */
export function internHashed(pointer: u32, length: u32, hash: u32): u32 {
  if (count << 1 >= mask) growTable();
  const at = slotOf(pointer, length, hash);
  if (at != 0 && load<u64>(at) != 0) return load<u32>(at);
  const value = alloc(TEXT + length);
  // The text may be the start of this very memory (`internText`), so that it moves before the head is written.
  memory.copy(value + TEXT, pointer, length);
  store<u64>(value, Kind.String | ((at == 0 ? 0 : INTERNED) << 8) | ((<u64>hash) << 32));
  store<u32>(value, length, LENGTH);
  if (at != 0) {
    store<u64>(at, ((<u64>hash) << 32) | value);
    count += 1;
  }
  return value;
}

/** The interned string with this text where there is one, otherwise a new one, which is interned only if `keep`. */
export function shared(pointer: u32, length: u32, keep: bool): u32 {
  const hash = hashBytes(pointer, length);
  if (keep) return internHashed(pointer, length, hash);
  const known = interned(pointer, length, hash);
  if (known != 0) return known;
  const string = stringOf(pointer, length);
  store<u32>(string, hash, HASH);
  return string;
}

/** A kept, interned string of this UTF-8 text; not during an evaluation, because all memory so far is kept. */
export function intern(pointer: u32, length: u32): u32 {
  const value = internHashed(pointer, length, hashBytes(pointer, length));
  persist();
  return value;
}

/** As `intern`, for a text that the host wrote to the memory of `begin`, none of which is kept. */
export function internText(pointer: u32, length: u32): u32 {
  const hash = hashBytes(pointer, length);
  const known = interned(pointer, length, hash);
  if (known != 0) return known;
  if (count << 1 >= mask) return intern(pointer, length);
  resetArena();
  const value = internHashed(pointer, length, hash);
  persist();
  return value;
}
