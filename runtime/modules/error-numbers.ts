// The errors that the numbers of wasm/common/errors.ts stand for.

import type { ErrorCode } from '../errors.ts';
import { InputError, ModuleError } from '../errors.ts';

/** What `reserve` means when it returns no place. */
export const TOO_LARGE = 1;

const errors: ReadonlyMap<number, readonly [ErrorCode, string]> = new Map([
  [TOO_LARGE, ['input_too_large', 'the input is too large']],
  [2, ['input_not_utf8', 'the input is not valid UTF-8']],
  [3, ['input_lone_surrogate', 'the input holds half of a surrogate pair']],
  [4, ['input_not_json', 'the input is not JSON']],
  [5, ['input_duplicate_key', 'an object of the input has two members of one name']],
  [6, ['input_number_not_portable', 'a number of the input changes when read as binary64']],
  [7, ['input_too_deep', 'the input is nested too deep']],
  [8, ['input_key_too_long', 'a key of the input is too long']],
  [9, ['input_invalid', 'the input has not the shape that this operation takes']],
  [32, ['spiffe_id_empty', 'the SPIFFE ID is empty']],
  [33, ['spiffe_id_too_long', 'the SPIFFE ID is longer than 2048 bytes']],
  [34, ['spiffe_scheme_wrong', 'the SPIFFE ID does not begin with spiffe://']],
  [35, ['spiffe_trust_domain_missing', 'the SPIFFE ID has no trust domain']],
  [36, ['spiffe_trust_domain_too_long', 'the trust domain is longer than 255 bytes']],
  [37, ['spiffe_trust_domain_character', 'the trust domain holds more than a-z 0-9 . - _']],
  [38, ['spiffe_user_info', 'the SPIFFE ID has user info']],
  [39, ['spiffe_port', 'the SPIFFE ID has a port']],
  [40, ['spiffe_query', 'the SPIFFE ID has a query']],
  [41, ['spiffe_fragment', 'the SPIFFE ID has a fragment']],
  [42, ['spiffe_percent_encoding', 'the SPIFFE ID has percent-encoding']],
  [43, ['spiffe_wildcard', 'the SPIFFE ID has a wildcard']],
  [44, ['spiffe_path_character', 'the path holds more than A-Z a-z 0-9 . - _']],
  [45, ['spiffe_path_empty_segment', 'the SPIFFE ID has an empty path segment']],
  [46, ['spiffe_path_dot_segment', 'the SPIFFE ID has a relative path segment']],
  [47, ['spiffe_path_trailing_slash', 'the SPIFFE ID ends with a slash']],
]);

/** The error of a number that a module returned; an unknown one means that host and module differ. */
export function inputError(number: number): InputError | ModuleError {
  const error = errors.get(number);
  if (error !== undefined) return new InputError(...error);
  return new ModuleError('module_output_invalid', `a module returned the error number ${number}`);
}
