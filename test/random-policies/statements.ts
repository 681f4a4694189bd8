// Random statements of a rule's body: tests, assignments, iteration, negation, `every`, `with`, unification.
import { comparison, constant, expression } from './expressions.ts';
import { candidates, fresh, having, type Named, type Policy, type Scope } from './scope.ts';
import { memberType, type Type } from './types.ts';

interface Step {
  text: string;
  scope: Scope;
}

/** From one to `most` statements, one a line or after `;`. */
export function body(scope: Scope, depth: number, most: number, separator = '; '): Step {
  const texts: string[] = [];
  let inner = scope;
  for (let left = 1 + scope.of.below(most); left > 0; left--) {
    const step = statement(inner, depth);
    texts.push(step.text);
    inner = step.scope;
  }
  return { text: texts.join(separator), scope: inner };
}

const kinds = [
  ...[test, test, test, membership, membership, assignment, iteration, iteration],
  ...[reference, negation, everyMember, replacing, unification, dynamic],
];

/** Those that give a variable one value. */
const singleKinds = [
  test,
  test,
  membership,
  assignment,
  assignment,
  negation,
  everyMember,
  replacing,
];

function statement(scope: Scope, depth: number): Step {
  const kind = scope.of.pick(scope.single ? singleKinds : kinds);
  return kind === dynamic && !scope.policy.looksUp ? test(scope, depth) : kind(scope, depth);
}

/** A collection whose members have texts and numbers a variable may stand for; its text and member type. */
export function oneMember(scope: Scope): Named {
  const texts = candidates(scope).filter(
    ({ type }) => typeof type === 'object' && ('array' in type || 'set' in type),
  );
  const { text, type } = scope.of.pick(texts);
  return { text, type: memberType(type)! };
}

function test(scope: Scope, depth: number): Step {
  const { of } = scope;
  const text = of.chance(0.6) ? comparison(scope, depth) : expression(scope, 'boolean', depth);
  return { text, scope };
}

function membership(scope: Scope, depth: number): Step {
  const { of } = scope;
  const member = of.pick<Type>(['name', 'kind', 'role', 'number', 'text']);
  const made = expression(scope, of.pick<Type>([{ array: member }, { set: member }]), depth);
  // OPA v1.22.0 overlooks what is no constant in a list that it indexes: docs/conformance.md.
  const isLiteral = /^[[{]/.test(made) && !made.includes(' | ');
  const list = isLiteral ? `[${of.some(1, 3, () => constant(of, member)).join(', ')}]` : made;
  const text = `${expression(scope, member, depth - 1)} in ${list}`;
  return { text: of.chance(0.2) ? `not ${text}` : text, scope };
}

function assignment(scope: Scope, depth: number): Step {
  const { of } = scope;
  const type = of.pick<Type>([
    ...(['number', 'text', 'name', 'boolean'] as const),
    ...[{ array: 'number' }, { set: 'text' }, { object: 'number' }, { array: 'text' }].map(
      (each) => each as Type,
    ),
  ]);
  const variable = fresh(scope, 'v');
  const text = `${variable} := ${expression(scope, type, depth)}`;
  return { text, scope: having(scope, { text: variable, type }) };
}

/** `some x in …`, `some k, x in …`; the key is a number, a text or the member itself. */
function iteration(scope: Scope): Step {
  const collections = candidates(scope).filter(({ type }) => memberType(type) !== undefined);
  const { text, type } = scope.of.pick(collections);
  const value = { text: fresh(scope, 'x'), type: memberType(type)! };
  if (scope.of.chance(0.6)) {
    return { text: `some ${value.text} in ${text}`, scope: having(scope, value) };
  }
  const keyType = typeof type === 'object' && 'object' in type ? 'text' : 'number';
  const key: Named = { text: fresh(scope, 'k'), type: keyType };
  const isSet = typeof type === 'object' && 'set' in type;
  const made = isSet ? [value] : [key, value];
  return { text: `some ${key.text}, ${value.text} in ${text}`, scope: having(scope, ...made) };
}

/** A reference whose brackets bind a variable, as in `input.peers[i].level > 2`. */
function reference(scope: Scope, depth: number): Step {
  const { of } = scope;
  const index = fresh(scope, 'i');
  const [text, type] = of.pick<[string, Type]>([
    [`input.peers[${index}].level`, 'number'],
    [`data.agents[${index}].roles[_]`, 'role'],
    [`data.grants[${index}].name`, 'name'],
    [`data.groups[${index}][0]`, 'name'],
    [`input.rows[${index}][_]`, 'number'],
    [`data.allowed[${index}][_]`, 'boolean'],
  ]);
  return { text: `${text} == ${expression(scope, type, depth - 1)}`, scope };
}

function negation(scope: Scope, depth: number): Step {
  return { text: `not ${test(scope, depth - 1).text}`, scope };
}

function everyMember(scope: Scope, depth: number): Step {
  const collections = candidates(scope).filter(({ type }) => memberType(type) !== undefined);
  const { text, type } = scope.of.pick(collections);
  const value = { text: fresh(scope, 'e'), type: memberType(type)! };
  const inner = having(scope, value);
  // OPA refuses an `every` whose variables are not used.
  const used = using(inner, value);
  if (scope.of.chance(0.3)) {
    const key = fresh(scope, 'k');
    const keyTest = `type_name(${key}) != ${scope.of.pick(['"string"', '"number"', '"null"'])}`;
    return { text: `every ${key}, ${value.text} in ${text} { ${used}; ${keyTest} }`, scope };
  }
  const tests = [used, ...scope.of.some(0, 1, () => test(inner, depth - 1).text)].join('; ');
  return { text: `every ${value.text} in ${text} { ${tests} }`, scope };
}

/** The policy without what was made before. */
function bareOf({ policy }: Scope): Policy {
  return { ...policy, rules: [], functions: [] };
}

/** A test of this variable. */
function using(scope: Scope, { text, type }: Named): string {
  if (typeof type === 'string') return `${text} != ${expression(scope, type, 1)}`;
  if ('record' in type) return `${text}.name != ${expression(scope, 'name', 1)}`;
  return `count(${text}) != ${expression(scope, 'number', 1)}`;
}

/** A test, or a rule's value, with part of the input, of the data or a function replaced. */
function replacing(scope: Scope, depth: number): Step {
  const { of } = scope;
  // What replaces may not lead back to what is being replaced.
  const bare = { ...scope, policy: bareOf(scope) };
  const value = (type: Type) => expression(bare, type, depth - 1);
  const replaced = of.some(1, 2, () =>
    of.pick([
      () => `input.agent.level as ${value('number')}`,
      () => `input.agent.roles as ${value({ array: 'role' })}`,
      () => `input.kind as ${value('kind')}`,
      () => `input as ${of.chance(0.5) ? '{}' : '{"kind": "read", "amount": 3}'}`,
      () => `data.limits as ${value({ object: 'number' })}`,
      () => `data.groups.admin as ${value({ array: 'name' })}`,
      () => `count as ${of.below(4)}`,
    ])(),
  );
  const rules = scope.policy.rules;
  const tested =
    rules.length > 0 && of.chance(0.7) ? `${of.pick(rules).text} != 2` : comparison(scope, 1);
  const prefix = of.chance(0.2) ? 'not ' : '';
  return { text: `${prefix}${tested} with ${[...new Set(replaced)].join(' with ')}`, scope };
}

/** A list of numbers of unknown length: one of another length than a pattern is refused. */
function candidate(scope: Scope): string {
  const type: Type = { array: 'number' };
  return scope.of.pick(candidates({ ...scope, policy: bareOf(scope), variables: [] }, type)).text;
}

/** Patterns of arrays and objects that take a value apart. */
function unification(scope: Scope, depth: number): Step {
  const { of } = scope;
  const made: Named = { text: fresh(scope, 'u'), type: 'number' };
  const text = of.pick([
    () => `[${made.text}, _] = ${candidate(scope)}`,
    () => `[1, ${made.text}] = [input.amount, ${expression(scope, 'number', depth)}]`,
    () => `{"name": ${made.text}, "kind": "read", "limit": _} = data.grants[_]`,
    () => `[${made.text}, null] = [${expression(scope, 'number', depth)}, null]`,
    () => `[${made.text}, {"a": ${expression(scope, 'text', 0)}}] = [1, {"a": input.target}]`,
  ])();
  return {
    text,
    scope: having(scope, { ...made, type: text.includes('"name"') ? 'name' : 'number' }),
  };
}

/** A rule that is found by a name known only at run time, merged with the base document beside it. */
function dynamic(scope: Scope): Step {
  const { of } = scope;
  const value: Named = { text: fresh(scope, 'd'), type: 'number' };
  const key = of.pick(['input.kind', 'data.grants[0].kind', `data.grants[_].kind`]);
  const variable = fresh(scope, 'w');
  const text = of.pick([
    () => `${variable} := ${key}; ${value.text} := data.gen.lookup[${variable}]`,
    () => `${value.text} := data.gen.lookup[_]; is_number(${value.text})`,
    () => `${variable} := data.gen.lookup; ${value.text} := count(${variable})`,
  ])();
  return { text, scope: having(scope, value) };
}
