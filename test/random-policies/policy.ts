// A random policy: rules of every form over input and data, each from what was made before it.
import { constant, expression } from './expressions.ts';
import type { Random } from './random.ts';
import { fresh, having, type Named, type Policy, type Scope } from './scope.ts';
import { body, oneMember } from './statements.ts';
import type { Type } from './types.ts';

/** How deep expressions nest in each other. */
const DEPTH = 2;

const valueTypes: Type[] = ['number', 'text', 'boolean', { array: 'number' }, { object: 'number' }];

/** The Rego files of a random policy in package `gen`, whose decision is `data.gen.allow`. */
export function randomPolicy(of: Random): string[] {
  const names = { used: 0 };
  const bare = { rules: [], functions: [], looksUp: false, names };
  const lookup = ['read', 'write', 'drop', 'name'].map((name) =>
    completeRule({ of, variables: [], policy: bare, single: false }, name, 'number'),
  );
  const policy: Policy = { rules: [], functions: [], looksUp: true, names };
  const scope: Scope = { of, variables: [], policy, single: false };
  const rules = of.some(4, 7, () => of.pick(forms)(scope));
  return [
    ['package gen.lookup', ...lookup].join('\n\n'),
    ['package gen', ...rules, allow(scope)].join('\n\n'),
  ];
}

const forms = [aFunction, aFunction, complete, complete, complete, set, set, object, nested, flag];

/** `default`, then one or more rules with one value each, in a chain of `else`. */
function completeRule(scope: Scope, name: string, type: Type): string {
  const { of } = scope;
  const branches = of.some(1, 3, () => {
    return ` := ${oneValue(scope, type)}`;
  });
  const chain = `${name}${branches.join(' else')}`;
  return of.chance(0.5) ? `default ${name} := ${constant(of, type)}\n\n${chain}` : chain;
}

/** A value and the body that it holds for: either depends on what has many values, never both. */
function oneValue(scope: Scope, type: Type): string {
  const single = scope.of.chance(0.6);
  const { text, scope: inner } = body({ ...scope, single }, DEPTH, 2, '\n\t');
  return `${expression(single ? inner : scope, type, DEPTH)} if {\n\t${text}\n}`;
}

function complete(scope: Scope): string {
  const type = scope.of.pick(valueTypes);
  const name = fresh(scope, 'value');
  const text = completeRule(scope, name, type);
  scope.policy.rules.push({ text: name, type });
  return text;
}

/** Several rules that agree: true, whichever of them holds. */
function flag(scope: Scope): string {
  const name = fresh(scope, 'flag');
  const text = alternatives(scope, name);
  scope.policy.rules.push({ text: name, type: 'boolean' });
  return text;
}

function alternatives(scope: Scope, name: string): string {
  const rules = scope.of.some(
    1,
    3,
    () => `${name} if {\n\t${body(scope, DEPTH, 2, '\n\t').text}\n}`,
  );
  return [`default ${name} := false`, ...rules].join('\n\n');
}

/** Members from several rules. */
function set(scope: Scope): string {
  const { of } = scope;
  const type = of.pick<Type>(['name', 'text', 'number', 'role']);
  const name = fresh(scope, 'set');
  const rules = of.some(1, 3, () => {
    const { text, scope: inner } = body(scope, DEPTH, 2, '\n\t');
    return `${name} contains ${expression(inner, type, 1)} if {\n\t${text}\n}`;
  });
  scope.policy.rules.push({ text: name, type: { set: type } });
  return rules.join('\n\n');
}

/** A rule whose last bracket is a key; the value depends on the key alone, as two would be a conflict. */
function keyed(scope: Scope, head: string, type: Type): string {
  const found = oneMember(scope);
  const key = fresh(scope, 'k');
  const inner = having(scope, { text: key, type: found.type });
  const value = expression(inner, type, DEPTH);
  const tests = body(inner, DEPTH, 1, '\n\t').text;
  return `${head}[${key}] := ${value} if {\n\tsome ${key} in ${found.text}\n\t${tests}\n}`;
}

function object(scope: Scope): string {
  const name = fresh(scope, 'object');
  const text = keyed(scope, name, 'number');
  scope.policy.rules.push({ text: name, type: { object: 'number' } });
  return text;
}

/** Rules with longer names: members of one object, of which some are objects and sets themselves. */
function nested(scope: Scope): string {
  const name = fresh(scope, 'nested');
  const made = body(scope, DEPTH, 1, '\n\t');
  const set = oneMember(scope);
  const key = fresh(scope, 'k');
  const keyScope = having(scope, { text: key, type: set.type });
  const rules = [
    `${name}.one := ${oneValue(scope, 'number')}`,
    keyed(scope, `${name}.many`, 'number'),
    `${name}.set contains ${expression(made.scope, 'text', 1)} if {\n\t${made.text}\n}`,
    `${name}.sets[${key}] contains ${expression(keyScope, 'text', 1)} if {
	some ${key} in ${set.text}
}`,
  ].filter(() => scope.of.chance(0.75));
  const types: Named[] = [
    { text: `${name}.one`, type: 'number' },
    { text: `${name}.many`, type: { object: 'number' } },
    { text: `${name}.set`, type: { set: 'text' } },
  ];
  scope.policy.rules.push(
    ...types.filter(({ text: path }) => rules.some((rule) => rule.startsWith(path))),
  );
  return rules.join('\n\n');
}

/** Clauses by the constant that the first argument is, then one for the rest, or a chain of `else`. */
function aFunction(scope: Scope): string {
  const { of } = scope;
  const name = fresh(scope, 'f');
  const result = of.pick<Type>(['number', 'text', 'boolean']);
  const second = of.pick<Type>(['number', 'text', { array: 'number' }]);
  const parameter: Named = { text: fresh(scope, 'p'), type: second };
  const first: Named = { text: fresh(scope, 'p'), type: 'kind' };
  const clause = (pattern: string, variables: Named[]) => {
    return `${name}(${pattern}, ${parameter.text}) := ${oneValue(having(scope, ...variables), result)}`;
  };
  const clauses = of.chance(0.5)
    ? ['"read"', '"write"'].map((constant) => clause(constant, [parameter]))
    : [`${clause(first.text, [first, parameter])} else := ${constant(of, result)}`];
  const fallback = of.chance(0.3) ? [`default ${name}(_, _) := ${constant(of, result)}`] : [];
  scope.policy.functions.push({ text: name, parameters: ['kind', second], result });
  return [...fallback, ...clauses].join('\n\n');
}

/** The decision, from tests and from the rules that were made. */
function allow(scope: Scope): string {
  return alternatives(scope, 'allow');
}
