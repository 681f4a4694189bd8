// The keyword `type` of a JSON Schema, and its mistakes.

import { equalStrings } from '../compare';
import { elementAt, Kind, kindOf, lengthOf } from '../value';
import { fail, invalidType } from './schema-check';
import { member, named } from './schema-references';
import { withText } from './schema-text';

/** Whether `type` is one of the seven, or a list of different ones. */
export function checkTypes(schema: u32): bool {
  const type = member(schema, 'type');
  if (type == 0) return true;
  if (kindOf(type) == Kind.String) return checkType(type, 0, 0);
  if (kindOf(type) != Kind.Array) return invalidType('type', 'string/Array Of Strings');
  for (let i: u32 = 0; i < lengthOf(type); i++) {
    if (kindOf(elementAt(type, i)) != Kind.String)
      return invalidType('type', 'string/Array Of Strings');
    if (!checkType(elementAt(type, i), type, i)) return false;
  }
  return true;
}

/** Whether a type is one, and none of the `count` before it. */
function checkType(type: u32, before: u32, count: u32): bool {
  const known =
    named(type, 'array') ||
    named(type, 'boolean') ||
    named(type, 'integer') ||
    named(type, 'number') ||
    named(type, 'null') ||
    named(type, 'object') ||
    named(type, 'string');
  if (!known) {
    return fail(
      withText(
        'has a primitive type that is NOT VALID -- given: /',
        type,
        '/ Expected valid values are:[array boolean integer number null object string]',
      ),
    );
  }
  for (let i: u32 = 0; i < count; i++) {
    if (equalStrings(elementAt(before, i), type))
      return fail(withText('', type, ' type is duplicated'));
  }
  return true;
}
