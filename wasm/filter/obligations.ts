// Which obligations of an answer the filter itself keeps, and their forms (runtime/decide/obligations.ts).

import {
  childCount,
  firstChild,
  Kind,
  kindOf,
  member,
  nextSibling,
  stringLength,
  stringPointer,
} from '../common/json';
import { ascii, equals } from './text';

/** Whether the obligation is well formed, and of one of the kinds that the caller honours, with spaces between them. */
export function isHonoured(obligation: u32, honours: string): bool {
  const kind = find(obligation, 'kind');
  if (kind == 0 || kindOf(kind) != Kind.String) return false;
  const name = stringPointer(kind);
  const length = stringLength(kind);
  if (!isListed(name, length, honours)) return false;
  if (equals(name, length, 'read_body')) {
    return hasMembers(obligation, 2) && isProtocol(find(obligation, 'protocol'));
  }
  if (equals(name, length, 'validate_arguments')) {
    return hasMembers(obligation, 2) && isSchema(find(obligation, 'schema'));
  }
  if (!equals(name, length, 'scan') || !hasMembers(obligation, 3)) return false;
  const thresholds = find(obligation, 'thresholds');
  return (
    areNames(find(obligation, 'scanners')) && thresholds != 0 && kindOf(thresholds) == Kind.Object
  );
}

/** Whether the name is one of the words. */
function isListed(name: u32, length: u32, words: string): bool {
  let from = 0;
  for (let at = 0; at <= words.length; at++) {
    if (at < words.length && words.charCodeAt(at) != 0x20) continue;
    if (<u32>(at - from) == length && isAt(name, length, words, from)) return length > 0;
    from = at + 1;
  }
  return false;
}

function isAt(name: u32, length: u32, words: string, from: i32): bool {
  for (let i: u32 = 0; i < length; i++) {
    if (<i32>load<u8>(name + i) != words.charCodeAt(from + i)) return false;
  }
  return true;
}

function hasMembers(obligation: u32, count: u32): bool {
  return childCount(obligation) == count;
}

function isProtocol(node: u32): bool {
  if (node == 0 || kindOf(node) != Kind.String) return false;
  const text = stringPointer(node);
  return equals(text, stringLength(node), 'mcp') || equals(text, stringLength(node), 'a2a');
}

function isSchema(node: u32): bool {
  if (node == 0) return false;
  const kind = kindOf(node);
  return kind == Kind.Object || kind == Kind.True || kind == Kind.False;
}

function areNames(node: u32): bool {
  if (node == 0 || kindOf(node) != Kind.Array || childCount(node) == 0) return false;
  for (let child = firstChild(node); child != 0; child = nextSibling(child)) {
    if (kindOf(child) != Kind.String) return false;
  }
  return true;
}

function find(node: u32, name: string): u32 {
  return member(node, ascii(name), <u32>name.length);
}
