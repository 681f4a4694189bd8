// Time zones: which one a name means, and what holds there at a moment.

import { lengthOf, textOf } from '../value';
import { applyRule, ruleEnd, ruleName, ruleNameLength, ruleOffset, ruleStart } from './time-rule';
import {
  FIRST,
  RULE,
  RULE_LENGTH,
  readZone,
  TRANSITION_BYTES,
  TRANSITIONS,
  TYPE_BYTES,
  TYPES_AT,
} from './time-zone-table';

/** The zone that needs no table. */
export const UTC: u32 = 0;
/** No zone has the name. */
export const UNKNOWN: u32 = u32.MAX_VALUE;

/** What holds at the moment that `lookUp` was asked for: seconds east of UTC, from when until when. */
export let offset: i32 = 0;
export let start: i64 = 0;
export let end: i64 = 0;
/** The abbreviation that holds then; no bytes for UTC's. */
export let abbreviation: u32 = 0;
export let abbreviationLength: u32 = 0;

/** The zone with this name, a string value: `UTC` for none given, `UNKNOWN` when the database has none. */
export function zoneOf(name: u32): u32 {
  // Go's Local is what the machine has; here every machine has UTC.
  if (lengthOf(name) == 0 || is(name, 'UTC') || is(name, 'Local')) return UTC;
  const zone = readZone(textOf(name), lengthOf(name));
  return zone == 0 ? UNKNOWN : zone;
}

function is(name: u32, literal: string): bool {
  if (lengthOf(name) != <u32>literal.length) return false;
  const source = changetype<usize>(literal);
  for (let i: u32 = 0; i < lengthOf(name); i++) {
    if (load<u8>(textOf(name) + i) != load<u8>(source + (i << 1))) return false;
  }
  return true;
}

/** Finds what holds at a moment, in seconds since 1970. */
export function lookUp(zone: u32, seconds: i64): void {
  start = i64.MIN_VALUE;
  end = i64.MAX_VALUE;
  if (zone == UTC) return useNothing();
  const count = load<u32>(zone);
  const at = zone + TRANSITIONS;
  if (count > 0 && seconds < load<i64>(at)) {
    end = load<i64>(at);
    return useType(zone, load<u32>(zone, FIRST));
  }
  let low: u32 = 0;
  for (let high = count; high - low > 1 && count > 0; ) {
    const middle = (low + high) >> 1;
    const limit = load<i64>(at + middle * TRANSITION_BYTES);
    if (seconds < limit) {
      end = limit;
      high = middle;
    } else low = middle;
  }
  if (count > 0) start = load<i64>(at + low * TRANSITION_BYTES);
  // A zone that never changed has one type; behind the last change the rule holds.
  useType(zone, count == 0 ? 0 : load<u32>(at + low * TRANSITION_BYTES, 8));
  const last = low + 1 >= count;
  if (!last || !applyRule(load<u32>(zone, RULE), load<u32>(zone, RULE_LENGTH), start, seconds))
    return;
  offset = ruleOffset;
  start = ruleStart;
  end = ruleEnd;
  abbreviation = ruleName;
  abbreviationLength = ruleNameLength;
}

function useNothing(): void {
  offset = 0;
  abbreviation = 0;
  abbreviationLength = 0;
}

function useType(zone: u32, index: u32): void {
  const type = load<u32>(zone, TYPES_AT) + index * TYPE_BYTES;
  offset = load<i32>(type);
  abbreviationLength = load<u32>(type, 4);
  abbreviation = type + 8;
}
