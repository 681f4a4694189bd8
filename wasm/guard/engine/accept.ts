// Judges a match: its finding, and whether entropy, stop-words, allow-lists and checks let it stand.

import { findGroup, groupEnd, groupStart } from './capture';
import { checkHolds } from './checks/index';
import { matchesIn } from './holds';
import { takeUnset } from './memory';
import { addFinding } from './overlaps';
import { programAt } from './programs';
import {
  BASE,
  ENTROPIES,
  ENTROPY_BYTES,
  Flag,
  NONE,
  ruleFlags,
  ruleProgram,
  ruleRecord,
} from './tables';

const NEAR_BEGINNING: u32 = 0x8000;
// How often each byte stands in the finding.
const COUNTS: usize = takeUnset(256 * 2);

/** Takes the match `[from, to)` of a rule, and adds its finding if it stands. */
export function accept(rule: u32, from: usize, to: usize): void {
  let start = from;
  let end = to;
  if ((ruleFlags(rule) & Flag.Captures) != 0) {
    findGroup(programAt(ruleProgram(rule)), from, to);
    if (groupStart != 0 && groupEnd != 0) {
      start = groupStart;
      end = groupEnd;
    }
  }
  if (start < end && stands(rule, start, end)) addFinding(rule, start, end);
}

function stands(rule: u32, start: usize, end: usize): bool {
  const record = ruleRecord(rule);
  const least = load<u32>(record, 24);
  if (least != 0 && !isRandom(start, end, least)) return false;
  const stop = <u32>load<u16>(record, 28);
  if (stop != NONE && matchesIn(stop, start, end)) return false;
  const allowed = BASE + load<u32>(record, 32);
  const count = <u32>load<u16>(record, 30);
  for (let index: u32 = 0; index < count; index++) {
    const pattern: u32 = load<u16>(allowed + (index << 1));
    // A placeholder is looked for within the fewest bytes of the format: see compiler/rules-pack.ts.
    const near = <usize>load<u32>(record, 36);
    const to = (pattern & NEAR_BEGINNING) != 0 && near < end - start ? start + near : end;
    if (matchesIn(pattern & ~NEAR_BEGINNING, start, to)) return false;
  }
  const check = <u32>load<u16>(record, 4);
  return check == 0 || checkHolds(check, start, end);
}

/** Whether the bytes, the first 1,024 of them, have so much entropy (Shannon, 1948): parts of 4096 of a bit a byte. */
function isRandom(start: usize, end: usize, least: u32): bool {
  const length = min<u32>(<u32>(end - start), ENTROPY_BYTES);
  memory.fill(COUNTS, 0, 256 * 2);
  // n log n less the sum of c log c over the counts c, kept as counts grow.
  let order: u32 = 0;
  for (let index: u32 = 0; index < length; index++) {
    const at = COUNTS + ((<u32>load<u8>(start + index)) << 1);
    const count = <u32>load<u16>(at) + 1;
    store<u16>(at, <u16>count);
    order += load<u32>(ENTROPIES + (count << 2)) - load<u32>(ENTROPIES + ((count - 1) << 2));
  }
  return load<u32>(ENTROPIES + (length << 2)) - order >= least * length;
}
