// Judges the DNS names that an X.509-SVID may carry beside its SPIFFE ID.
import { PlatformError } from '../../../runtime/errors.ts';

const namesMax = 32;

/**
 * Throws `input_invalid` unless there are at most 32 different names, each of labels of letters,
 * digits, hyphens and underscores, 63 bytes a label and 253 in all (RFC 1034, section 3.5; underscores
 * because names of agents may hold them). No wildcard: an identity answers to its own names only.
 */
export function requireDnsNames(names: readonly string[]): void {
  const refuse = (why: string) => new PlatformError('input_invalid', `the DNS names ${why}`);
  if (names.length > namesMax) throw refuse(`are more than ${namesMax}`);
  if (new Set(names).size !== names.length) throw refuse('hold one twice');
  for (const name of names) {
    if (name.length > 253) throw refuse('hold one of more than 253 bytes');
    for (const label of name.split('.')) {
      if (label.length === 0 || label.length > 63)
        throw refuse('hold a label of 0 or over 63 bytes');
      if (label.startsWith('-') || label.endsWith('-')) throw refuse('hold a hyphen at an end');
      for (const character of label) {
        if (!isLabelCharacter(character)) throw refuse('hold a character outside A-Z a-z 0-9 - _');
      }
    }
  }
}

function isLabelCharacter(character: string): boolean {
  return (
    (character >= 'a' && character <= 'z') ||
    (character >= 'A' && character <= 'Z') ||
    (character >= '0' && character <= '9') ||
    character === '-' ||
    character === '_'
  );
}
