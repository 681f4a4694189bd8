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
        return found.slice(0, PLACES_MAX).map(placeOf);
      }
    }
  }
  return [];
}

/** The rules that may decide at the boundary and that the other side has not, or has otherwise. */
export function changedRules(
  rules: readonly RuleFacts[],
  others: readonly RuleFacts[],
  boundary: string,
): RulePlace[] {
  const own = rules.filter((each) => `${each.package}.`.startsWith(`platform.${boundary}.`));
  return differingFrom(own, others).slice(0, PLACES_MAX).map(placeOf);
}

/** The tenants whose own rules at the boundary are not the same on both sides. */
export function changedTenants(
  old: readonly RuleFacts[],
  now: readonly RuleFacts[],
  boundary: string,
): string[] {
  const prefix = `platform.${boundary}.tenant.`;
  const differing = [...differingFrom(old, now), ...differingFrom(now, old)];
  const packages = differing.map((each) => each.package).filter((name) => name.startsWith(prefix));
  return [...new Set(packages.map((name) => name.slice(prefix.length)))];
}

function differingFrom(rules: readonly RuleFacts[], others: readonly RuleFacts[]): RuleFacts[] {
  const keyOf = (each: RuleFacts) => `${each.package} ${each.name} ${each.digest}`;
  const known = new Set(others.map(keyOf));
  return rules.filter((each) => !known.has(keyOf(each)));
}

function placeOf({ file, row, source, title }: RuleFacts): RulePlace {
  return { file, row, source, title };
}
