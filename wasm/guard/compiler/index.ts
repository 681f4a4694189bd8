// Compiles the data of the guard (rules, models, folding) to the tables that are linked into the module.
import { joinSections } from './layout.ts';
import { SECTIONS, type TableOptions } from './sections.ts';

export type { RuleSource } from './rules.ts';
export { RuleError } from './rules-error.ts';
export type { TableOptions };

/**
 * The tables, with the rules of users beside the guard's own.
 * @throws RuleError for the first mistake in a rule file
 */
export function compileTables(options: TableOptions = {}): Uint8Array {
  return joinSections(
    SECTIONS.flatMap(({ tag, build }) => {
      const bytes = build(options);
      return bytes === undefined ? [] : [{ tag, bytes }];
    }),
  );
}
