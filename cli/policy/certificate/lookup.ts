// Steps into a collection: by a key, or over all of its members.
import { type Abstract, ANY, arrayOf, type Item, known, same, type Verdict } from './abstract.ts';
import type { Machine } from './machine.ts';
import { isArray, isMap, RegoSet, type Value } from './values.ts';

/** Beyond it the members of a collection are not told apart under an unknown key. */
const APART_MAX = 16;

export interface Member extends Item {
  key: Abstract;
}

/** The members that a key may select; a sure one is surely selected. */
export function lookup(machine: Machine, from: Abstract, key: Abstract): Item[] {
  if (from.kind === 'any' || from.kind === 'input') return [{ value: ANY, sure: false }];
  if (from.kind === 'many') {
    if (from.of === 'array') return from.items.map(({ value }) => ({ value, sure: false }));
    return selected(
      machine,
      from.items.map((item) => ({ key: item.value, ...item })),
      key,
    );
  }
  if (key.kind === 'known') return exact(from, key.value) ?? scan(machine, from, key);
  return scan(machine, from, key);
}

/** The common case, without a walk: a known key of a known or well-formed collection. */
function exact(from: Abstract, key: Value): Item[] | undefined {
  let value: Abstract | undefined;
  if (from.kind === 'object') value = typeof key === 'string' ? from.members.get(key) : undefined;
  else if (from.kind === 'array') value = typeof key === 'number' ? from.items[key] : undefined;
  else if (from.kind !== 'known') return undefined;
  else {
    const found = memberOf(from.value, key);
    if (found !== undefined) value = known(found);
  }
  return value === undefined ? [] : [{ value, sure: true }];
}

function memberOf(from: Value, key: Value): Value | undefined {
  if (from instanceof RegoSet) return from.has(key) ? key : undefined;
  if (isMap(from)) return typeof key === 'string' ? from.get(key) : undefined;
  if (isArray(from) && typeof key === 'number') return from[key];
  return undefined;
}

function scan(machine: Machine, from: Abstract, key: Abstract): Item[] {
  return selected(machine, membersOf(machine, from) ?? [], key);
}

function selected(machine: Machine, members: readonly Member[], key: Abstract): Item[] {
  const found: Item[] = [];
  for (const member of members) {
    machine.tick();
    const verdict = sameAs(machine, member.key, key);
    if (verdict === 'no') continue;
    if (verdict === 'yes' && member.sure) return [{ value: member.value, sure: true }];
    found.push({ value: member.value, sure: false });
  }
  return found.length > APART_MAX ? [{ value: ANY, sure: false }] : found;
}

/** Every member with its key; undefined when nothing is known of the collection. */
export function membersOf(machine: Machine, from: Abstract): Member[] | undefined {
  const sure = (key: Abstract, value: Abstract): Member => {
    machine.tick();
    return { key, value, sure: true };
  };
  switch (from.kind) {
    case 'any':
    case 'input':
      return undefined;
    case 'number':
      return [];
    case 'object':
      return [...from.members].map(([key, value]) => sure(known(key), value));
    case 'array':
      return from.items.map((value, index) => sure(known(index), value));
    case 'many':
      return from.items.map((item) => ({ key: from.of === 'set' ? item.value : ANY, ...item }));
    case 'known':
      if (from.value instanceof RegoSet) {
        return [...from.value.items.values()].map((item) => sure(known(item), known(item)));
      }
      if (isMap(from.value)) {
        return [...from.value].map(([key, value]) => sure(known(key), known(value)));
      }
      if (isArray(from.value)) return from.value.map((item, at) => sure(known(at), known(item)));
      return [];
  }
}

/** `value in collection`, or `key, value in collection`. */
export function isMember(
  machine: Machine,
  key: Abstract | undefined,
  value: Abstract,
  from: Abstract,
): Verdict {
  const members = membersOf(machine, from);
  if (members === undefined) return 'maybe';
  let verdict: Verdict = 'no';
  for (const member of members) {
    const pair = key === undefined ? undefined : arrayOf([member.key, member.value]);
    const answer =
      pair === undefined
        ? sameAs(machine, member.value, value)
        : sameAs(machine, pair, arrayOf([key!, value]));
    if (answer === 'yes' && member.sure) return 'yes';
    if (answer !== 'no') verdict = 'maybe';
  }
  return verdict;
}

export function sameAs(machine: Machine, a: Abstract, b: Abstract): Verdict {
  return same(a, b, (pointer, value) => machine.input.equals(pointer, value));
}
