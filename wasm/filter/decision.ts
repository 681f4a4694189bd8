// Makes one decision as every host makes it (runtime/decide): reads the input, asks the module, names the result.

import { alloc } from '../common/arena';
import { INPUT_TOO_LARGE, OK } from '../common/errors';
import { sha256Begin, sha256End } from '../common/sha256';
import { beginOutput, outputBytes, outputPointer, writeAscii, writeBytes } from '../common/writer';
import { canonicalize } from '../record/canonical';
import { decide as decideScope } from '../scope/index';
import { codeOf as scopeCodeOf } from '../scope/reasons';
import { commitFields, committedLength, commitWhole } from './commitment';
import {
  dataRevision,
  dataRevisionLength,
  policyRevision,
  policyRevisionLength,
} from './configuration';
import { fail, failureCode, failureLength, inputCodeOf } from './failure';
import { frame, frameText } from './frames';
import { findingsLength, scanText } from './guard';
import { judge } from './judge';
import { commits, Module, nameOf } from './module';
import { askPolicy, entrypointOf, MISSING } from './policy';
import { answerLength, validateArguments } from './schema';
import { hex } from './text';

export {
  allowed,
  code,
  codeLength,
  message,
  messageLength,
  obligations,
  rule,
  ruleLength,
} from './judge';

export const DECISION_ID_BYTES: u32 = 64;
const HASH_BYTES: u32 = 32;
const SPIFFE_ERRORS: i32 = 32;
/** The same for every module but the guard, whose texts are longer (runtime/decide/read-input.ts). */
const INPUT_BYTES_MAX: u32 = 1024 * 1024;

/** What was asked, until `finish`. */
let boundary: u32 = 0;
let boundaryLength: u32 = 0;
let module: Module = Module.Unknown;
/** 64 hexadecimal digits. */
let salt: u32 = 0;
/** A schema of the module `arguments`; 0 for none. */
let schema: u32 = 0;
let schemaLength: u32 = 0;

/** The id in hexadecimal. */
export let id: u32 = 0;
/** Canonical JSON of the output. */
export let output: u32 = 0;
export let outputLength: u32 = 0;

/** Says what the next `decide` is about: the boundary, the module, and the request's salt, 64 hexadecimal digits. */
export function beginDecision(name: u32, length: u32, asked: Module, requestSalt: u32): void {
  boundary = name;
  boundaryLength = length;
  module = asked;
  salt = requestSalt;
  schema = schemaLength = 0;
}

/** The tool's schema as canonical JSON, for the module `arguments`. */
export function useSchema(pointer: u32, length: u32): void {
  schema = pointer;
  schemaLength = length;
}

/**
 * Decides on an input as it came, at most 1 MiB: one that no host reads alike is refused, and stands in the id
 * as one commitment. An allow with an obligation of another kind than `honours` is none.
 */
export function decide(input: u32, length: u32, honours: string): void {
  const error = canonicalize(input, length);
  if (error != OK) return refuseInput(input, length, error, honours);
  const canonical = outputPointer();
  const size = outputBytes();
  run(canonical, size);
  commitAndFinish(canonical, size, honours);
}

/**
 * Decides on an input that the filter wrote itself, canonical JSON: at most 1 MiB, more for the guard. With a
 * `failure`, such as `svid_missing`, no module is asked: the output is that of every host that could not decide.
 */
export function decideCanonical(input: u32, length: u32, failure: string, honours: string): void {
  if (length > INPUT_BYTES_MAX && module != Module.Guard) {
    return refuseInput(input, length, INPUT_TOO_LARGE, honours);
  }
  if (failure.length > 0) output = fail(failure);
  else run(input, length);
  commitAndFinish(input, length, honours);
}

function commitAndFinish(input: u32, length: u32, honours: string): void {
  if (output == 0) writeFailure();
  if (!commits(module, boundary, boundaryLength)) return finish(input, length, honours);
  const committed = commitFields(module, boundary, boundaryLength, input, length, salt);
  finish(committed, committedLength, honours);
}

/** What no host takes stands in the id as one commitment, and no module is asked. */
function refuseInput(input: u32, length: u32, error: i32, honours: string): void {
  const committed = commitWhole(input, length, salt);
  const size = committedLength;
  fail(inputCodeOf(error));
  writeFailure();
  finish(committed, size, honours);
}

/** Asks the module; 0 for an `output` that failed. */
function run(input: u32, length: u32): void {
  if (module == Module.Authorization) {
    output = authorize(input, length);
    outputLength = outputBytes();
  } else if (module == Module.Arguments) {
    output = validateArguments(input, length, schema, schemaLength);
    outputLength = answerLength;
  } else if (module == Module.Guard) {
    output = scanText(input, length);
    outputLength = findingsLength;
  } else {
    const error = decideScope(input, length);
    output =
      error == OK
        ? outputPointer()
        : fail(error < SPIFFE_ERRORS ? inputCodeOf(error) : scopeCodeOf(error));
    outputLength = outputBytes();
  }
}

/** What was no more than 1 MiB may be more in its canonical form, which no policy is asked about. */
function authorize(input: u32, length: u32): u32 {
  const entrypoint = entrypointOf(boundary, boundaryLength);
  if (entrypoint == MISSING) return fail('bundle_entrypoint_missing');
  return length > INPUT_BYTES_MAX ? fail('input_too_large') : askPolicy(entrypoint, input, length);
}

/** The output of a decision that could not be made; the code is all it says. */
function writeFailure(): void {
  beginOutput();
  writeAscii('{"allow":false,"reason":{"code":"');
  writeBytes(failureCode, failureLength);
  writeAscii('"}}');
  output = outputPointer();
  outputLength = outputBytes();
}

/** Judges the output, and names the decision. */
function finish(committed: u32, length: u32, honours: string): void {
  judge(module, output, outputLength, honours);
  const hash = alloc(HASH_BYTES);
  sha256Begin();
  frameText('platform/decision/v1');
  frame(boundary, boundaryLength);
  frameText(nameOf(module));
  frame(policyRevision, policyRevisionLength);
  frame(dataRevision, dataRevisionLength);
  frame(committed, length);
  frame(output, outputLength);
  sha256End(hash);
  id = hex(hash, HASH_BYTES);
}
