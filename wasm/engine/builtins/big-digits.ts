// Whole numbers of any size in base 2, 8, 10 or 16.

import { alloc } from '../../common/arena';
import { addHexDigit } from './quote';
import { addBytes } from './text-builder';

/** Adds the digits of a decimal text without sign; `base` is 2, 8, 10 or 16. */
export function addInBase(pointer: u32, length: u32, base: u32, upper: bool): void {
  let from = pointer;
  const end = pointer + length;
  while (from + 1 < end && load<u8>(from) == 0x30) from++;
  if (base == 10) return addBytes(from, end - from);
  const limbs = alloc(((end - from) / 9 + 1) << 2);
  const count = binary(from, end, limbs);
  const bits = base == 2 ? 1 : base == 8 ? 3 : 4;
  const used = count == 0 ? 0 : (count << 5) - clz(load<u32>(limbs + ((count - 1) << 2)));
  for (let i = max((used + bits - 1) / bits, 1); i > 0; i--) {
    addHexDigit(bitsAt(limbs, count, (i - 1) * bits) & ((1 << bits) - 1), upper);
  }
}

/** The decimal digits as 32-bit limbs, lowest first; returns how many. */
function binary(from: u32, end: u32, limbs: u32): u32 {
  let count: u32 = 0;
  for (let p = from; p < end; ) {
    let factor: u64 = 1;
    let carry: u64 = 0;
    for (; p < end && factor < 1000000000; p++) {
      carry = carry * 10 + (<u64>load<u8>(p) - 0x30);
      factor *= 10;
    }
    for (let i: u32 = 0; i < count; i++) {
      const limb = <u64>load<u32>(limbs + (i << 2)) * factor + carry;
      store<u32>(limbs + (i << 2), <u32>limb);
      carry = limb >> 32;
    }
    if (carry != 0) store<u32>(limbs + (count++ << 2), <u32>carry);
  }
  return count;
}

function bitsAt(limbs: u32, count: u32, at: u32): u32 {
  const index = at >> 5;
  if (index >= count) return 0;
  const low = <u64>load<u32>(limbs + (index << 2));
  const high: u64 = index + 1 < count ? <u64>load<u32>(limbs + (index << 2), 4) : 0;
  return <u32>(((high << 32) | low) >> (at & 31));
}
