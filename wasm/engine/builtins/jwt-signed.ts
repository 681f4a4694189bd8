// Whether a token is signed by one of the keys that a policy gives.

import { equalStrings } from '../compare';
import { elementAt, lengthOf, textOf } from '../value';
import { verifyText } from './jwt-algorithms';
import { Entry, entryNamed } from './jwt-keys';
import { algorithmName, keyName, signedLength, signedText } from './jwt-token';

/**
 * Whether the token that was split last is signed with the key that its header names, or else with one that
 * is for the header's algorithm. `exact` is handed on to `verifyText`.
 */
export function isSignedByOne(keys: u32, algorithm: u32, signature: u32, exact: bool): bool {
  const named = entryNamed(keys, keyName);
  if (named != 0) return isSignedBy(named, algorithm, signature, exact);
  for (let i: u32 = 0; i < lengthOf(keys); i++) {
    const entry = elementAt(keys, i);
    const own = load<u32>(entry, Entry.Algorithm);
    if (lengthOf(own) > 0 && !equalStrings(own, algorithmName)) continue;
    if (isSignedBy(entry, algorithm, signature, exact)) return true;
  }
  return false;
}

function isSignedBy(entry: u32, algorithm: u32, signature: u32, exact: bool): bool {
  return verifyText(
    algorithm,
    load<u32>(entry, Entry.Key),
    signedText,
    signedLength,
    textOf(signature),
    lengthOf(signature),
    exact,
  );
}
