// Scans a text for what must not pass, as the guard module's host does it.

import { alloc } from '../common/arena';
import { OK } from '../common/errors';
import {
  guardCopyOut,
  guardFailure,
  guardOutput,
  guardOutputLength,
  guardRestore,
  guardSave,
  guardScan,
} from './bridge';
import { fail, failureCodeOf, inputCodeOf, NONE } from './failure';

/** Length of the last answer. */
export let findingsLength: u32 = 0;

let isSaved: bool = false;

/** Scans a canonical request of wasm/guard. Returns where the answer is, or 0 with a failure. */
export function scanText(request: u32, length: u32): u32 {
  // Kept before its first use, to begin anew with.
  if (!isSaved) guardSave();
  isSaved = true;
  const error = guardScan(request, length);
  const failure = guardFailure();
  if (failure != NONE) {
    guardRestore();
    return fail(failureCodeOf(failure));
  }
  if (error != OK) return fail(inputCodeOf(error));
  findingsLength = guardOutputLength();
  const copy = alloc(findingsLength);
  guardCopyOut(copy, guardOutput(), findingsLength);
  return copy;
}
