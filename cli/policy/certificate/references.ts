// References: into the input, into data, into rules, into local values.
import type { AstTerm } from '../../../runtime/modules/rego-ast.ts';
import { type Abstract, ANY, known } from './abstract.ts';
import { type Branches, NEVER, one, several, then } from './branches.ts';
import { lookup, membersOf } from './lookup.ts';
import { anything, bindAll, isFree, type Machine, meaningOf, type Place } from './machine.ts';
import { hasRules, type Node } from './program.ts';
import { isMap, type Value } from './values.ts';

/** The values of a reference; variables without a value in it run over all keys. */
export function evaluateReference(
  machine: Machine,
  terms: readonly AstTerm[],
  place: Place,
): Branches<Abstract> {
  const [head, ...rest] = terms as [AstTerm, ...AstTerm[]];
  if (head.type !== 'var') {
    return then(machine.term(head, place), ({ value, env }) =>
      steps(machine, value, rest, { ...place, env }),
    );
  }
  const name = String(head.value);
  const meaning = meaningOf(name, place);
  switch (meaning.kind) {
    case 'local':
      return steps(machine, meaning.value, rest, place);
    case 'import':
      return evaluateReference(machine, [...meaning.terms, ...rest], atTop(place, meaning.terms));
    case 'root':
      if (name === 'input') return intoInput(machine, '', rest, place);
      return intoData(machine, machine.program, machine.data, rest, place);
    case 'rule': {
      const path = [...place.scope.path.slice(1), { ...head, type: 'string' }, ...rest];
      return intoData(machine, machine.program, machine.data, path, place);
    }
    case 'free':
      machine.doubt(head, `${name} has no value here`);
      return anything(terms, place);
  }
}

/** An import names `input` or `data`; whatever else stands there has no meaning. */
function atTop(place: Place, terms: readonly AstTerm[]): Place {
  const name = String(terms[0]!.value);
  if (name === 'input' || name === 'data') return place;
  return { ...place, scope: { ...place.scope, imports: new Map() } };
}

function steps(
  machine: Machine,
  from: Abstract,
  terms: readonly AstTerm[],
  place: Place,
): Branches<Abstract> {
  const [next, ...rest] = terms;
  if (next === undefined) return one(from, place.env);
  if (from.kind === 'input') return intoInput(machine, from.pointer, terms, place);
  machine.tick();
  if (next.type === 'var' && isFree(String(next.value), place)) {
    const name = String(next.value);
    const members = membersOf(machine, from) ?? [{ key: ANY, value: ANY, sure: false }];
    const found = members.map(({ key, value, sure }) => ({
      value,
      env: place.env.with(name, key),
      sure,
    }));
    const total = from.kind === 'many' && from.some;
    return then(several(found, total), ({ value, env }) =>
      steps(machine, value, rest, { ...place, env }),
    );
  }
  return then(keyOf(machine, next, place), (key) => {
    const found = lookup(machine, from, key.value).map((item) => ({ ...item, env: key.env }));
    return then(several(found), ({ value, env }) => steps(machine, value, rest, { ...place, env }));
  });
}

/** A key; a pattern with variables in it (`pairs[[x, y]]`) is not followed. */
function keyOf(machine: Machine, term: AstTerm, place: Place): Branches<Abstract> {
  const pattern = term.type === 'array' || term.type === 'object' || term.type === 'set';
  const env = pattern ? bindAll(term, place) : place.env;
  if (env !== place.env) return several([{ value: ANY, env, sure: false }]);
  return machine.term(term, place);
}

function intoInput(
  machine: Machine,
  pointer: string,
  terms: readonly AstTerm[],
  place: Place,
): Branches<Abstract> {
  let at = pointer;
  for (const [index, term] of terms.entries()) {
    const key = textOfKey(term, place);
    const rest = terms.slice(index);
    if (key === undefined) return intoUnknown(machine, at, rest, place);
    at += `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const assumed = machine.input.assumed(at);
    if (assumed?.kind === 'missing') return NEVER;
    if (assumed?.kind === 'is') return steps(machine, known(assumed.value), rest.slice(1), place);
  }
  if (terms.length === 0 && pointer !== '') return one({ kind: 'input', pointer }, place.env);
  const found = machine.input.at(at);
  return found === undefined ? NEVER : one(found.value, place.env, found.sure);
}

/** A step by a key that is computed, or over all keys. */
function intoUnknown(
  machine: Machine,
  pointer: string,
  terms: readonly AstTerm[],
  place: Place,
): Branches<Abstract> {
  const [next, ...rest] = terms as [AstTerm, ...AstTerm[]];
  if (next.type === 'var' && isFree(String(next.value), place)) {
    const env = place.env.with(String(next.value), ANY);
    const all = several([{ value: ANY, env, sure: false }]);
    return then(all, (branch) => steps(machine, ANY, rest, { ...place, env: branch.env }));
  }
  return then(keyOf(machine, next, place), ({ value, env }) => {
    const inner = { ...place, env };
    if (value.kind === 'known' && typeof value.value === 'string') {
      return intoInput(machine, pointer, [{ type: 'string', value: value.value }, ...rest], inner);
    }
    return then(several([{ value: ANY, env, sure: false }]), () =>
      steps(machine, ANY, rest, inner),
    );
  });
}

function textOfKey(term: AstTerm, place: Place): string | undefined {
  if (term.type === 'string') return String(term.value);
  if (term.type !== 'var') return undefined;
  const meaning = meaningOf(String(term.value), place);
  if (meaning.kind !== 'local' || meaning.value.kind !== 'known') return undefined;
  return typeof meaning.value.value === 'string' ? meaning.value.value : undefined;
}

function intoData(
  machine: Machine,
  node: Node | undefined,
  base: Value | undefined,
  terms: readonly AstTerm[],
  place: Place,
): Branches<Abstract> {
  if (node === undefined || !hasRules(node)) {
    return base === undefined ? NEVER : steps(machine, known(base), terms, place);
  }
  const [next, ...rest] = terms;
  const key = next === undefined ? undefined : textOfKey(next, place);
  if (next === undefined || key === undefined) {
    if (next !== undefined) machine.doubt(next, 'it selects among packages or rules');
    return anything(terms, place);
  }
  const child = node.children.get(key);
  const below = base !== undefined && isMap(base) ? base.get(key) : undefined;
  if (child?.rule === undefined) return intoData(machine, child, below, rest, place);
  if (child.children.size > 0 || below !== undefined || child.rule.kind === 'function') {
    machine.doubt(next, 'rules and other values share this name');
    return anything(terms, place);
  }
  const { values, total } = machine.rule(child.rule);
  const list = values.map(({ value, sure }) => ({ value, sure, env: place.env }));
  return then(several(list, total), ({ value, env }) =>
    steps(machine, value, rest, { ...place, env }),
  );
}
