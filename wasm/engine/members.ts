// Members of an object in the order of canonical JSON: by UTF-16 code units (RFC 8785 section 3.2.3).

import { alloc } from '../common/arena';
import { compareMembers, KEY_LENGTH, KEY_POINTER, sortMembers } from '../common/sort';
import { keyText } from './json-dump';
import { Kind, keyAt, kindOf, lengthOf, textOf, valueAt } from './value';

/** Offset of a member's value. */
export const MEMBER_VALUE: u32 = 0;
const MEMBER_BYTES: u32 = 12;

/** Pointers to the members of an object whose entries are in Rego's order. */
export function canonicalMembers(object: u32): u32 {
  const count = lengthOf(object);
  const pointers = alloc(count << 2);
  fill(object, pointers, count);
  for (let i: u32 = 1; i < count; i++) {
    const before = load<u32>(pointers + ((i - 1) << 2));
    if (compareMembers(before, load<u32>(pointers + (i << 2))) <= 0) continue;
    // Keys of different kinds can have one text; Rego's order is then as good as any.
    if (!sortMembers(pointers, count)) fill(object, pointers, count);
    break;
  }
  return pointers;
}

function fill(object: u32, pointers: u32, count: u32): void {
  for (let i: u32 = 0; i < count; i++) {
    const key = keyAt(object, i);
    const text = kindOf(key) == Kind.String ? key : keyText(key);
    const member = alloc(MEMBER_BYTES);
    store<u32>(member, valueAt(object, i), MEMBER_VALUE);
    store<u32>(member, textOf(text), KEY_POINTER);
    store<u32>(member, lengthOf(text), KEY_LENGTH);
    store<u32>(pointers + (i << 2), member);
  }
}
