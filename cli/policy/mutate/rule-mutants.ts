// The mutants of whole rules: one that never holds, one that says the opposite, two that change places.
import type { AstRule, AstTerm } from '../../../runtime/modules/rego-ast.ts';
import type { Report } from './mutants.ts';
import type { SourceText } from './text.ts';

/** Sets that decide, and the ones that decide otherwise. */
const OPPOSITES: Record<string, string> = {
  grants: 'reasons',
  reasons: 'grants',
  deny: 'require_approval',
  require_approval: 'deny',
};

/** Reports the mutants of a file's rules as wholes. */
export function ruleMutants(text: SourceText, rules: readonly AstRule[], report: Report): void {
  for (const [index, rule] of rules.entries()) {
    oppositeMutant(text, rule, report);
    for (let branch: AstRule | undefined = rule; branch !== undefined; branch = branch.else) {
      neverMutant(text, branch, branch === rule, report);
      if (branch.else !== undefined) swapMutant(text, branch, branch.else, report);
    }
    const next = rules[index + 1];
    if (next !== undefined && nameOf(next) === nameOf(rule)) swapMutant(text, rule, next, report);
  }
}

function nameOf(rule: AstRule): string {
  return rule.head.ref[0]?.location?.text ?? '';
}

function oppositeMutant(text: SourceText, rule: AstRule, report: Report): void {
  const opposite = OPPOSITES[nameOf(rule)];
  const span = text.span(rule.head.ref[0]?.location);
  if (opposite === undefined || rule.head.key === undefined || span === undefined) return;
  report(rule.head.location!.row, `${nameOf(rule)} became ${opposite}`, [
    { ...span, text: opposite },
  ]);
}

/** A rule that never holds: no default, no branch of an `else`, or a condition that is false. */
function neverMutant(text: SourceText, rule: AstRule, first: boolean, report: Report): void {
  const head = text.span(rule.head.location);
  const whole = text.span(rule.location);
  if (head === undefined || whole === undefined) return;
  const row = rule.location!.row;
  const mutation = `the rule ${nameOf(rule)} never holds`;
  if (rule.default === true) {
    report(row, `no default of ${nameOf(rule)}`, [{ start: whole.start, end: head.end, text: '' }]);
    return;
  }
  const condition = rule.body.find((expr) => expr.generated !== true);
  const written =
    condition?.location?.row === undefined ? undefined : text.span(condition.location);
  if (written === undefined || written.start < head.end) {
    const edit = first
      ? { start: head.end, end: head.end, text: ' if false' }
      : { start: head.start, end: head.end, text: '' };
    report(row, mutation, [edit]);
    return;
  }
  if (text.before(written.start) === '{') {
    report(row, mutation, [{ start: written.start, end: written.start, text: 'false\n' }]);
    return;
  }
  const body = `{ false\n${condition!.location!.text} }`;
  report(row, mutation, [{ ...written, text: body }]);
}

function swapMutant(text: SourceText, one: AstRule, other: AstRule, report: Report): void {
  const [first, second] = [resultOf(one), resultOf(other)];
  const [from, to] = [text.span(first?.location), text.span(second?.location)];
  if (from === undefined || to === undefined || from.end > to.start) return;
  const [left, right] = [first!.location!.text!, second!.location!.text!];
  report(one.head.location!.row, `two results of ${nameOf(one)} changed places`, [
    { ...from, text: right },
    { ...to, text: left },
  ]);
}

function resultOf(rule: AstRule): AstTerm | undefined {
  return rule.head.key ?? rule.head.value;
}
