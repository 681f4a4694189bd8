// The guard module with rules of its users: their tables in the place of those that were linked into it.
import { readFileSync } from 'node:fs';
import { joinSections, splitSections } from './layout.ts';
import type { RuleSource } from './rules.ts';
import { build as buildRules, shippedRules } from './rules-section.ts';
import { linkTables, tablesOf } from './segments.ts';

/** The tag of the section that holds the rules. */
const RULES = 1;

/** What a guard with other rules is made of. */
export interface GuardOptions {
  /** The guard module, linked; the one that was built when left out. */
  wasm?: Uint8Array;
  /** False leaves the guard's own rules out. */
  shipped?: boolean;
}

/**
 * The guard module with users' rules beside its own; all else is as it was, metering too. Equal input gives equal
 * bytes.
 * @throws RuleError for the first mistake in a rule file, RangeError when the rules take more than there is room for
 */
export function compileGuard(
  rules: readonly RuleSource[],
  { wasm = shippedGuard(), shipped = true }: GuardOptions = {},
): Uint8Array {
  const bytes = buildRules([...(shipped ? shippedRules() : []), ...rules]);
  const others = splitSections(tablesOf(wasm)).filter(({ tag }) => tag !== RULES);
  return linkTables(wasm, joinSections([{ tag: RULES, bytes }, ...others]));
}

function shippedGuard(): Uint8Array {
  return readFileSync(new URL('../../build/guard.wasm', import.meta.url));
}
