// `:=` and `=`: giving variables values, and taking arrays and objects apart.
import type { AstTerm } from '../../../runtime/modules/rego-ast.ts';
import { type Abstract, ANY, known } from './abstract.ts';
import { type Branches, NEVER, one, several, then } from './branches.ts';
import { sameAs } from './lookup.ts';
import { bindAll, isFree, type Machine, type Place } from './machine.ts';
import { hasFree } from './terms.ts';
import { partsOf } from './tree.ts';
import { isArray, isMap } from './values.ts';

/** `left := right`: the variables on the left are new ones. */
export function assigned(
  machine: Machine,
  [, left, right]: readonly AstTerm[],
  place: Place,
): Branches<undefined> {
  return then(machine.term(right!, place), ({ value, env }) =>
    match(machine, left!, value, declare(left!, { ...place, env })),
  );
}

/** `left = right`. */
export function unified(
  machine: Machine,
  [, left, right]: readonly AstTerm[],
  place: Place,
): Branches<undefined> {
  const [pattern, value] = hasFree(left!, place) ? [left!, right!] : [right!, left!];
  if (hasFree(value, place)) {
    machine.doubt(left!, 'neither side of this has a value');
    return several([{ value: undefined, env: bindAll([left, right], place), sure: false }]);
  }
  return then(machine.term(value, place), (found) =>
    match(machine, pattern, found.value, { ...place, env: found.env }),
  );
}

/** Makes the variables of a pattern new ones. */
export function declare(pattern: AstTerm, place: Place): Place {
  if (pattern.type === 'var') {
    return { ...place, env: place.env.with(String(pattern.value), undefined) };
  }
  if (pattern.type !== 'array' && pattern.type !== 'object') return place;
  return partsOf(pattern).reduce((at, part) => declare(part, at), place);
}

/** Fits a value into a pattern; variables without a value get one. */
export function match(
  machine: Machine,
  pattern: AstTerm,
  value: Abstract,
  place: Place,
): Branches<undefined> {
  if (pattern.type === 'var' && isFree(String(pattern.value), place)) {
    return one(undefined, place.env.with(String(pattern.value), value));
  }
  if (!hasFree(pattern, place)) {
    return then(machine.term(pattern, place), (wanted) => {
      const verdict = sameAs(machine, wanted.value, value);
      return verdict === 'no' ? NEVER : one(undefined, wanted.env, verdict === 'yes');
    });
  }
  const pairs = pattern.type === 'array' ? ofArray(pattern, value) : ofObject(pattern, value);
  if (pairs === 'differs') return NEVER;
  if (pairs === 'unknown') {
    return several([{ value: undefined, env: bindAll(pattern, place), sure: false }]);
  }
  let all: Branches<undefined> = one(undefined, place.env);
  for (const [part, member] of pairs) {
    all = then(all, ({ env }) => match(machine, part, member, { ...place, env }));
  }
  return all;
}

type Pairs = [AstTerm, Abstract][] | 'differs' | 'unknown';

function ofArray(pattern: AstTerm, value: Abstract): Pairs {
  const parts = partsOf(pattern);
  let items: readonly Abstract[];
  if (value.kind === 'array') items = value.items;
  else if (value.kind === 'known') {
    if (!isArray(value.value)) return 'differs';
    items = value.value.map(known);
  } else return value.kind === 'object' || value.kind === 'number' ? 'differs' : 'unknown';
  if (items.length !== parts.length) return 'differs';
  return parts.map((part, index) => [part, items[index] ?? ANY]);
}

function ofObject(pattern: AstTerm, value: Abstract): Pairs {
  const parts = pattern.value as [AstTerm, AstTerm][];
  let members: ReadonlyMap<string, Abstract>;
  if (value.kind === 'object') members = value.members;
  else if (value.kind === 'known') {
    if (!isMap(value.value)) return 'differs';
    members = new Map([...value.value].map(([key, member]) => [key, known(member)]));
  } else return value.kind === 'array' || value.kind === 'number' ? 'differs' : 'unknown';
  if (parts.some(([key]) => key.type !== 'string')) return 'unknown';
  if (members.size !== parts.length) return 'differs';
  const pairs: [AstTerm, Abstract][] = [];
  for (const [key, part] of parts) {
    const member = members.get(String(key.value));
    if (member === undefined) return 'differs';
    pairs.push([part, member]);
  }
  return pairs;
}
