// The steps that one validation may take, and how deep it may nest; running out is a deny like any other.

import { NESTING_MAX, STEPS_MAX } from './limits';

let left: i32 = 0;
let nesting: u32 = 0;
let exhausted: bool = false;

/** Begins a validation. */
export function resetBudget(): void {
  left = STEPS_MAX;
  nesting = 0;
  exhausted = false;
}

/** Takes steps; false when there are none left. */
export function spend(steps: u32): bool {
  // No caller asks for more than the 256 KiB of one input at once, so that this cannot wrap.
  left -= <i32>steps;
  if (left < 0) exhausted = true;
  return !exhausted;
}

/** Steps left; 0 when they ran out. */
export function stepsLeft(): u32 {
  return exhausted ? 0 : <u32>left;
}

/** Whether the answer is unknown because the work was not done. */
export function isExhausted(): bool {
  return exhausted;
}

/** Gives up: what is asked for needs more than there is left. */
export function exhaust(): void {
  exhausted = true;
}

/** Begins to apply a schema; false when that nests too deep or the steps are spent. */
export function enterSchema(): bool {
  nesting++;
  if (nesting > NESTING_MAX) exhausted = true;
  return spend(1);
}

/** Ends what `enterSchema` began. */
export function leaveSchema(): void {
  nesting--;
}

/** The steps that the last validation took. */
export function stepsTaken(): u32 {
  return <u32>(STEPS_MAX - left);
}
