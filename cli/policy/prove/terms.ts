// Evaluates terms: constants, variables, collections, comprehensions, and references into rules, data and input.
import type { AstTerm } from '../../../runtime/modules/rego.ts';
import { bindAll, type Env, isPattern, lookup } from './env.ts';
import type { Found, Machine } from './machine.ts';
import { member, members } from './members.ts';
import { firstInexact } from './numbers.ts';
import type { PolicyNode } from './policy.ts';
import {
  ANYTHING,
  distinct,
  type Element,
  InputPart,
  isObject,
  type Scalar,
  SetValue,
  type Value,
} from './values.ts';

/** Calls `found` with each value that the term may have. */
export function evaluateTerm(
  machine: Machine,
  term: AstTerm,
  env: Env,
  sure: boolean,
  found: Found,
): void {
  switch (term.type) {
    case 'null':
    case 'boolean':
    case 'string':
      found(term.value as Scalar, env, sure);
      return;
    case 'number':
      found(exactly(machine, term.value as number), env, sure);
      return;
    case 'var':
      found(lookup(env, term.value)?.value ?? ANYTHING, env, sure);
      return;
    case 'ref':
      ref(machine, term.value as AstTerm[], env, sure, found);
      return;
    case 'array':
      evaluateTerms(machine, term.value as AstTerm[], env, sure, found);
      return;
    case 'set':
      evaluateTerms(machine, term.value as AstTerm[], env, sure, (values, next, certain) => {
        const elements = values.map((value) => ({ value, sure: true }));
        found(new SetValue(distinct(elements)), next, certain);
      });
      return;
    case 'object':
      object(machine, term.value as [AstTerm, AstTerm][], env, sure, found);
      return;
    case 'setcomprehension':
    case 'arraycomprehension':
    case 'objectcomprehension':
      found(comprehension(machine, term, env), env, sure);
      return;
    default:
      found(ANYTHING, env, false);
  }
}

/** The value, or anything where a number of it may be another than it looks. */
function exactly(machine: Machine, value: Value): Value {
  const { inexact } = machine.subject;
  const number = firstInexact(value, inexact);
  if (number === undefined) return value;
  const location = inexact.get(Math.abs(number));
  const where = location === undefined ? 'a number of the data' : 'a number';
  machine.stop({ location }, `${where} that binary64 may not hold exactly`);
  return ANYTHING;
}

/** Calls `found` with each list of values that the terms may have together. */
export function evaluateTerms(
  machine: Machine,
  terms: AstTerm[],
  env: Env,
  sure: boolean,
  found: (values: Value[], env: Env, sure: boolean) => void,
  before: Value[] = [],
): void {
  const term = terms[before.length];
  if (term === undefined) {
    found(before, env, sure);
    return;
  }
  evaluateTerm(machine, term, env, sure, (value, next, certain) => {
    evaluateTerms(machine, terms, next, certain, found, [...before, value]);
  });
}

function object(
  machine: Machine,
  pairs: [AstTerm, AstTerm][],
  env: Env,
  sure: boolean,
  found: Found,
): void {
  const names = pairs.map(([name]) => name);
  evaluateTerms(machine, names, env, sure, (keys, next, certain) => {
    evaluateTerms(
      machine,
      pairs.map(([, value]) => value),
      next,
      certain,
      (values, last, still) => {
        const plain = keys.every((key) => typeof key === 'string');
        const members = keys.map((key, index) => [key, values[index]!] as [string, Value]);
        found(plain ? Object.fromEntries(members) : ANYTHING, last, still);
      },
    );
  });
}

function comprehension(machine: Machine, term: AstTerm, env: Env): Value {
  const { body, term: head, key, value } = term.value;
  const elements: Element[] = [];
  const pairs: [Value, Value][] = [];
  machine.solve(body, 0, env, true, (next, sure) => {
    const heads = term.type === 'objectcomprehension' ? [key, value] : [head];
    evaluateTerms(machine, heads as AstTerm[], next, sure, ([first, second], _env, certain) => {
      elements.push({ value: first!, sure: certain });
      if (second !== undefined) pairs.push([first!, second]);
    });
  });
  if (term.type === 'setcomprehension') return new SetValue(distinct(elements));
  const all = elements.every(({ sure, value: one }) => sure && !(one === ANYTHING));
  if (!all) return ANYTHING;
  if (term.type === 'arraycomprehension') return elements.map((element) => element.value);
  return pairs.every(([name]) => typeof name === 'string')
    ? Object.fromEntries(pairs as [string, Value][])
    : ANYTHING;
}

function ref(machine: Machine, path: AstTerm[], env: Env, sure: boolean, found: Found): void {
  const [head, ...rest] = path as [AstTerm, ...AstTerm[]];
  if (head.type === 'var' && head.value === 'input' && lookup(env, 'input') === undefined) {
    walk(machine, new InputPart(''), rest, env, sure, found);
  } else if (head.type === 'var' && head.value === 'data') {
    data(machine, machine.subject.tree, machine.subject.data as Value, rest, env, sure, found);
  } else {
    evaluateTerm(machine, head, env, sure, (value, next, certain) => {
      walk(machine, value, rest, next, certain, found);
    });
  }
}

/** Follows a path into rules, and where there are none, into the data. */
function data(
  machine: Machine,
  node: PolicyNode | undefined,
  base: Value | undefined,
  path: AstTerm[],
  env: Env,
  sure: boolean,
  found: Found,
): void {
  if (node === undefined) {
    if (base !== undefined) walk(machine, base, path, env, sure, found);
    return;
  }
  if (node.rules.length > 0) {
    for (const { value, sure: there } of machine.ruleValues(node)) {
      walk(machine, value, path, env, sure && there, found);
    }
    return;
  }
  const [name, ...rest] = path;
  if (name?.type !== 'string') {
    machine.stop(undefined, `${node.path} as a whole`);
    found(ANYTHING, bindAll(path, env), false);
    return;
  }
  const key = name.value as string;
  const member = isObject(base ?? null) && Object.hasOwn(base as object, key);
  const below = member ? (base as { [key: string]: Value })[key] : undefined;
  data(machine, node.children.get(key), below, rest, env, sure, found);
}

function walk(
  machine: Machine,
  base: Value,
  path: AstTerm[],
  env: Env,
  sure: boolean,
  found: Found,
): void {
  const [segment, ...rest] = path;
  if (segment === undefined) {
    found(exactly(machine, base), env, sure);
    return;
  }
  machine.tick();
  if (isPattern(segment, env)) {
    members(base, (key, value, there) => {
      machine.match(segment, key, env, sure && there, (next, certain) => {
        walk(machine, value, rest, next, certain, found);
      });
    });
    return;
  }
  evaluateTerm(machine, segment, env, sure, (key, next, certain) => {
    const each = (value: Value, there: boolean) => {
      walk(machine, value, rest, next, certain && there, found);
    };
    const named = typeof key === 'string' || typeof key === 'number';
    if (base instanceof InputPart && named) machine.input(base, key, each);
    else member(base, key, machine.meet, each);
  });
}
