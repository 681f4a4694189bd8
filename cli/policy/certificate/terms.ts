// The value of a term: constants, variables, references, collections, comprehensions, templates.
import type { AstBody, AstExpr, AstTerm } from '../../../runtime/modules/rego-ast.ts';
import { type Abstract, ANY, arrayOf, known, objectOf, setOf } from './abstract.ts';
import { type Branches, NEVER, one, then } from './branches.ts';
import { anything, isFree, type Machine, type Place } from './machine.ts';
import { evaluateReference } from './references.ts';
import { isClosure, partsOf } from './tree.ts';
import type { Value } from './values.ts';

/** All values that a term may have, with the variables that its iterations bind. */
export function evaluateTerm(machine: Machine, term: AstTerm, place: Place): Branches<Abstract> {
  machine.tick();
  switch (term.type) {
    case 'null':
    case 'boolean':
    case 'number':
    case 'string':
      return one(known(term.value as Value), place.env);
    case 'var':
      return evaluateReference(machine, [term], place);
    case 'ref':
      return evaluateReference(machine, term.value as AstTerm[], place);
    case 'array':
      return then(sequence(machine, partsOf(term), place), ({ value, env }) =>
        one(arrayOf(value), env),
      );
    case 'set':
      return then(sequence(machine, partsOf(term), place), ({ value, env }) =>
        one(setOf(value.map((item) => ({ value: item, sure: true }))), env),
      );
    case 'object':
      return then(sequence(machine, partsOf(term), place), ({ value, env }) =>
        one(objectFrom(value), env),
      );
    case 'call':
      return machine.call(term, place);
    case 'templatestring':
      return template(machine, term, place);
    case 'setcomprehension':
    case 'arraycomprehension':
    case 'objectcomprehension':
      return one(comprehension(machine, term, place), place.env);
  }
  machine.doubt(term, `the checker knows no ${term.type}`);
  return anything(term, place);
}

/** Evaluates terms from left to right; each value list has one value for each term. */
export function sequence(
  machine: Machine,
  terms: readonly AstTerm[],
  place: Place,
): Branches<Abstract[]> {
  let all: Branches<Abstract[]> = one([], place.env);
  for (const term of terms) {
    all = then(all, ({ value, env }) =>
      then(machine.term(term, { ...place, env }), (last) => one([...value, last.value], last.env)),
    );
  }
  return all;
}

/** An object of keys and values in turn; one with a key that is no known string could be anything. */
function objectFrom(flat: readonly Abstract[]): Abstract {
  const members = new Map<string, Abstract>();
  for (let index = 0; index < flat.length; index += 2) {
    const key = flat[index]!;
    if (key.kind !== 'known' || typeof key.value !== 'string' || members.has(key.value)) return ANY;
    members.set(key.value, flat[index + 1]!);
  }
  return objectOf(members);
}

function comprehension(machine: Machine, term: AstTerm, place: Place): Abstract {
  const { body, ...parts } = term.value as { body: AstBody; term?: AstTerm; key?: AstTerm };
  const wanted =
    parts.key !== undefined ? [parts.key, (term.value as { value: AstTerm }).value] : [parts.term!];
  const found = then(machine.body(body, place), ({ env }) =>
    sequence(machine, wanted, { ...place, env }),
  );
  const items = found.list.map(({ value, sure }) => ({ value: value[0]!, sure }));
  if (term.type === 'setcomprehension') return setOf(items, found.total);
  if (term.type === 'arraycomprehension') {
    if (items.length === 0) return known([]);
    return { kind: 'many', of: 'array', items, some: found.total };
  }
  if (found.list.some(({ sure }) => !sure)) return ANY;
  return objectFrom(found.list.flatMap(({ value }) => value));
}

/** A text whose every part is known; what is shown of the rest is not followed. */
function template(machine: Machine, term: AstTerm, place: Place): Branches<Abstract> {
  const { parts } = term.value as { parts: (AstTerm | AstExpr)[] };
  let text = '';
  for (const part of parts) {
    const shown = 'type' in part ? part : part.terms;
    if (Array.isArray(shown) || !('type' in shown)) return anything([], place);
    const { list } = isClosure(shown) ? NEVER : machine.term(shown, place);
    const value = list.length === 1 && list[0]!.sure ? list[0]!.value : ANY;
    if (value.kind !== 'known') return anything([], place);
    if (typeof value.value !== 'string' && !Number.isSafeInteger(value.value)) {
      return anything([], place);
    }
    text += String(value.value);
  }
  return one(known(text), place.env);
}

/** Whether a pattern of arrays and objects holds a variable that has no value yet. */
export function hasFree(term: AstTerm, place: Place): boolean {
  if (term.type === 'var') return isFree(String(term.value), place);
  if (term.type !== 'array' && term.type !== 'object') return false;
  return partsOf(term).some((part) => hasFree(part, place));
}
