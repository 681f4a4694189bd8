// Time zones in the table of time-zone-data.ts: found by name, and unpacked to what time-zone.ts asks.

import { alloc, release } from '../../common/arena';
import {
  ABBREVIATIONS,
  AREAS,
  BASE,
  DELTAS,
  NAME_COUNT,
  NAMES,
  PAIRS,
  RULES,
  TRANSITIONS_MAX,
  TYPES,
  writeZones,
  ZONE_BYTES,
  ZONES,
} from './time-zone-data';

// A zone: how many transitions there are, where its types are, where its rule is and how long, the type before
// the first transition, then the transitions of i64 seconds and u32 type. A type is its offset (i32), the
// length of its abbreviation (u32) and the abbreviation (8 bytes).
export const TYPES_AT: u32 = 4;
export const RULE: u32 = 8;
export const RULE_LENGTH: u32 = 12;
export const FIRST: u32 = 16;
export const TRANSITIONS: u32 = 24;
export const TRANSITION_BYTES: u32 = 16;
export const TYPE_BYTES: u32 = 16;

const TYPE_MAX: u32 = 64;
const RULE_MAX: u32 = 64;
const ZONE_MAX: u32 =
  TRANSITIONS + TRANSITIONS_MAX * TRANSITION_BYTES + TYPE_MAX * TYPE_BYTES + RULE_MAX;
/** The bytes of a transition before they are packed: a step of one or two, and a type. */
const PLAIN_MAX: u32 = TRANSITIONS_MAX * 3;

/** The zone with this name, 0 when the database has none. */
export function readZone(name: u32, length: u32): u32 {
  const zone = alloc(ZONE_MAX);
  const table = alloc(ZONE_BYTES);
  writeZones(table);
  const record = find(table, name, length);
  const end = record == 0 ? zone : unpack(table, record, zone);
  // The table is needed no more, nor what the zone did not fill.
  release(end);
  return record == 0 ? 0 : zone;
}

/** The element of a list of texts with a byte of length each. */
function textAt(list: u32, index: u32): u32 {
  let p = list;
  for (let i: u32 = 0; i < index; i++) p += 1 + load<u8>(p);
  return p;
}

/** The record of a name, 0 when there is none. */
function find(table: u32, name: u32, length: u32): u32 {
  let areaBytes = length;
  while (areaBytes > 0 && load<u8>(name + areaBytes - 1) != 0x2f) areaBytes--;
  const area = areaOf(table, name, areaBytes);
  const own = length - areaBytes;
  let entry = table + NAMES;
  for (let i: u32 = 0; i < NAME_COUNT; i++) {
    const ownBytes = <u32>load<u8>(entry, 1);
    const after = entry + 2 + ownBytes;
    const like = <u32>load<u8>(entry) == area && ownBytes == own;
    if (like && memory.compare(name + areaBytes, entry + 2, own) == 0) {
      return recordAt(table, load<u16>(after));
    }
    entry = after + 2;
  }
  return 0;
}

/** The number of the area, with its slash, that a name begins with; one that no name has when it is unknown. */
function areaOf(table: u32, name: u32, length: u32): u32 {
  let area: u32 = 0;
  for (let p = table + AREAS; p < table + NAMES; p += 1 + load<u8>(p)) {
    if (load<u8>(p) == length && memory.compare(p + 1, name, length) == 0) return area;
    area++;
  }
  return area;
}

function recordAt(table: u32, index: u32): u32 {
  let record = table + ZONES;
  for (let i: u32 = 0; i < index; i++) record += 2 + load<u16>(record);
  return record + 2;
}

let cursor: u32 = 0;

/** Reads a number of one byte, or of two from 192. */
function short(): u32 {
  const first = <u32>load<u8>(cursor++);
  return first < 192 ? first : 192 + ((first - 192) << 8) + load<u8>(cursor++);
}

let out: u32 = 0;

/** Writes the bytes that a symbol stands for. */
function expand(pairs: u32, symbol: u32): void {
  if (symbol < 256) {
    store<u8>(out++, symbol);
    return;
  }
  const pair = pairs + ((symbol - 256) << 2);
  expand(pairs, load<u16>(pair));
  expand(pairs, load<u16>(pair, 2));
}

function unpackType(table: u32, index: u32, to: u32): void {
  const type = table + TYPES + (index << 2);
  // Three bytes with a sign.
  store<i32>(to, (load<i32>(type) << 8) >> 8);
  const text = textAt(table + ABBREVIATIONS, load<u8>(type, 3));
  store<u32>(to, load<u8>(text), 4);
  memory.copy(to + 8, text + 1, load<u8>(text));
}

/** Adds up the steps between transitions; returns how many there are. */
function unpackTransitions(deltas: u32, plain: u32, to: u32): u32 {
  let seconds: i64 = BASE;
  let count: u32 = 0;
  for (cursor = plain; cursor < out; count++) {
    seconds += <i64>load<u32>(deltas + (short() << 2));
    const transition = to + count * TRANSITION_BYTES;
    store<i64>(transition, seconds);
    store<u32>(transition, load<u8>(cursor++), 8);
  }
  return count;
}

/** Unpacks a record of the table to `zone`; returns where that ends. */
function unpack(table: u32, record: u32, zone: u32): u32 {
  const rule = textAt(table + RULES, load<u8>(record));
  const types = <u32>load<u8>(record, 2);
  const list = zone + TRANSITIONS + TRANSITIONS_MAX * TRANSITION_BYTES;
  store<u32>(zone, load<u8>(record, 1), FIRST);
  cursor = record + 3;
  for (let i: u32 = 0; i < types; i++) unpackType(table, short(), list + i * TYPE_BYTES);
  const symbols = <u32>load<u16>(cursor);
  cursor += 2;
  const plain = alloc(PLAIN_MAX);
  out = plain;
  for (let i: u32 = 0; i < symbols; i++) expand(table + PAIRS, short());
  const count = unpackTransitions(table + DELTAS, plain, zone + TRANSITIONS);
  store<u32>(zone, count);
  // The types follow the transitions that there are.
  const typesAt = zone + TRANSITIONS + count * TRANSITION_BYTES;
  memory.copy(typesAt, list, types * TYPE_BYTES);
  store<u32>(zone, typesAt, TYPES_AT);
  const ruleAt = typesAt + types * TYPE_BYTES;
  memory.copy(ruleAt, rule + 1, load<u8>(rule));
  store<u32>(zone, ruleAt, RULE);
  store<u32>(zone, load<u8>(rule), RULE_LENGTH);
  return ruleAt + load<u8>(rule);
}
