// Checks of single expressions: negation of what may be missing, order of sets, built-ins.

import type { RegoFinding } from '../../../runtime/modules/rego.ts';
import type { AstBody, AstLocation, AstTerm } from '../../../runtime/modules/rego-ast.ts';
import {
  at,
  type LintFinding,
  nameOf,
  replace,
  ruleName,
  type Source,
  type Sources,
  walk,
  walkTerms,
} from './finding.ts';

/** `not f(input.x)` is undefined, and not true, where x is missing. */
export function negations({ linted }: Sources): LintFinding[] {
  const found: LintFinding[] = [];
  for (const source of linted) {
    if (source.isTest) continue;
    walk(source.module.rules, (node) => {
      if (node.negated !== true) return;
      const missing = needed(node.terms as AstTerm | AstTerm[]);
      if (missing === undefined) return;
      found.push(
        at(source, node.location as AstLocation | undefined, {
          code: 'not-missing',
          message: `without ${missing} this is undefined, and not true`,
          hint: 'put the positive form into a rule of its own and negate the rule: `not small`',
        }),
      );
    });
  }
  return found;
}

/** The first part of the input that must be there before the negation is asked. */
function needed(terms: AstTerm | AstTerm[]): string | undefined {
  if (Array.isArray(terms)) {
    const [operator, ...operands] = terms as [AstTerm, ...AstTerm[]];
    // The sides of `==` are inside the negation; what is computed within them is not.
    const isEquality = ['equal', 'eq'].includes(nameOf(operator));
    return firstInput(isEquality ? operands.flatMap(inner) : operands);
  }
  if (!('type' in terms)) return undefined;
  if (terms.type === 'call') return needed(terms.value as AstTerm[]);
  return firstInput(inner(terms));
}

function inner(term: AstTerm): AstTerm[] {
  if (term.type === 'ref') return (term.value as AstTerm[]).slice(1);
  return ['call', 'array', 'object', 'set'].includes(term.type) ? [term] : [];
}

function firstInput(terms: readonly AstTerm[]): string | undefined {
  let name: string | undefined;
  for (const term of terms) {
    // A comprehension is always defined.
    if (term.type.endsWith('comprehension')) continue;
    walkTerms(term, ['ref'], (ref, around) => {
      if (around.some(({ type }) => String(type).endsWith('comprehension'))) return;
      if ((ref.value as AstTerm[])[0]?.value === 'input') name ??= nameOf(ref);
    });
  }
  return name;
}

/** Functions for which the order of an array does not matter. */
const UNORDERED = ['sort', 'count', 'sum', 'max', 'min', 'internal.member_2', 'internal.member_3'];

/** An array made of a set has no order that every evaluator shares. */
export function orders({ linted }: Sources): LintFinding[] {
  const found: LintFinding[] = [];
  for (const source of linted) {
    if (source.isTest) continue;
    const sets = new Set(
      (source.module.rules ?? [])
        .filter(({ head }) => head.key !== undefined && head.value === undefined)
        .map(ruleName),
    );
    walkTerms(source.module.rules, ['arraycomprehension'], (term, around) => {
      const call = around.at(-1);
      const parts = call?.type === 'call' ? call.value : call?.terms;
      if (Array.isArray(parts) && UNORDERED.includes(nameOf(parts[0] as AstTerm))) return;
      if (!overSet((term.value as { body: AstBody }).body, sets)) return;
      const text = term.location?.text;
      found.push(
        at(source, term.location, {
          code: 'unsorted',
          message: 'this array is made of a set, which has no order that every evaluator shares',
          hint: 'sort it: sort([…])',
          fix: text === undefined ? undefined : replace(source, term.location, `sort(${text})`),
        }),
      );
    });
  }
  return found;
}

function overSet(body: AstBody, sets: ReadonlySet<string>): boolean {
  return body.some(({ terms }) => {
    if (Array.isArray(terms) || !('symbols' in terms)) return false;
    const [symbol] = terms.symbols;
    if (symbol?.type !== 'call') return false;
    const from = (symbol.value as AstTerm[]).at(-1)!;
    if (from.type === 'set' || from.type === 'setcomprehension') return true;
    return from.type === 'var' && sets.has(String(from.value));
  });
}

/** What the compiler says of built-ins that do not run in the module, with what to use instead. */
export function builtins(errors: readonly RegoFinding[], linted: readonly Source[]): LintFinding[] {
  const files = new Set(linted.map(({ path }) => path));
  return errors
    .filter(({ code, file }) => code === 'builtin_not_portable' && files.has(file ?? ''))
    .map((finding) => ({ ...finding, code: 'builtin' }));
}
