// Evaluates the conditions of a rule: in how many ways they hold, or may.
import type { AstBody, AstExpr, AstRule, AstTerm } from '../../../runtime/modules/rego.ts';
import { type Outcome as BuiltinOutcome, builtins } from './builtins.ts';
import { equal } from './compare.ts';
import { bind, bindAll, type Env, isPattern, lookup } from './env.ts';
import type { Machine, Solved, Start } from './machine.ts';
import { members } from './members.ts';
import { nodeAt, operatorName } from './policy.ts';
import { evaluateTerm, evaluateTerms } from './terms.ts';
import {
  ANYTHING,
  type Element,
  isAbstract,
  isScalar,
  type Truth,
  truthOf,
  type Value,
} from './values.ts';

/** Calls `solved` for each way in which the conditions from `index` on hold or may hold. */
export function solve(
  machine: Machine,
  body: AstBody,
  index: number,
  env: Env,
  sure: boolean,
  solved: Solved,
): void {
  machine.tick();
  const expression = body[index];
  if (expression === undefined) {
    solved(env, sure);
    return;
  }
  holds(machine, expression, env, sure, (next, certain) => {
    solve(machine, body, index + 1, next, certain, solved);
  });
}

function holds(
  machine: Machine,
  expression: AstExpr,
  env: Env,
  sure: boolean,
  solved: Solved,
): void {
  if (expression.with !== undefined && expression.with.length > 0) {
    machine.stop(expression, 'the prover does not interpret `with`');
    solved(bindAll(expression.terms, env), false);
  } else if (expression.negated === true) {
    let held: Truth = 'no';
    positive(machine, expression, env, true, (_env, certain) => {
      held = certain || held === 'yes' ? 'yes' : 'maybe';
    });
    if ((held as Truth) !== 'yes') solved(env, sure && held === 'no');
  } else {
    positive(machine, expression, env, sure, solved);
  }
}

function positive(
  machine: Machine,
  expression: AstExpr,
  env: Env,
  sure: boolean,
  solved: Solved,
): void {
  const { terms } = expression;
  if (Array.isArray(terms)) {
    call(machine, expression, terms, env, sure, solved);
  } else if ('domain' in terms) {
    every(machine, expression, env, sure, solved);
  } else if ('symbols' in terms) {
    solved(env, sure);
  } else {
    evaluateTerm(machine, terms as AstTerm, env, sure, (value, next, certain) => {
      const truth = truthOf(value);
      if (truth !== 'no') solved(next, certain && truth === 'yes');
    });
  }
}

function every(
  machine: Machine,
  expression: AstExpr,
  env: Env,
  sure: boolean,
  solved: Solved,
): void {
  const { key, value, domain, body } = expression.terms as {
    key: AstTerm | null;
    value: AstTerm;
    domain: AstTerm;
    body: AstBody;
  };
  evaluateTerm(machine, domain, env, sure, (all, next, certain) => {
    if (isScalar(all)) return;
    let truth: Truth = isAbstract(all) ? 'maybe' : 'yes';
    members(all, (at, item, there) => {
      let inside: Truth = 'no';
      const bound = bind(value, item, key === null ? next : bind(key, at, next));
      solve(machine, body, 0, bound, true, (_env, holds) => {
        inside = holds || inside === 'yes' ? 'yes' : 'maybe';
      });
      if ((inside as Truth) === 'yes') return;
      truth = (inside === 'no' && there) || truth === 'no' ? 'no' : 'maybe';
    });
    if ((truth as Truth) !== 'no') solved(next, certain && truth === 'yes');
  });
}

function call(
  machine: Machine,
  expression: AstExpr,
  terms: AstTerm[],
  env: Env,
  sure: boolean,
  solved: Solved,
): void {
  const [operator, ...given] = terms as [AstTerm, ...AstTerm[]];
  const name = operatorName(operator);
  if ((name === 'eq' || name === 'assign') && given.length === 2) {
    unify(machine, given[0]!, given[1]!, env, sure, solved);
    return;
  }
  const node = name.startsWith('data.') ? nodeAt(machine.subject.tree, operator.value) : undefined;
  const count = node?.rules[0]?.head.args?.length ?? machine.subject.arity.get(name);
  const args = count === undefined ? given : given.slice(0, count);
  const output = count === undefined ? undefined : given[count];
  evaluateTerms(machine, args, env, sure, (values, next, certain) => {
    const results =
      node === undefined
        ? builtin(machine, expression, name, values)
        : machine.complete(node.rules, (rule) => bindArguments(machine, rule, values));
    for (const { value, sure: there } of results) {
      if (output !== undefined) {
        match(machine, output, value, next, certain && there, solved);
      } else if (truthOf(value) !== 'no') {
        solved(next, certain && there && truthOf(value) === 'yes');
      }
    }
  });
}

function bindArguments(machine: Machine, rule: AstRule, values: Value[]): Start | undefined {
  let found: Start | undefined;
  const patterns = rule.head.args ?? [];
  const step = (index: number, env: Env, sure: boolean): void => {
    const pattern = patterns[index];
    if (pattern === undefined) found = { env, sure };
    else
      match(machine, pattern, values[index] ?? ANYTHING, env, sure, (next, certain) =>
        step(index + 1, next, certain),
      );
  };
  step(0, undefined, true);
  return found;
}

function builtin(machine: Machine, expression: AstExpr, name: string, values: Value[]): Element[] {
  const compute = builtins.get(name);
  const result: BuiltinOutcome = compute === undefined ? 'unknown' : compute(values, machine.meet);
  if (result === undefined) return [];
  if (result !== 'unknown') return [result];
  machine.stop(
    expression,
    compute === undefined
      ? `the prover does not interpret the built-in ${name}`
      : `${name} of something that the input decides`,
  );
  return [{ value: ANYTHING, sure: false }];
}

function unify(
  machine: Machine,
  a: AstTerm,
  b: AstTerm,
  env: Env,
  sure: boolean,
  solved: Solved,
): void {
  const [pattern, other] = isPattern(a, env) ? [a, b] : [b, a];
  evaluateTerm(machine, other, env, sure, (value, next, certain) => {
    match(machine, pattern, value, next, certain, solved);
  });
}

/** Binds what is unbound in the pattern, compares the rest. */
export function match(
  machine: Machine,
  pattern: AstTerm,
  value: Value,
  env: Env,
  sure: boolean,
  solved: Solved,
): void {
  if (pattern.type === 'var' && lookup(env, pattern.value) === undefined) {
    solved(bind(pattern, value, env), sure);
  } else if (!isPattern(pattern, env)) {
    evaluateTerm(machine, pattern, env, sure, (other, next, certain) => {
      const truth = equal(other, value, machine.meet);
      if (truth !== 'no') solved(next, certain && truth === 'yes');
    });
  } else if (pattern.type === 'array' && Array.isArray(value)) {
    const items = pattern.value as AstTerm[];
    if (items.length !== value.length) return;
    const step = (index: number, next: Env, certain: boolean): void => {
      const item = items[index];
      if (item === undefined) solved(next, certain);
      else match(machine, item, value[index]!, next, certain, (e, c) => step(index + 1, e, c));
    };
    step(0, env, sure);
  } else if (!isScalar(value)) {
    solved(bindAll(pattern, env), false);
  }
}
