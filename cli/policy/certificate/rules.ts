// Rules and functions: clauses, `else`, `default`.
import type { AstRule } from '../../../runtime/modules/rego-ast.ts';
import { type Abstract, ANY, distinct, type Item, known, setOf } from './abstract.ts';
import { type Branch, type Branches, one, Scoped, several, then } from './branches.ts';
import type { Machine, Place } from './machine.ts';
import { type Clause, Node, type Rule } from './program.ts';
import { match } from './unify.ts';

const NO_IMPORTS = new Map<string, never>();
const NO_RULES = new Node();

/** What a rule may be: one of the values, and surely one of them when `total`. */
export interface Result {
  values: readonly Item[];
  total: boolean;
}

/** Evaluates a rule that is no function. */
export function evaluateRule(machine: Machine, rule: Rule): Result {
  if (rule.kind === 'complete') return complete(machine, rule);
  if (rule.kind === 'set')
    return { values: [{ value: set(machine, rule), sure: true }], total: true };
  for (const { rule: source } of rule.clauses.slice(0, 1)) {
    machine.doubt(source.head.ref[0]!, 'the checker does not follow rules of this form');
  }
  return { values: [{ value: ANY, sure: false }], total: false };
}

function complete(machine: Machine, rule: Rule): Result {
  const found = rule.clauses.map((clause) =>
    chain(machine, clause.rule, { env: Scoped.NONE, scope: clause.scope }),
  );
  const all = several(
    found.flatMap(({ list }) => list),
    found.some(({ total }) => total),
  );
  return withFallback(machine, rule, all);
}

function withFallback(machine: Machine, rule: Rule, found: Branches<Abstract>): Result {
  const values = distinct(found.list, found.total).map(({ value, sure }) => ({ value, sure }));
  const { fallback } = rule;
  if (found.total || fallback === undefined) return { values, total: found.total };
  const place = { env: Scoped.NONE, scope: fallback.scope };
  const { list } = machine.term(fallback.rule.head.value!, place);
  const value = list.length === 1 && list[0]!.sure ? list[0]!.value : ANY;
  return { values: [...values, { value, sure: values.length === 0 }], total: true };
}

/** A clause and what stands behind its `else`. */
function chain(machine: Machine, rule: AstRule, place: Place): Branches<Abstract> {
  const { head } = rule;
  const found = then(machine.body(rule.body, place), ({ env }) =>
    head.value === undefined ? one(known(true), env) : machine.term(head.value, { ...place, env }),
  );
  if (found.total || rule.else === undefined) return found;
  const other = chain(machine, rule.else, place);
  const alone = found.list.length === 0;
  const rest: Branch<Abstract>[] = other.list.map((branch) => ({
    ...branch,
    sure: alone && branch.sure,
  }));
  return several([...found.list, ...rest], other.total);
}

/** Every element that a clause contributes, or may contribute. */
function set(machine: Machine, rule: Rule): Abstract {
  const items: Item[] = [];
  let some = false;
  for (const clause of rule.clauses) {
    const found = elements(machine, clause);
    items.push(...found.list.map(({ value, sure }) => ({ value, sure })));
    some ||= found.total;
  }
  return setOf(items, some);
}

/** The elements of one clause, under what the combination assumes of its condition. */
function elements(machine: Machine, clause: Clause): Branches<Abstract> {
  const place: Place = { env: Scoped.NONE, scope: clause.scope };
  const found = then(machine.body(clause.rule.body, place), ({ env }) =>
    machine.term(clause.rule.head.key!, { ...place, env }),
  );
  if (found.total || found.list.length === 0) return found;
  const assumed = machine.input.assumed(clause.id);
  if (assumed === undefined) {
    machine.input.trace.want(clause.id, true);
    return found;
  }
  if (assumed.kind !== 'is') return several<Abstract>([]);
  const list = distinct(found.list, true).map((item) => ({ ...item, env: Scoped.NONE }));
  return several(list, true);
}

/** Calls a function of the policy. */
export function callFunction(
  machine: Machine,
  rule: Rule,
  values: readonly Abstract[],
  { env }: Place,
): Branches<Abstract> {
  const found = rule.clauses.map(({ rule: source, scope }) => {
    let bound: Branches<undefined> = one(undefined, Scoped.NONE);
    for (const [index, pattern] of (source.head.args ?? []).entries()) {
      const value = values[index] ?? ANY;
      bound = then(bound, (branch) => match(machine, pattern, value, argument(branch, scope)));
    }
    return then(bound, (branch) => chain(machine, source, { env: branch.env, scope }));
  });
  const all = several(
    found.flatMap(({ list }) => list),
    found.some(({ total }) => total),
  );
  const { values: results, total } = withFallback(machine, rule, all);
  return several(
    results.map(({ value, sure }) => ({ value, sure, env })),
    total,
  );
}

/** The names in a function's head are its arguments, whatever else has those names. */
function argument(branch: Branch<undefined>, scope: Clause['scope']): Place {
  return { env: branch.env, scope: { ...scope, imports: NO_IMPORTS, package: NO_RULES } };
}
