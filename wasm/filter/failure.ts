// Why there is no answer: the code that stands in the output of a decision that could not be made.

import {
  INPUT_DUPLICATE_KEY,
  INPUT_INVALID,
  INPUT_KEY_TOO_LONG,
  INPUT_LONE_SURROGATE,
  INPUT_NOT_JSON,
  INPUT_NOT_UTF8,
  INPUT_NUMBER_NOT_PORTABLE,
  INPUT_TOO_DEEP,
  INPUT_TOO_LARGE,
} from '../common/errors';
import { ascii } from './text';

// What `platform_failure` says (runtime/bundle/catch.ts).
export const NONE: i32 = 0;
const STEPS: i32 = 2;
const MEMORY: i32 = 3;
const DEPTH: i32 = 4;

/** The code, while there is no answer. */
export let failureCode: u32 = 0;
export let failureLength: u32 = 0;

/** Notes the code; returns 0, which stands for no answer. */
export function fail(code: string): u32 {
  return failWith(ascii(code), <u32>code.length);
}

/** The same for a code that is in memory. */
export function failWith(code: u32, length: u32): u32 {
  failureCode = code;
  failureLength = length;
  return 0;
}

/** The code of an error number of wasm/common/errors.ts; runtime/modules/error-numbers.ts has the same list. */
export function inputCodeOf(error: i32): string {
  if (error == INPUT_TOO_LARGE) return 'input_too_large';
  if (error == INPUT_NOT_UTF8) return 'input_not_utf8';
  if (error == INPUT_LONE_SURROGATE) return 'input_lone_surrogate';
  if (error == INPUT_NOT_JSON) return 'input_not_json';
  if (error == INPUT_DUPLICATE_KEY) return 'input_duplicate_key';
  if (error == INPUT_NUMBER_NOT_PORTABLE) return 'input_number_not_portable';
  if (error == INPUT_TOO_DEEP) return 'input_too_deep';
  if (error == INPUT_KEY_TOO_LONG) return 'input_key_too_long';
  if (error == INPUT_INVALID) return 'input_invalid';
  return 'module_output_invalid';
}

/** Whether a module reached one of its limits. */
export function isExhausted(failure: i32): bool {
  return failure == STEPS || failure == MEMORY || failure == DEPTH;
}

/** The code of a module's failure. */
export function failureCodeOf(failure: i32): string {
  if (failure == STEPS) return 'steps_exhausted';
  if (failure == MEMORY) return 'memory_exhausted';
  return failure == DEPTH ? 'depth_exhausted' : 'module_trapped';
}
