// Finds the rule in the sources that a decision names.
import type { RuleFacts } from './syntax.ts';

/** Where a rule stands. */
export interface RulePlace {
  file: string;
  row: number;
  source: string;
  /** What its `# METADATA` calls it; empty where it has none. */
  title: string;
}

const PLACES_MAX = 3;

/**
 * The rules that give the code at the end of `platform.<boundary>[.<by>].<code>`: those of the packages
 * it can come from that have it in their head, else anywhere in them, else as their name.
 */
export function placesOf(rules: readonly RuleFacts[], boundary: string, rule: string): RulePlace[] {
  const code = rule.split('.').slice(2).at(-1);
  if (code === undefined) return [];
  const packages = `platform.${boundary}`;
  const own = rules.filter((each) => `${each.package}.`.startsWith(`${packages}.`));
  const by = rule.split('.').length > 3 ? rule.split('.')[2] : undefined;
  const near = own.filter(
    (each) => (each.package === packages ? undefined : each.package.split('.')[2]) === by,
  );
  const ways: ((each: RuleFacts) => boolean)[] = [
    ({ headTexts }) => headTexts.includes(code),
    ({ constants }) => constants.includes(code),
    ({ name }) => name === code,
  ];
  for (const some of [near, own]) {
    for (const way of ways) {
      const found = some.filter(way);
      if (found.length > 0) {
        return shownPlaces(found);
      }
    }
  }
  return [];
}

/** The first of the rules, as they are shown. */
export function shownPlaces(rules: readonly RuleFacts[]): RulePlace[] {
  return rules.slice(0, PLACES_MAX).map(placeOf);
}

function placeOf({ file, row, source, title }: RuleFacts): RulePlace {
  return { file, row, source, title };
}
