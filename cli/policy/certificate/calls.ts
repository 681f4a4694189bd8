// Calls: functions of the policy, and built-ins on values of which not everything is known.
import type { AstTerm } from '../../../runtime/modules/rego-ast.ts';
import { type Abstract, ANY, arrayOf, itemsOf, known, setOf, sizeOf } from './abstract.ts';
import { type Branches, NEVER, one, several, then } from './branches.ts';
import { arityOf, compute } from './builtins.ts';
import { isMember, lookup, sameAs } from './lookup.ts';
import { anything, booleanOf, type Machine, meaningOf, type Place } from './machine.ts';
import type { Node, Rule } from './program.ts';
import { callFunction } from './rules.ts';
import { sequence } from './terms.ts';
import { operatorOf, partsOf } from './tree.ts';
import { isArray, isMap, RegoSet, type Value } from './values.ts';

const MEMBER_ARITY: Record<string, number> = { 'internal.member_2': 2, 'internal.member_3': 3 };

/** The values of a call. One with a last argument for its result (`f(x, y)`) is not followed. */
export function evaluateCall(machine: Machine, term: AstTerm, place: Place): Branches<Abstract> {
  const [operator, ...operands] = partsOf(term) as [AstTerm, ...AstTerm[]];
  const arity = arityOfCall(machine, operator, place);
  if (arity !== undefined && operands.length !== arity) {
    machine.doubt(term, 'the checker does not follow a call that has its result as an argument');
    return anything(term, place);
  }
  if (arity === undefined) {
    const name = operatorOf(operator);
    machine.doubt(term, `the checker does not compute ${name}`);
    return anything(operands, place);
  }
  return then(sequence(machine, operands, place), ({ value, env }) =>
    applied(machine, operator, value, { ...place, env }),
  );
}

function arityOfCall(machine: Machine, operator: AstTerm, place: Place): number | undefined {
  const rule = functionOf(machine, operator, place);
  if (rule !== undefined) {
    return (rule.clauses[0] ?? rule.fallback)?.rule.head.args?.length;
  }
  const name = operatorOf(operator);
  return MEMBER_ARITY[name] ?? arityOf(name);
}

/** The function of the policy that a name stands for; undefined for a built-in. */
function functionOf(machine: Machine, operator: AstTerm, place: Place): Rule | undefined {
  const terms = operator.type === 'ref' ? partsOf(operator) : [operator];
  const [head, ...rest] = terms as [AstTerm, ...AstTerm[]];
  const name = String(head.value);
  const meaning = meaningOf(name, { ...place, env: place.env });
  let node: Node | undefined;
  let path = rest;
  if (meaning.kind === 'import') {
    if (meaning.terms[0]?.value !== 'data') return undefined;
    node = machine.program;
    path = [...meaning.terms.slice(1), ...rest];
  } else if (meaning.kind === 'root') {
    node = machine.program;
  } else if (meaning.kind === 'rule') {
    node = place.scope.package;
    path = terms;
  }
  for (const part of path) node = node?.children.get(String(part.value));
  return node?.rule?.kind === 'function' ? node.rule : undefined;
}

/** A call whose arguments are evaluated. */
export function applied(
  machine: Machine,
  operator: AstTerm,
  values: readonly Abstract[],
  place: Place,
): Branches<Abstract> {
  const rule = functionOf(machine, operator, place);
  if (rule !== undefined) return callFunction(machine, rule, values, place);
  const name = operatorOf(operator);
  const { env } = place;
  const [first, second, third] = values;
  if (name === 'internal.member_2' && values.length === 2) {
    return one(booleanOf(isMember(machine, undefined, first!, second!)), env);
  }
  if (name === 'internal.member_3' && values.length === 3) {
    return one(booleanOf(isMember(machine, first!, second!, third!)), env);
  }
  if (values.every((value) => value.kind === 'known')) {
    const answer = compute(
      name,
      values.map((value) => (value as { value: Value }).value),
    );
    if (answer === 'undefined') return NEVER;
    if (answer !== 'unknown') return one(known(answer.value), env);
  } else {
    const answer = partly(machine, name, values);
    if (answer !== undefined) {
      return several(answer.map(({ value, sure }) => ({ value, sure, env })));
    }
  }
  machine.doubt(operator, `the checker does not know what ${name} gives here`);
  return several([{ value: ANY, env, sure: false }]);
}

type Found = { value: Abstract; sure: boolean }[];

/** Built-ins of which something is known though not all arguments are. */
function partly(machine: Machine, name: string, values: readonly Abstract[]): Found | undefined {
  const [a, b] = values as [Abstract, Abstract];
  const sure = (value: Abstract): Found => [{ value, sure: true }];
  switch (name) {
    case 'equal':
    case 'eq':
      return sure(booleanOf(sameAs(machine, a, b)));
    case 'neq': {
      const verdict = sameAs(machine, a, b);
      return sure(verdict === 'maybe' ? ANY : known(verdict === 'no'));
    }
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return sure(compared(name, a, b));
    case 'count': {
      const size = sizeOf(a);
      if (size === undefined) return undefined;
      return sure(size.min === size.max ? known(size.min) : { kind: 'number', ...size });
    }
    case 'sort': {
      const items = isCollection(a) ? itemsOf(a) : undefined;
      if (items === undefined) return undefined;
      const some = items.some((item) => item.sure) || (a.kind === 'many' && a.some);
      return sure({ kind: 'many', of: 'array', items, some });
    }
    case 'or':
      if (!isSet(a) || !isSet(b)) return undefined;
      return sure(setOf([...itemsOf(a)!, ...itemsOf(b)!], isSome(a) || isSome(b)));
    case 'array.concat': {
      const left = arrayItems(a);
      const right = arrayItems(b);
      if (left && right) return sure(arrayOf([...left, ...right]));
      const isList = (one: Abstract) =>
        arrayItems(one) !== undefined || (one.kind === 'many' && one.of === 'array');
      if (!isList(a) || !isList(b)) return undefined;
      const items = [...itemsOf(a)!, ...itemsOf(b)!];
      const some = [a, b].some((one) => (sizeOf(one)?.min ?? 0) > 0);
      return sure({ kind: 'many', of: 'array', items, some });
    }
    case 'object.get':
      return got(machine, values);
    case 'is_object':
      return a.kind === 'object' ? sure(known(true)) : undefined;
    case 'is_array':
      return a.kind === 'array' ? sure(known(true)) : undefined;
  }
  return undefined;
}

function isCollection(value: Abstract): boolean {
  if (value.kind === 'many' || value.kind === 'array') return true;
  return value.kind === 'known' && (value.value instanceof RegoSet || isArray(value.value));
}

function isSet(value: Abstract): boolean {
  if (value.kind === 'many') return value.of === 'set';
  return value.kind === 'known' && value.value instanceof RegoSet;
}

function isSome(value: Abstract): boolean {
  return value.kind === 'many' && value.some;
}

function arrayItems(value: Abstract): readonly Abstract[] | undefined {
  if (value.kind === 'array') return value.items;
  return value.kind === 'known' && isArray(value.value) ? value.value.map(known) : undefined;
}

/** Comparison with a number of which only the bounds are known. */
function compared(name: string, a: Abstract, b: Abstract): Abstract {
  const left = boundsOf(a);
  const right = boundsOf(b);
  if (left === undefined || right === undefined) return ANY;
  const answers = new Set<boolean>();
  for (const x of [left.min, left.max]) {
    for (const y of [right.min, right.max]) {
      answers.add(name === 'lt' ? x < y : name === 'lte' ? x <= y : name === 'gt' ? x > y : x >= y);
    }
  }
  return answers.size === 1 ? known([...answers][0]!) : ANY;
}

function boundsOf(value: Abstract): { min: number; max: number } | undefined {
  if (value.kind === 'number') return value;
  if (value.kind !== 'known' || typeof value.value !== 'number') return undefined;
  return { min: value.value, max: value.value };
}

/** `object.get` of one key: the member that there may be, else the fallback. */
function got(machine: Machine, [from, key, fallback]: readonly Abstract[]): Found | undefined {
  const isObject = from!.kind === 'object' || (from!.kind === 'known' && isMap(from!.value));
  if (!isObject || key!.kind === 'array') return undefined;
  if (key!.kind === 'known' && typeof key!.value !== 'string') return undefined;
  const found = lookup(machine, from!, key!);
  if (found.some((item) => item.sure)) return found;
  return [...found, { value: fallback!, sure: found.length === 0 }];
}
