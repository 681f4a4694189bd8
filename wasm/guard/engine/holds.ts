// Whether a program matches anywhere in a few bytes: the stop-words and allow-lists of findings.

import { programAt } from './programs';
import { Mark, makeTransition, seedingStart, TRANSITIONS, UNKNOWN } from './states';
import { Before, classCount, classMap, END_OF_TEXT } from './step';
import { BASE } from './tables';

/** Whether the program of this number matches somewhere in the bytes, which are a text of their own. */
export function matchesIn(number: u32, begin: usize, end: usize): bool {
  const program = programAt(number);
  const map = classMap(program, BASE);
  let state = seedingStart(number, Before.Nothing);
  for (let p = begin; p <= end; p++) {
    const byte: i32 = p < end ? <i32>load<u8>(p) : END_OF_TEXT;
    const letter = byte < 0 ? classCount(program) : <u32>load<u8>(map + byte);
    let next = load<u32>(state + (letter << 2), TRANSITIONS);
    if (next == UNKNOWN) next = makeTransition(state, byte);
    if ((next & Mark.Match) != 0) return true;
    state = next & ~Mark.All;
  }
  return false;
}
