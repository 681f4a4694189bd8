// Random expressions of a wanted type: what is in scope, literals, calls and comprehensions.
import { builtinCalls } from './calls.ts';
import type { Random } from './random.ts';
import { candidates, fresh, having, type Scope } from './scope.ts';
import { body, oneMember } from './statements.ts';
import { fits, memberType, type Type, words } from './types.ts';

/** An expression of this type; at depth 0 nothing but names and literals. */
export function expression(scope: Scope, type: Type, depth: number): string {
  const { of } = scope;
  if (typeof type === 'object' && 'record' in type) return named(scope, type) ?? 'input.agent';
  if (depth <= 0 || of.chance(0.35)) {
    const found = of.chance(0.8) ? named(scope, type) : undefined;
    return found ?? literal(scope, type, depth);
  }
  const ways: (() => string | undefined)[] = [
    () => builtin(scope, type, depth),
    () => builtin(scope, type, depth),
    () => ownCall(scope, type, depth),
    () => comprehension(scope, type, depth),
    () => operation(scope, type, depth),
    () => literal(scope, type, depth),
  ];
  return of.pick(ways)() ?? named(scope, type) ?? literal(scope, type, depth);
}

/** A variable, a rule, or a path into input or data; variables are taken more often. */
export function named(scope: Scope, type: Type): string | undefined {
  const { of } = scope;
  const close = scope.variables.filter((one) => fits(one.type, type));
  if (close.length > 0 && of.chance(0.5)) return of.pick(close).text;
  const found = candidates(scope, type);
  return found.length === 0 ? undefined : of.pick(found).text;
}

/** A scalar, or an empty collection: what a default value may be. */
export function constant(of: Random, type: Type): string {
  if (type === 'boolean') return of.pick(['true', 'false']);
  if (type === 'number') return of.pick(['0', '1', '2', '3', '4', '5', '0.5', '-1', '1e2', '2.50']);
  if (typeof type === 'string') return JSON.stringify(of.pick(words[type]));
  if ('array' in type) return '[]';
  return 'set' in type ? 'set()' : '{}';
}

/** A literal; those of collections hold expressions. */
function literal(scope: Scope, type: Type, depth: number): string {
  const { of } = scope;
  const members = (member: Type) => of.some(1, 3, () => expression(scope, member, depth - 1));
  if (typeof type === 'string') return constant(of, type);
  if ('array' in type) return of.chance(0.1) ? '[]' : `[${members(type.array).join(', ')}]`;
  if ('set' in type) return of.chance(0.1) ? 'set()' : `{${members(type.set).join(', ')}}`;
  if ('object' in type) {
    const keys = new Set(of.some(0, 3, () => of.pick([...words.name, ...words.kind])));
    const entries = [...keys].map(
      (key) => `"${key}": ${expression(scope, type.object, depth - 1)}`,
    );
    return `{${entries.join(', ')}}`;
  }
  return 'input.agent';
}

function builtin(scope: Scope, type: Type, depth: number): string | undefined {
  const fitting = builtinCalls.filter(({ result }) => fits(result, type));
  if (fitting.length === 0) return undefined;
  const call = scope.of.pick(fitting);
  const given = call.parameters.map((parameter) => expression(scope, parameter, depth - 1));
  return call.text.replace(/#/g, () => given.shift()!);
}

function ownCall(scope: Scope, type: Type, depth: number): string | undefined {
  const fitting = scope.policy.functions.filter(({ result }) => fits(result, type));
  if (fitting.length === 0) return undefined;
  const { text, parameters } = scope.of.pick(fitting);
  return `${text}(${parameters.map((each) => expression(scope, each, depth - 1)).join(', ')})`;
}

function operation(scope: Scope, type: Type, depth: number): string | undefined {
  const { of } = scope;
  const two = (each: Type, operator: string) =>
    `(${expression(scope, each, depth - 1)} ${operator} ${expression(scope, each, depth - 1)})`;
  if (type === 'number') return two('number', of.pick(['+', '-', '*', '/', '%']));
  if (type === 'boolean') return comparison(scope, depth);
  if (typeof type === 'object' && 'set' in type) return two(type, of.pick(['|', '&', '-']));
  return undefined;
}

/** Two expressions of one type, compared. */
export function comparison(scope: Scope, depth: number): string {
  const { of } = scope;
  const types: Type[] = ['number', 'name', 'kind', 'role', 'text', { array: 'number' }];
  const type = of.pick<Type>([...types, { set: 'role' }, { object: 'number' }]);
  const operators =
    type === 'number' ? ['<', '<=', '>', '>=', '!=', '=='] : ['==', '==', '!=', '<'];
  const [left, right] = [expression(scope, type, depth - 1), expression(scope, type, depth - 1)];
  return `(${left} ${of.pick(operators)} ${right})`;
}

function comprehension(scope: Scope, type: Type, depth: number): string | undefined {
  const member = memberType(type);
  if (member === undefined || typeof type === 'string') return undefined;
  if ('object' in type) {
    const found = oneMember(scope);
    const key = fresh(scope, 'k');
    // Two values for one key end an evaluation, so the value depends on nothing but the key.
    const inner = having(scope, { text: key, type: found.type });
    const value = expression(inner, member, depth - 1);
    const tests = body({ ...inner, single: false }, depth - 1, 1).text;
    return `{${key}: ${value} | some ${key} in ${found.text}; ${tests}}`;
  }
  const { text, scope: inner } = body({ ...scope, single: false }, depth - 1, 2);
  const head = expression(inner, member, depth - 1);
  return 'array' in type ? `[${head} | ${text}]` : `{${head} | ${text}}`;
}
