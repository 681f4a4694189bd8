// The flags of Go's package regexp that hold where its parser is.

import { peek, skip } from './escapes';
import { RegexError } from './program';
import { fail } from './tree';

/** Flags of Perl, as `(?imsU)` sets them. */
export namespace Flag {
  export const Fold: u32 = 1;
  export const Lines: u32 = 2;
  export const DotAll: u32 = 4;
  export const Lazy: u32 = 8;
}

/** The flags that hold. */
export let flags: u32 = 0;

/** Makes other flags hold. */
export function setFlags(value: u32): void {
  flags = value;
}

/** The flag of a letter, 0 for none. */
function flagOf(letter: i32): u32 {
  if (letter == 0x69) return Flag.Fold;
  if (letter == 0x6d) return Flag.Lines;
  if (letter == 0x73) return Flag.DotAll;
  return letter == 0x55 ? Flag.Lazy : 0;
}

/** Reads the flags behind `(?` to their `:` or `)`, and makes them hold; true for `:`, which opens a group. */
export function readFlags(): bool {
  let on = flags;
  let negative = false;
  let seen = false;
  while (true) {
    const next = peek();
    skip();
    const flag = flagOf(next);
    if (flag != 0) {
      on = negative ? on & ~flag : on | flag;
      seen = true;
    } else if (next == 0x2d && !negative) {
      negative = true;
      seen = false;
    } else {
      if ((next != 0x3a && next != 0x29) || (negative && !seen)) fail(RegexError.Syntax);
      flags = on;
      return next == 0x3a;
    }
  }
}
