// How the digits that a number begins with are grouped: what tells most identity numbers apart before any check digit.

import { groupEnd, groupLength, groupSeparator, HYPHEN, PERIOD, SLASH, SPACE } from './numbers';

/** The lengths of the groups, a byte each, the last one lowest: `0x030204` for three, two and four digits. */
export let shape: u64 = 0;
/** How many digits they have. */
export let length: u32 = 0;
/** The separators between them, a bit each. */
export let between: u32 = 0;
/** Pointer one past the last digit. */
export let stop: u32 = 0;

/** Begins with no group. */
export function resetForm(): void {
  shape = 0;
  length = 0;
  between = 0;
  stop = 0;
}

/** Takes the group `index` to the ones before it. */
export function takeGroup(index: u32): void {
  if (index > 0) between |= groupSeparator(index - 1);
  shape = (shape << 8) | <u64>groupLength(index);
  length += groupLength(index);
  stop = groupEnd(index);
}

/** The shapes of more than one group that any kind has. */
const SHAPES: u32 = <u32>(
  memory.data<u64>([
    0x030204, 0x0207, 0x030303, 0x03030302, 0x0902, 0x020801, 0x0203030402, 0x010303, 0x020303,
    0x040404, 0x0607, 0x06040201, 0x0801, 0x030203, 0x040501, 0x04050101, 0x02030303, 0x040203,
    0x030304, 0x0202020302, 0x03040402, 0x01020202030302, 0x0604, 0x0804, 0x0605,
  ])
);
const SHAPES_END: u32 = SHAPES + 25 * 8;

/** Whether any kind has such groups. */
export function isKnown(): bool {
  if (isCompact()) return true;
  for (let entry = SHAPES; entry < SHAPES_END; entry += 8) {
    if (load<u64>(entry) == shape) return true;
  }
  return false;
}

/** Whether there is one group. */
export function isCompact(): bool {
  return shape == <u64>length;
}

/** Whether the groups have these lengths, with one and the same of the `allowed` separators between them. */
export function isShaped(wanted: u64, allowed: u32): bool {
  return shape == wanted && (between & ~allowed) == 0 && (between & (between - 1)) == 0;
}

/** The score of a compact number, of one in the usual groups (hyphens, spaces or dots between), 0 otherwise. */
export function scoreOf(compact: u32, wanted: u64, grouped: u32): u32 {
  if (isCompact()) return compact;
  return isShaped(wanted, SPACE | HYPHEN | PERIOD) ? grouped : 0;
}

/** Whether the groups are 3, 3, 3 and 2 digits or the like with dots, then a slash, then a hyphen, as Brazil writes. */
export function isBrazilian(wanted: u64, number: u32): bool {
  if (shape != wanted || groupSeparator(number - 2) != HYPHEN) return false;
  return between == (number == 5 ? PERIOD | SLASH | HYPHEN : PERIOD | HYPHEN);
}
