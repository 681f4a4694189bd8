// The mutants inside rules: operators, conditions, constants and members.
import type { AstExpr, AstTerm } from '../../../runtime/modules/rego-ast.ts';
import type { Report } from './mutants.ts';
import type { SourceText } from './text.ts';

const OPERATORS: Record<string, string[]> = {
  '==': ['!='],
  '!=': ['=='],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '+': ['-'],
  '-': ['+'],
  '|': ['&'],
  '&': ['|'],
};
const DECISIONS: Record<string, string> = {
  'answer.allowed': 'answer.refused',
  'answer.refused': 'answer.allowed',
};
/** Members whose value is for people to read. */
const MESSAGES = new Set(['"message"']);

/** Reports every mutant of the terms and conditions below a node of the syntax tree. */
export function termMutants(text: SourceText, node: unknown, report: Report): void {
  if (Array.isArray(node)) {
    for (const member of node) termMutants(text, member, report);
    return;
  }
  if (typeof node !== 'object' || node === null) return;
  if (isExpr(node)) conditionMutants(text, node, report);
  if (!isTerm(node)) {
    for (const [name, member] of Object.entries(node)) {
      if (name !== 'location' && name !== 'annotations') termMutants(text, member, report);
    }
    return;
  }
  if (node.type === 'ref') operatorMutants(text, node, report);
  else if (node.type === 'templatestring') templateMutants(text, node, report);
  else constantMutants(text, node, report);
  memberMutants(text, node, report);
  termMutants(text, node.type === 'object' ? valuesOf(node) : node.value, report);
}

function isExpr(node: object): node is AstExpr {
  return 'terms' in node && 'index' in node && 'location' in node;
}

function isTerm(node: object): node is AstTerm {
  return 'type' in node && 'value' in node;
}

/** Without keys, whose change is the same as dropping the member. */
function valuesOf(node: AstTerm): AstTerm[] {
  return (node.value as [AstTerm, AstTerm][])
    .filter((_, member) => !isMessage(node, member))
    .map(([, value]) => value);
}

function conditionMutants(text: SourceText, expr: AstExpr, report: Report): void {
  const span = text.span(expr.location);
  if (span === undefined || expr.generated === true) return;
  const row = expr.location!.row;
  const written = expr.location!.text!;
  report(row, `dropped the condition ${written}`, [{ ...span, text: 'true' }]);
  if (expr.negated === true) {
    report(row, `took the not away: ${written}`, [
      { ...span, text: written.replace(/^not\s+/, '') },
    ]);
  } else if (!declares(expr)) {
    report(row, `negated ${written}`, [{ ...span, text: `not ${written}` }]);
  }
}

/** Whether a condition gives variables their values, and so has no negation. */
function declares(expr: AstExpr): boolean {
  const { terms } = expr;
  if (!Array.isArray(terms)) return 'symbols' in terms || 'domain' in terms;
  return [':=', '='].includes(terms[0]?.location?.text ?? '');
}

function operatorMutants(text: SourceText, node: AstTerm, report: Report): void {
  const written = node.location?.text ?? '';
  const others = OPERATORS[written] ?? (DECISIONS[written] ? [DECISIONS[written]] : []);
  const span = text.span(node.location);
  if (span === undefined) return;
  for (const other of others) {
    report(node.location!.row, `${written} became ${other}`, [{ ...span, text: other }]);
  }
}

function constantMutants(text: SourceText, node: AstTerm, report: Report): void {
  const span = text.span(node.location);
  if (span === undefined) return;
  const other = otherConstant(node.type, node.location!.text!);
  if (other === undefined) return;
  report(node.location!.row, `${node.location!.text} became ${other}`, [{ ...span, text: other }]);
}

function otherConstant(type: string, written: string): string | undefined {
  if (type === 'boolean') return { true: 'false', false: 'true' }[written];
  if (type === 'number' && /^-?[0-9.]+$/.test(written)) return String(Number(written) + 1);
  // A name after a dot is a string as well, but written without quotes.
  const quote = written[0];
  if (type !== 'string' || (quote !== '"' && quote !== '`') || written.length < 2) return undefined;
  return written.at(-1) === quote ? `${written.slice(0, -1)}_${quote}` : undefined;
}

/** The texts between the braces of a template end with `{` or with the quote. */
function templateMutants(text: SourceText, node: AstTerm, report: Report): void {
  for (const part of node.value.parts as AstTerm[]) {
    const span = text.span(part.location);
    if (part.type !== 'string' || span === undefined) continue;
    const edit = { start: span.end - 1, end: span.end - 1, text: '_' };
    report(part.location!.row, `the template's text ${part.location!.text} got longer`, [edit]);
  }
}

function memberMutants(text: SourceText, node: AstTerm, report: Report): void {
  const span = text.span(node.location);
  if (span === undefined || !['array', 'set', 'object'].includes(node.type)) return;
  const members = (node.value as (AstTerm | [AstTerm, AstTerm])[]).map(writtenMember);
  if (members.some((member) => member === undefined)) return;
  for (const [dropped, member] of members.entries()) {
    if (isMessage(node, dropped)) continue;
    const rest = members.filter((_, index) => index !== dropped).join(', ');
    const brackets = node.type === 'array' ? `[${rest}]` : `{${rest}}`;
    const other = node.type === 'set' && rest === '' ? 'set()' : brackets;
    report(node.location!.row, `dropped the member ${member}`, [{ ...span, text: other }]);
  }
}

function isMessage({ type, value }: AstTerm, member: number): boolean {
  return type === 'object' && MESSAGES.has(value[member][0].location?.text ?? '');
}

function writtenMember(member: AstTerm | [AstTerm, AstTerm]): string | undefined {
  if (!Array.isArray(member)) return member.location?.text;
  const [key, value] = member.map(({ location }) => location?.text);
  return key === undefined || value === undefined ? undefined : `${key}: ${value}`;
}
