// Walks the tree of rules that an explanation is made of.
import type { RegoCondition, RegoRuleTrace } from '../modules/rego.ts';

/** Every rule of the tree once, where its conditions stand, in the order of evaluation. */
export function rulesIn(tree: readonly RegoCondition[]): RegoRuleTrace[] {
  const found = new Map<string, RegoRuleTrace>();
  const visit = (conditions: readonly RegoCondition[]): void => {
    for (const condition of conditions) {
      for (const rule of condition.rules ?? []) {
        const key = keyOf(rule);
        if (rule.repeated !== true && !found.has(key)) found.set(key, rule);
        visit(rule.expressions ?? []);
      }
      visit(condition.inner ?? []);
    }
  };
  visit(tree);
  return [...found.values()];
}

/** The rule with the conditions of each kept result put in where it is used. */
export function withConditions(rule: RegoRuleTrace, all: readonly RegoRuleTrace[]): RegoRuleTrace {
  const known = new Map(all.map((each) => [keyOf(each), each]));
  const open = new Set<string>();
  const rules = (given: readonly RegoRuleTrace[]) => given.map(filled);
  const conditions = (given: readonly RegoCondition[]): RegoCondition[] =>
    given.map((condition) => ({
      ...condition,
      ...(condition.rules === undefined ? {} : { rules: rules(condition.rules) }),
      ...(condition.inner === undefined ? {} : { inner: conditions(condition.inner) }),
    }));
  // A rule is put in once on a path, so that the tree stays as large as what was evaluated.
  const filled = (given: RegoRuleTrace): RegoRuleTrace => {
    const key = keyOf(given);
    const { repeated, ...original } = known.get(key) ?? given;
    if (open.has(key)) return { ...given, repeated: true, expressions: [] };
    open.add(key);
    return { ...original, expressions: conditions(original.expressions ?? []) };
  };
  return filled(rule);
}

/** Functions are told apart by their arguments, other rules by their place alone. */
function keyOf({ file, row, values }: RegoRuleTrace): string {
  return JSON.stringify([file, row, values ?? {}]);
}
