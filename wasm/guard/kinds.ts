// The kinds of findings that the code itself knows; those of the rules are named in the rule tables.

import { writeAscii } from '../common/writer';
import { compareRuleKinds, writeRuleKind } from './engine/kinds';
import { FIRST_KIND as FIRST_INJECTION, injectionName, LAST_KIND } from './injection/kinds';
import { FIRST_KIND, personalName } from './pii/kinds';
import { ABUSE } from './toxicity/kinds';

/** Set in the number of a kind whose name stands in the rule tables. */
export const RULE_KIND: u32 = 0x8000;

// InvisibleText
export const BIDI_CONTROL: u32 = 0;
export const DIRECTIONAL_MARK: u32 = 1;
export const INVISIBLE_FORMAT: u32 = 2;
export const NONCHARACTER: u32 = 3;
export const PRIVATE_USE: u32 = 4;
export const TAG_CHARACTERS: u32 = 5;
export const VARIATION_SELECTOR: u32 = 6;
export const ZERO_WIDTH: u32 = 7;

// Relevance, TopicBoundary, TokenLimit
export const IRRELEVANT: u32 = 16;
export const FORBIDDEN_TOPIC: u32 = 17;
export const OFF_TOPIC: u32 = 18;
export const TOO_MANY_TOKENS: u32 = 19;

/** The name of a kind that is no rule's. */
function nameOf(kind: u32): string {
  switch (kind) {
    case BIDI_CONTROL:
      return 'bidi_control';
    case DIRECTIONAL_MARK:
      return 'directional_mark';
    case INVISIBLE_FORMAT:
      return 'invisible_format';
    case NONCHARACTER:
      return 'noncharacter';
    case PRIVATE_USE:
      return 'private_use';
    case TAG_CHARACTERS:
      return 'tag_characters';
    case VARIATION_SELECTOR:
      return 'variation_selector';
    case ZERO_WIDTH:
      return 'zero_width';
    case IRRELEVANT:
      return 'irrelevant';
    case FORBIDDEN_TOPIC:
      return 'forbidden_topic';
    case OFF_TOPIC:
      return 'off_topic';
    case TOO_MANY_TOKENS:
      return 'too_many_tokens';
    case ABUSE:
      return 'abuse';
    default:
      if (kind >= FIRST_INJECTION && kind < LAST_KIND) return injectionName(kind);
      return kind >= FIRST_KIND ? personalName(kind) : unreachable();
  }
}

/** Writes the name of a kind to the output. */
export function writeKind(kind: u32): void {
  if ((kind & RULE_KIND) != 0) writeRuleKind(kind ^ RULE_KIND);
  else writeAscii(nameOf(kind));
}

/** Whether the name of one kind sorts before another's. */
export function kindPrecedes(kind: u32, other: u32): bool {
  const isRule = (kind & RULE_KIND) != 0;
  // Kinds of both sorts are never of one scanner.
  if (isRule != ((other & RULE_KIND) != 0)) return !isRule;
  if (isRule) return compareRuleKinds(kind ^ RULE_KIND, other ^ RULE_KIND) < 0;
  return compareNames(nameOf(kind), nameOf(other)) < 0;
}

/** Compares two ASCII literals without the managed heap. */
function compareNames(a: string, b: string): i32 {
  const shorter = min(a.length, b.length);
  for (let i = 0; i < shorter; i++) {
    const difference =
      <i32>load<u16>(changetype<usize>(a) + ((<usize>i) << 1)) -
      <i32>load<u16>(changetype<usize>(b) + ((<usize>i) << 1));
    if (difference != 0) return difference;
  }
  return a.length - b.length;
}
