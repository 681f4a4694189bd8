// Finds credentials: the rules of wasm/guard/rules/secrets, run by the engine.

import { advanceRules, resetRules, SECRET_RULES, shiftRules } from '../engine/index';

/** Forgets the last text. */
export function resetSecrets(): void {
  resetRules(SECRET_RULES);
}

/**
 * Judges `[begin, end)` as far as is certain, and reports what is found; returns where anything found later begins at
 * the earliest. With `last` the text ends at `end`.
 */
export function advanceSecrets(begin: usize, end: usize, last: bool): usize {
  return advanceRules(SECRET_RULES, begin, end, last);
}

/** Says that the text has moved down by `delta` bytes. */
export function shiftSecrets(delta: usize): void {
  shiftRules(SECRET_RULES, delta);
}
