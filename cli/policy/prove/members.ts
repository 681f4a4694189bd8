// Members of collections of which not everything is known.
import { equal, type Meet } from './compare.ts';
import { ANYTHING, isAbstract, isObject, isScalar, SetValue, type Value } from './values.ts';

type Found = (value: Value, sure: boolean) => void;

/** Every member of a collection, with its key; of one that is not known, any one. */
export function members(
  base: Value,
  each: (key: Value, value: Value, sure: boolean) => void,
): void {
  if (isAbstract(base)) each(ANYTHING, ANYTHING, false);
  else if (base instanceof SetValue) {
    for (const { value, sure } of base.elements) {
      each(base.ordered ? ANYTHING : value, value, sure);
    }
    if (base.open) each(ANYTHING, ANYTHING, false);
  } else if (Array.isArray(base)) {
    for (const [index, value] of base.entries()) each(index, value, true);
  } else if (isObject(base)) {
    for (const name of Object.keys(base)) each(name, base[name]!, true);
  }
}

/** The member under a key; what an input part holds is the caller's to say. */
export function member(base: Value, key: Value, meet: Meet, found: Found): void {
  if (isAbstract(base)) {
    found(ANYTHING, false);
  } else if (base instanceof SetValue) {
    memberOfSet(base, key, meet, found);
  } else if (isAbstract(key)) {
    if (isScalar(base)) return;
    const names = Array.isArray(base) ? [...base.keys()] : isObject(base) ? Object.keys(base) : [];
    const possible = names.filter((name) => equal(key, name, meet) !== 'no');
    if (possible.length > 0) found(ANYTHING, false);
  } else if (Array.isArray(base)) {
    if (typeof key === 'number' && base[key] !== undefined) found(base[key], true);
    else if (!isScalar(key)) found(ANYTHING, false);
  } else if (isObject(base)) {
    if (typeof key === 'string' && Object.hasOwn(base, key)) found(base[key]!, true);
  }
}

function memberOfSet(base: SetValue, key: Value, meet: Meet, found: Found): void {
  if (base.ordered) {
    if (typeof key === 'number' || !isScalar(key)) found(ANYTHING, false);
    return;
  }
  for (const { value, sure } of base.elements) {
    const same = equal(value, key, meet);
    if (same !== 'no') found(value, sure && same === 'yes');
  }
  if (base.open) found(key, false);
}
