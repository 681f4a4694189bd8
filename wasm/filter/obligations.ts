// Which obligations of an answer the filter itself keeps (runtime/decide/obligations.ts).

import { Kind, kindOf, member, stringLength, stringPointer } from '../common/json';
import { ascii, equals } from './text';

/** Whether the obligation is of the kind that the caller honours. */
export function isHonoured(obligation: u32, honours: string): bool {
  const kind = member(obligation, ascii('kind'), 4);
  if (honours.length == 0 || kind == 0 || kindOf(kind) != Kind.String) return false;
  return equals(stringPointer(kind), stringLength(kind), honours);
}
