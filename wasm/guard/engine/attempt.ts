// Tries whether a match begins at one place, and finds where the preferred one ends.

import { countSteps, Mark, makeTransition, TRANSITIONS, UNKNOWN } from './states';
import { classCount, classMap, END_OF_TEXT } from './step';
import { BASE } from './tables';
import { isLast, textEnd } from './text';

export namespace Outcome {
  export const None: i32 = 0;
  export const Found: i32 = 1;
  /** The text that is known does not tell. */
  export const Unknown: i32 = 2;
}

/** Where the attempt is. */
export let attemptAt: usize = 0;
/** The state it is in. */
export let attemptState: usize = 0;
/** Where the preferred match ends, as far as is known; 0 for none. */
export let attemptEnd: usize = 0;

/**
 * Goes on with an attempt from `at` in `state`, with the end `end` of a match seen before or 0; the match ends at
 * `limit` at the latest. When the outcome is unknown, the attempt goes on later from what the variables say.
 */
export function attempt(program: usize, at: usize, state: usize, end: usize, limit: usize): i32 {
  const map = classMap(program, BASE);
  const stop = min(limit, textEnd);
  let p = at;
  let here = state;
  attemptEnd = end;
  while (p < stop) {
    const letter = <u32>load<u8>(map + load<u8>(p));
    let next = load<u32>(here + (letter << 2), TRANSITIONS);
    if ((next & Mark.All) != 0) {
      if (next == UNKNOWN) next = makeTransition(here, load<u8>(p));
      if ((next & Mark.Match) != 0) attemptEnd = p;
      else if ((next & Mark.Dead) != 0) {
        countSteps(<u32>(p - at));
        return attemptEnd == 0 ? Outcome.None : Outcome.Found;
      }
    }
    here = next & ~Mark.All;
    p++;
  }
  countSteps(<u32>(p - at));
  attemptAt = p;
  attemptState = here;
  if (p == textEnd && !isLast) return Outcome.Unknown;
  // What follows decides whether a match ends here, but is no part of it.
  const following: i32 = p < textEnd ? <i32>load<u8>(p) : END_OF_TEXT;
  const letter = following < 0 ? classCount(program) : <u32>load<u8>(map + following);
  let next = load<u32>(here + (letter << 2), TRANSITIONS);
  if (next == UNKNOWN) next = makeTransition(here, following);
  if ((next & Mark.Match) != 0) attemptEnd = p;
  return attemptEnd == 0 ? Outcome.None : Outcome.Found;
}
