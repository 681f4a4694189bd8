// Which node of the schema's JSON was compiled to which schema, so that references find their target.

import { alloc } from '../common/arena';
import { schemaAt } from './schema';

let table: u32 = 0;
let mask: u32 = 0;
let first: u32 = 0;

/** Begins a schema of `length` bytes of JSON, which is more than it can have sub-schemas. */
export function resetMade(length: u32): void {
  let slots: u32 = 64;
  while (slots < length) slots <<= 1;
  table = alloc(slots * 8);
  memory.fill(table, 0, slots * 8);
  mask = slots - 1;
  first = 0;
}

/** The slot of a node, or the empty one where it belongs. */
function slotOf(node: u32): u32 {
  // Nodes are 32 bytes apart at least; the multiplication spreads them (Knuth's multiplicative hash).
  let slot = ((node >> 3) * 2654435769) & mask;
  while (true) {
    const at = table + slot * 8;
    const held = load<u32>(at);
    if (held == 0 || held == node) return at;
    slot = (slot + 1) & mask;
  }
}

/** Remembers what a node was compiled to. */
export function remember(node: u32, schema: u32): void {
  const at = slotOf(node);
  store<u32>(at, node);
  store<u32>(at, schema, 4);
}

/** What a node was compiled to; 0 when it is no schema. */
export function madeOf(node: u32): u32 {
  return load<u32>(slotOf(node), 4);
}

/** Adds a schema to the list of those that refer to another. */
export function addReference(schema: u32): void {
  schemaAt(schema).nextMade = first;
  first = schema;
}

/** The first of the list of those that refer to another; `nextMade` leads on. */
export function firstReference(): u32 {
  return first;
}
