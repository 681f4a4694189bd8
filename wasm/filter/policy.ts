// The compiled policies: they are started with their data once, and asked as runtime/modules/decisions.ts asks them.

import { alloc } from '../common/arena';
import { OK } from '../common/errors';
import { outputPointer } from '../common/writer';
import { canonicalize } from '../record/canonical';
import {
  policyAsk,
  policyEntrypoints,
  policyFailure,
  policyInputError,
  policyLoad,
  policyRestore,
  policySave,
  policySpare,
  policyStop,
} from './bridge';
import { fail, failureCodeOf, inputCodeOf, isExhausted, NONE } from './failure';
import { countOf, elementOf, textLength, textOf } from './result';
import { startsWith } from './text';

// Why an evaluation ended (wasm/engine/failure.ts).
const CONFLICT: i32 = 3;
const MEMORY: i32 = 4;
const DEPTH: i32 = 5;

/** No entrypoint. */
export const MISSING: u32 = 0xffffffff;

/** Names of the entrypoints, each a pointer and a length. */
let names: u32 = 0;
let count: u32 = 0;

/** Whether the memory is in any state, so that the next evaluation begins with the one that was kept. */
let isDirty: bool = false;

/** Starts the policy with its data; false when it does not take them. What is allocated must be kept. */
export function loadPolicy(data: u32, length: u32): bool {
  if (policyLoad(data, length) == 0) return false;
  const list = policyEntrypoints();
  count = countOf(list);
  names = alloc(count << 3);
  for (let i: u32 = 0; i < count; i++) {
    store<u32>(names + (i << 3), textOf(elementOf(list, i)));
    store<u32>(names + (i << 3), textLength, 4);
  }
  policySave();
  policySpare();
  return true;
}

/** The policy's number of the rule that decides at a boundary, or `MISSING`. */
export function entrypointOf(boundary: u32, length: u32): u32 {
  for (let i: u32 = 0; i < count; i++) {
    const name = load<u32>(names + (i << 3));
    if (load<u32>(names + (i << 3), 4) != length + 18 || !startsWith(name, 9, 'platform/'))
      continue;
    if (memory.compare(name + 9, boundary, length) != 0) continue;
    if (startsWith(name + 9 + length, 9, '/decision')) return i;
  }
  return MISSING;
}

/**
 * Canonical JSON of the policy's answer, made the output; 0 with a failure. A used instance has less than
 * there is, and what exhausts that is decided by a fresh one (`Decisions` says why).
 */
export function askPolicy(entrypoint: u32, input: u32, length: u32): u32 {
  if (isDirty) {
    policyRestore();
    policySpare();
  }
  let answer = run(entrypoint, input, length);
  if (isDirty && isLimit()) {
    policyRestore();
    answer = run(entrypoint, input, length);
    if (!isDirty) policySpare();
  }
  if (isDirty) return fail(stopCode());
  if (answer == 0) return fail(inputCodeOf(policyInputError()));
  if (answer < 0) return fail('module_output_invalid');
  const text = textOf(<u32>answer);
  // A policy may answer with what is no portable JSON, which is an error like any other.
  const error = canonicalize(text, textLength);
  return error == OK ? outputPointer() : fail(inputCodeOf(error));
}

function run(entrypoint: u32, input: u32, length: u32): i32 {
  const answer = policyAsk(entrypoint, input, length);
  isDirty = policyFailure() != NONE;
  return answer;
}

function isLimit(): bool {
  const stop = policyStop();
  if (stop == CONFLICT) return false;
  return stop == MEMORY || stop == DEPTH || isExhausted(policyFailure());
}

function stopCode(): string {
  const stop = policyStop();
  if (stop == CONFLICT) return 'policy_conflict';
  if (stop == MEMORY) return 'memory_exhausted';
  if (stop == DEPTH) return 'depth_exhausted';
  return failureCodeOf(policyFailure());
}
