// Bodies and their expressions: conjunction, negation, `some`, `every`, unification.
import type { AstEvery, AstExpr, AstTerm } from '../../../runtime/modules/rego-ast.ts';
import { type Abstract, ANY } from './abstract.ts';
import { type Branches, NEVER, one, type Scoped, several, then } from './branches.ts';
import { applied } from './calls.ts';
import { membersOf } from './lookup.ts';
import { bindAll, isFree, type Machine, type Place } from './machine.ts';
import { needsOf } from './needs.ts';
import { hasFree, sequence } from './terms.ts';
import { isClosure, operatorOf, partsOf } from './tree.ts';
import { assigned, unified } from './unify.ts';

/** All ways in which every expression of a body holds. */
export function evaluateBody(
  machine: Machine,
  body: readonly AstExpr[],
  place: Place,
): Branches<undefined> {
  if (body.length === 0) return one(undefined, place.env);
  const next = body.findIndex((expression) => isReady(expression, body, place));
  if (next < 0) {
    machine.doubt(body[0]!, 'the checker does not find an order for the variables of this body');
    return several([{ value: undefined, env: bindAll(body, place), sure: false }]);
  }
  const rest = body.filter((_, index) => index !== next);
  const holds = evaluateExpression(machine, body[next]!, place);
  return then(holds, ({ env }) => evaluateBody(machine, rest, { ...place, env }));
}

/** OPA evaluates an expression when everything that it needs has a value. */
function isReady(expression: AstExpr, body: readonly AstExpr[], place: Place): boolean {
  const { values, closed } = needsOf(expression);
  for (const name of values) if (isFree(name, place)) return false;
  for (const name of closed) {
    if (!isFree(name, place)) continue;
    if (place.env.find(name) === 'declared') return false;
    if (body.some((other) => other !== expression && needsOf(other).open.has(name))) return false;
  }
  const { terms } = expression;
  if (!Array.isArray(terms) || terms.length !== 3) return true;
  const operator = operatorOf(terms[0]!);
  if (operator === 'assign') return !hasFree(terms[2]!, place);
  return operator !== 'eq' || !hasFree(terms[1]!, place) || !hasFree(terms[2]!, place);
}

function evaluateExpression(
  machine: Machine,
  expression: AstExpr,
  place: Place,
): Branches<undefined> {
  machine.tick();
  const found = waysOf(machine, expression, place);
  if (found.list.length > 0 && !found.total) machine.doubt(expression, '');
  return found;
}

function waysOf(machine: Machine, expression: AstExpr, place: Place): Branches<undefined> {
  const { terms } = expression;
  if (expression.with !== undefined && expression.with.length > 0) {
    return perhaps(machine, expression, place, 'the checker does not follow `with`');
  }
  if (Array.isArray(terms) || 'type' in terms) {
    if (expression.negated === true) return negation(machine, terms, place);
    if (Array.isArray(terms)) {
      const operator = operatorOf(terms[0]!);
      if (terms.length === 3 && operator === 'assign') return assigned(machine, terms, place);
      if (terms.length === 3 && operator === 'eq') return unified(machine, terms, place);
      return truths(machine, machine.call({ type: 'call', value: terms }, place));
    }
    return truths(machine, machine.term(terms, place));
  }
  if (expression.negated !== true) {
    if ('symbols' in terms) return declaration(machine, terms.symbols, place);
    if ('domain' in terms) return every(machine, terms, place);
  }
  return perhaps(machine, expression, place, 'the checker does not know this form');
}

function perhaps(machine: Machine, node: AstExpr, place: Place, why: string): Branches<undefined> {
  machine.doubt(node, why);
  return several([{ value: undefined, env: bindAll(node, place), sure: false }]);
}

/** A statement holds for every value but false. */
function truths(machine: Machine, values: Branches<Abstract>): Branches<undefined> {
  return then(values, ({ value, env }) => {
    if (value.kind === 'known') return value.value === false ? NEVER : one(undefined, env);
    if (value.kind === 'any') return one(undefined, env, false);
    if (value.kind !== 'input') return one(undefined, env);
    const isFalse = machine.input.equals(value.pointer, false);
    return one(undefined, env, isFalse === 'no');
  });
}

/**
 * `not`: what the compiler evaluates before the negation must have a value, or the expression is
 * undefined: `not f(input.x)` and `not input.x < 1` are, without x. What stands on one side of `==`, or
 * alone, is inside the negation: `not input.x` and `not input.x == 1` are true then.
 */
function negation(machine: Machine, terms: AstTerm | AstTerm[], place: Place): Branches<undefined> {
  const inverse = (values: Branches<Abstract>): Branches<undefined> => {
    const holds = truths(machine, values);
    if (holds.list.length === 0) return one(undefined, place.env);
    return holds.total ? NEVER : one(undefined, place.env, false);
  };
  const call = Array.isArray(terms) ? terms : terms.type === 'call' ? partsOf(terms) : undefined;
  if (call === undefined) {
    return then(prepared(machine, [terms as AstTerm], place), ({ value: [term], env }) =>
      inverse(machine.term(term!, { ...place, env })),
    );
  }
  const [operator, ...operands] = call as [AstTerm, ...AstTerm[]];
  const apply = ({ value, env }: { value: Abstract[]; env: Scoped }) =>
    applied(machine, operator, value, { ...place, env });
  if (['equal', 'eq'].includes(operatorOf(operator)) && operands.length === 2) {
    return then(prepared(machine, operands, place), ({ value, env }) =>
      inverse(then(sequence(machine, value, { ...place, env }), apply)),
    );
  }
  return then(sequence(machine, operands, place), (found) => inverse(apply(found)));
}

/** The terms with what is evaluated before a negation replaced by variables that hold its value. */
function prepared(machine: Machine, terms: AstTerm[], place: Place): Branches<AstTerm[]> {
  const taken: AstTerm[] = [];
  const take = (term: AstTerm): AstTerm => {
    taken.push(term);
    return { type: 'var', value: `%${taken.length - 1}` };
  };
  const left = terms.map((term): AstTerm => {
    if (term.type !== 'ref') return isOperand(term) && !isClosure(term) ? take(term) : term;
    const parts = partsOf(term);
    return { type: 'ref', value: parts.map((part) => (isOperand(part) ? take(part) : part)) };
  });
  return then(sequence(machine, taken, place), ({ value, env }) => {
    const names = value.reduce((at: Scoped, one, index) => at.with(`%${index}`, one), env);
    return one(left, names);
  });
}

function isOperand(term: AstTerm): boolean {
  return isClosure(term) || ['ref', 'call', 'array', 'object', 'set'].includes(term.type);
}

/** `some x`, `some x in xs`, `some k, v in xs`. */
function declaration(
  machine: Machine,
  symbols: readonly AstTerm[],
  place: Place,
): Branches<undefined> {
  let { env } = place;
  const [first] = symbols as [AstTerm];
  if (first.type === 'var') {
    for (const symbol of symbols) env = env.with(String(symbol.value), undefined);
    return one(undefined, env);
  }
  const [, ...operands] = partsOf(first);
  const collection = operands.pop()!;
  return then(machine.term(collection, place), (from) => {
    const members = membersOf(machine, from.value) ?? [{ key: ANY, value: ANY, sure: false }];
    const list = members.map((member) => ({ value: member, env: from.env, sure: member.sure }));
    const total = from.value.kind === 'many' && from.value.some;
    return then(several(list, total), ({ value: member }) => {
      const values = operands.length === 2 ? [member.key, member.value] : [member.value];
      return matchAll(machine, operands, values, { ...place, env: from.env });
    });
  });
}

function matchAll(
  machine: Machine,
  patterns: readonly AstTerm[],
  values: readonly Abstract[],
  place: Place,
): Branches<undefined> {
  let all: Branches<undefined> = one(undefined, place.env);
  for (const [index, pattern] of patterns.entries()) {
    const value = values[index]!;
    all = then(all, ({ env }) => declared(machine, pattern, value, { ...place, env }));
  }
  return all;
}

/** The variables of `some … in` are new ones, whatever else has their names. */
function declared(
  machine: Machine,
  pattern: AstTerm,
  value: Abstract,
  place: Place,
): Branches<undefined> {
  if (pattern.type === 'var') return one(undefined, place.env.with(String(pattern.value), value));
  const simple = ['string', 'number', 'boolean', 'null', 'ref'].includes(pattern.type);
  if (!simple) {
    machine.doubt(pattern, 'the checker does not follow patterns of `some … in`');
    let { env } = place;
    for (const part of allVariables(pattern)) env = env.with(part, ANY);
    return one(undefined, env, false);
  }
  return then(machine.term(pattern, place), (wanted) =>
    truths(
      machine,
      applied(machine, { type: 'var', value: 'equal' }, [wanted.value, value], {
        ...place,
        env: wanted.env,
      }),
    ),
  );
}

function allVariables(term: AstTerm): string[] {
  if (term.type === 'var') return [String(term.value)];
  return partsOf(term).flatMap(allVariables);
}

function every(machine: Machine, node: AstEvery, place: Place): Branches<undefined> {
  return then(machine.term(node.domain, place), ({ value: domain, env }) => {
    const members = membersOf(machine, domain);
    const scalar =
      domain.kind === 'known' && (domain.value === null || typeof domain.value !== 'object');
    if (members === undefined || scalar || domain.kind === 'number') {
      return one(undefined, env, false);
    }
    let sure = true;
    for (const { key, value, sure: isThere } of members) {
      let inner = env;
      if (node.key !== null) inner = inner.with(String(node.key.value), key);
      inner = inner.with(String(node.value.value), value);
      const holds = machine.body(node.body, { ...place, env: inner });
      if (holds.list.length === 0 && isThere) return NEVER;
      if (!holds.total) sure = false;
    }
    return one(undefined, env, sure);
  });
}
