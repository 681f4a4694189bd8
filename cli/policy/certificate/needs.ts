// Which variables an expression needs values for, as OPA orders a body before it evaluates it.
import type { AstExpr, AstTerm } from '../../../runtime/modules/rego-ast.ts';
import { isClosure, operatorOf, partsOf, variablesIn } from './tree.ts';

/** What stands in the way of evaluating an expression now. */
export interface Needs {
  /** Without a value of these it means nothing. */
  values: ReadonlySet<string>;
  /** Names that a closure in it uses; they may belong to expressions around it. */
  closed: ReadonlySet<string>;
  /** Variables of the expression itself, outside closures. */
  open: ReadonlySet<string>;
}

const known = new WeakMap<AstExpr, Needs>();

export function needsOf(expression: AstExpr): Needs {
  let needs = known.get(expression);
  if (needs === undefined) {
    const collected = {
      values: new Set<string>(),
      closed: new Set<string>(),
      open: new Set<string>(),
    };
    collect(expression, collected);
    needs = collected;
    known.set(expression, needs);
  }
  return needs;
}

interface Collected {
  values: Set<string>;
  closed: Set<string>;
  open: Set<string>;
}

function collect(expression: AstExpr, into: Collected): void {
  const { terms } = expression;
  if (Array.isArray(terms)) {
    const operator = operatorOf(terms[0]!);
    const unifies = operator === 'eq' || operator === 'assign';
    for (const argument of terms.slice(1)) {
      if (unifies) pattern(argument, into);
      else operand(argument, into);
    }
  } else if ('symbols' in terms) {
    for (const symbol of terms.symbols) {
      if (symbol.type === 'var') into.open.add(String(symbol.value));
      else {
        const parts = partsOf(symbol);
        for (const part of parts.slice(1, -1)) pattern(part, into);
        operand(parts.at(-1)!, into);
      }
    }
  } else if ('domain' in terms) {
    operand(terms.domain, into);
    const own = new Set([terms.key, terms.value].map((term) => String(term?.value)));
    for (const name of freeOf(terms.body)) if (!own.has(name)) into.closed.add(name);
  } else if ('type' in terms) {
    operand(terms, into);
  }
  if (expression.negated === true) for (const name of into.open) into.values.add(name);
}

/** One side of `=`: its own variables get values there. */
function pattern(term: AstTerm, into: Collected): void {
  if (term.type === 'var') into.open.add(String(term.value));
  else if (term.type === 'array' || term.type === 'object') {
    for (const part of partsOf(term)) pattern(part, into);
  } else operand(term, into);
}

function operand(term: AstTerm, into: Collected): void {
  if (term.type === 'var') {
    into.open.add(String(term.value));
    into.values.add(String(term.value));
  } else if (isClosure(term)) {
    for (const name of freeIn(term)) into.closed.add(name);
  } else if (term.type === 'ref') {
    const [head, ...keys] = partsOf(term);
    operand(head!, into);
    // A variable among the keys runs over all of them.
    for (const key of keys) {
      if (key.type === 'var') into.open.add(String(key.value));
      else operand(key, into);
    }
  } else if (term.type === 'call') {
    for (const part of partsOf(term).slice(1)) operand(part, into);
  } else {
    for (const part of partsOf(term)) operand(part, into);
  }
}

/** Names that a comprehension takes from outside, or binds without declaring them. */
function freeIn(closure: AstTerm): Set<string> {
  const { body, ...rest } = closure.value as { body?: AstExpr[] };
  if (body === undefined) return variablesIn(rest);
  const names = freeOf(body);
  const own = declaredIn(body);
  for (const name of variablesIn(rest)) if (!own.has(name)) names.add(name);
  return names;
}

function freeOf(body: readonly AstExpr[]): Set<string> {
  const names = new Set<string>();
  for (const expression of body) {
    const { open, closed, values } = needsOf(expression);
    for (const name of [...open, ...closed, ...values]) names.add(name);
  }
  for (const name of declaredIn(body)) names.delete(name);
  return names;
}

/** Names that `some` or `:=` make a body's own. */
function declaredIn(body: readonly AstExpr[]): Set<string> {
  const names = new Set<string>();
  for (const { terms } of body) {
    if (Array.isArray(terms)) {
      if (operatorOf(terms[0]!) === 'assign') patternNames(terms[1]!, names);
    } else if ('symbols' in terms) {
      for (const symbol of terms.symbols) {
        if (symbol.type === 'var') names.add(String(symbol.value));
        else for (const part of partsOf(symbol).slice(1, -1)) patternNames(part, names);
      }
    }
  }
  return names;
}

function patternNames(term: AstTerm, names: Set<string>): void {
  if (term.type === 'var') names.add(String(term.value));
  else if (term.type === 'array' || term.type === 'object') {
    for (const part of partsOf(term)) patternNames(part, names);
  }
}
