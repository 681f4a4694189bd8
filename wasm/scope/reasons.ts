// The code and the sentence of every rule, as they stand in a decision's reason.

import {
  SPIFFE_FRAGMENT,
  SPIFFE_ID_EMPTY,
  SPIFFE_ID_TOO_LONG,
  SPIFFE_PATH_CHARACTER,
  SPIFFE_PATH_DOT_SEGMENT,
  SPIFFE_PATH_EMPTY_SEGMENT,
  SPIFFE_PATH_TRAILING_SLASH,
  SPIFFE_PERCENT_ENCODING,
  SPIFFE_PORT,
  SPIFFE_QUERY,
  SPIFFE_SCHEME_WRONG,
  SPIFFE_TRUST_DOMAIN_CHARACTER,
  SPIFFE_TRUST_DOMAIN_MISSING,
  SPIFFE_TRUST_DOMAIN_TOO_LONG,
  SPIFFE_USER_INFO,
} from '../common/errors';

/** The stable code of a rule; runtime/modules/instantiate.ts has the same list. */
export function codeOf(error: i32): string {
  if (error == SPIFFE_ID_EMPTY) return 'spiffe_id_empty';
  if (error == SPIFFE_ID_TOO_LONG) return 'spiffe_id_too_long';
  if (error == SPIFFE_SCHEME_WRONG) return 'spiffe_scheme_wrong';
  if (error == SPIFFE_TRUST_DOMAIN_MISSING) return 'spiffe_trust_domain_missing';
  if (error == SPIFFE_TRUST_DOMAIN_TOO_LONG) return 'spiffe_trust_domain_too_long';
  if (error == SPIFFE_TRUST_DOMAIN_CHARACTER) return 'spiffe_trust_domain_character';
  if (error == SPIFFE_USER_INFO) return 'spiffe_user_info';
  if (error == SPIFFE_PORT) return 'spiffe_port';
  if (error == SPIFFE_QUERY) return 'spiffe_query';
  if (error == SPIFFE_FRAGMENT) return 'spiffe_fragment';
  if (error == SPIFFE_PERCENT_ENCODING) return 'spiffe_percent_encoding';
  if (error == SPIFFE_PATH_CHARACTER) return 'spiffe_path_character';
  if (error == SPIFFE_PATH_EMPTY_SEGMENT) return 'spiffe_path_empty_segment';
  if (error == SPIFFE_PATH_DOT_SEGMENT) return 'spiffe_path_dot_segment';
  if (error == SPIFFE_PATH_TRAILING_SLASH) return 'spiffe_path_trailing_slash';
  return 'spiffe_wildcard';
}

/** The rule as a sentence that follows "the scope" or "the SPIFFE ID". */
export function ruleOf(error: i32): string {
  if (error == SPIFFE_ID_EMPTY) return 'is empty';
  if (error == SPIFFE_ID_TOO_LONG) return 'is longer than 2048 bytes';
  if (error == SPIFFE_SCHEME_WRONG) return 'does not begin with spiffe://';
  if (error == SPIFFE_TRUST_DOMAIN_MISSING) return 'has no trust domain';
  if (error == SPIFFE_TRUST_DOMAIN_TOO_LONG) return 'has a trust domain longer than 255 bytes';
  if (error == SPIFFE_TRUST_DOMAIN_CHARACTER) {
    return 'has a character in its trust domain other than a-z 0-9 . - _';
  }
  if (error == SPIFFE_USER_INFO) return 'has user info';
  if (error == SPIFFE_PORT) return 'has a port';
  if (error == SPIFFE_QUERY) return 'has a query';
  if (error == SPIFFE_FRAGMENT) return 'has a fragment';
  if (error == SPIFFE_PERCENT_ENCODING) return 'has percent-encoding';
  if (error == SPIFFE_PATH_CHARACTER) {
    return 'has a character in its path other than A-Z a-z 0-9 . - _';
  }
  if (error == SPIFFE_PATH_EMPTY_SEGMENT) return 'has an empty path segment';
  if (error == SPIFFE_PATH_DOT_SEGMENT) return 'has a relative path segment';
  if (error == SPIFFE_PATH_TRAILING_SLASH) return 'ends with a slash';
  return 'has a wildcard that is not the last segment of a scope';
}
