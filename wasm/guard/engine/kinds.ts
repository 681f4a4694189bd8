// The names of the kinds that rules find; the compiler numbers them as they sort.

import { writeBytes } from '../../common/writer';
import { BASE, KINDS } from './tables';

/** Where the name of a kind is. */
export function ruleKindName(kind: u32): usize {
  return BASE + load<u32>(KINDS + (kind << 3));
}

/** How many bytes it has. */
export function ruleKindNameLength(kind: u32): u32 {
  return load<u32>(KINDS + (kind << 3), 4);
}

/** Writes the name of a kind to the output. */
export function writeRuleKind(kind: u32): void {
  writeBytes(<u32>ruleKindName(kind), ruleKindNameLength(kind));
}

/** Orders two kinds as their names sort: below 0, 0 or above 0. */
export function compareRuleKinds(kind: u32, other: u32): i32 {
  return <i32>kind - <i32>other;
}
