// Which lines of the policies one evaluation looked at, and which made the decision.
import type { Explanation } from '../../../../runtime/explain/explanation.ts';
import type { RegoCondition, RegoRuleTrace } from '../../../../runtime/modules/rego.ts';
import type { Explained, LineState } from '../protocol.ts';

/** What was seen of a line counts for more the further right it stands. */
const order: readonly LineState[] = ['false', 'true', 'decided'];

/** The lines of an explanation's rules and conditions; what was not looked at has none. */
export function coverageOf(explanation: Explanation): Explained['coverage'] {
  const coverage: Explained['coverage'] = {};
  const mark = (file: string | undefined, row: number, state: LineState): void => {
    if (file === undefined || file === '') return;
    coverage[file] ??= {};
    const before = coverage[file][row];
    if (before === undefined || order.indexOf(before) < order.indexOf(state)) {
      coverage[file][row] = state;
    }
  };
  const visitRule = (rule: RegoRuleTrace, decided: boolean): void => {
    const held = rule.outcome === 'true';
    if (rule.outcome !== 'unreached') mark(rule.file, rule.row, stateOf(held, decided));
    for (const each of rule.expressions ?? []) visit(each, decided && held, rule.file);
  };
  const visit = (condition: RegoCondition, decided: boolean, file: string | undefined): void => {
    const held = condition.outcome === 'true';
    const place = condition.file ?? file;
    if (condition.outcome !== 'unreached') mark(place, condition.row, stateOf(held, decided));
    for (const rule of condition.rules ?? []) visitRule(rule, decided && held);
    for (const inner of condition.inner ?? []) visit(inner, decided && held, place);
  };
  for (const condition of explanation.tree) visit(condition, false, undefined);
  for (const rule of explanation.why) visitRule(rule, true);
  return coverage;
}

function stateOf(held: boolean, decided: boolean): LineState {
  if (!held) return 'false';
  return decided ? 'decided' : 'true';
}
