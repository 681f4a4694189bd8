// A map from names to nodes or lists, in the arena: open addressing over FNV-1a of the name.

import { alloc } from '../common/arena';
import { lengthOf, textOf } from '../engine/value';
import { same } from './ast';

// Entries used, slots minus one, where the slots are; a slot is a name and a value, free when the name is 0.
const MAP_BYTES: u32 = 12;

// A string value of no bytes, for the names that are left out of a document given as an object.
const EMPTY: u32 = <u32>memory.data(16);

/** An empty map. */
export function newNames(): u32 {
  const map = alloc(MAP_BYTES);
  store<u32>(map, 0);
  reserve(map, 16);
  return map;
}

function reserve(map: u32, slots: u32): void {
  const table = alloc(slots << 3);
  memory.fill(table, 0, slots << 3);
  store<u32>(map, slots - 1, 4);
  store<u32>(map, table, 8);
}

/** What is kept under a name, 0 when nothing is. */
export function lookup(map: u32, text: u32): u32 {
  return load<u32>(slotOf(map, text == 0 ? EMPTY : text), 4);
}

/** Keeps something under a name. */
export function keep(map: u32, text: u32, value: u32): void {
  const name = text == 0 ? EMPTY : text;
  const slot = slotOf(map, name);
  store<u32>(slot, value, 4);
  if (load<u32>(slot) != 0) return;
  store<u32>(slot, name);
  const used = load<u32>(map) + 1;
  store<u32>(map, used);
  if (used * 2 > load<u32>(map, 4)) grow(map);
}

function slotOf(map: u32, name: u32): u32 {
  const mask = load<u32>(map, 4);
  const table = load<u32>(map, 8);
  let index = hash(name) & mask;
  while (true) {
    const slot = table + (index << 3);
    const taken = load<u32>(slot);
    if (taken == 0 || same(taken, name)) return slot;
    index = (index + 1) & mask;
  }
}

function grow(map: u32): void {
  const slots = load<u32>(map, 4) + 1;
  const table = load<u32>(map, 8);
  reserve(map, slots << 1);
  for (let i: u32 = 0; i < slots; i++) {
    const name = load<u32>(table + (i << 3));
    if (name == 0) continue;
    const slot = slotOf(map, name);
    store<u32>(slot, name);
    store<u32>(slot, load<u32>(table + (i << 3), 4), 4);
  }
}

function hash(name: u32): u32 {
  let value: u32 = 0x811c9dc5;
  const end = textOf(name) + lengthOf(name);
  for (let p = textOf(name); p < end; p++) value = (value ^ load<u8>(p)) * 0x01000193;
  return value ^ (value >> 15);
}
