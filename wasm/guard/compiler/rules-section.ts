// The section of the tables that holds the rules: those of wasm/guard/rules and those of users.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RuleSource } from './rules.ts';
import { packRules, type RulePlan } from './rules-pack.ts';
import { readRules } from './rules-read.ts';

const folder = fileURLToPath(new URL('../rules', import.meta.url));

/** The rule files of the guard itself, by path. */
export function shippedRules(): RuleSource[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => {
      const path = join(folder, file);
      return {
        file: relative(join(folder, '..', '..', '..'), path),
        text: readFileSync(path, 'utf8'),
      };
    });
}

/** The section of these rule files. @throws RuleError for the first mistake in them */
export function build(sources: readonly RuleSource[]): Uint8Array {
  return packRules(readRules(sources));
}

/** How each rule will be searched for, in the order of their numbers, for reports and tests. */
export function planRules(sources: readonly RuleSource[]): RulePlan[] {
  const plans: RulePlan[] = [];
  packRules(readRules(sources), plans);
  return plans;
}
