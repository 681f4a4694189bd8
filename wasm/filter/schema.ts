// Tool arguments held to the tool's schema, as runtime/decide/execute.ts and the arguments module's host do it.

import { alloc } from '../common/arena';
import { OK } from '../common/errors';
import { Kind, kindOf, member, parseJson, stringLength, stringPointer } from '../common/json';
import { sha256Begin, sha256End, sha256Update } from '../common/sha256';
import {
  argumentsCopyOut,
  argumentsFailure,
  argumentsOutput,
  argumentsOutputLength,
  argumentsRegister,
  argumentsRestore,
  argumentsSave,
  argumentsValidate,
} from './bridge';
import { fail, failureCodeOf, failWith, inputCodeOf, NONE } from './failure';
import { firstMember, keyEnd, keyStart, nextMember, valueEnd, valueStart } from './members';
import { ascii, equals, hex } from './text';

const SCHEMA_BYTES_MAX: u32 = 64 * 1024;
const ARGUMENTS_BYTES_MAX: u32 = 256 * 1024;
const HASH_BYTES: u32 = 32;

// What `register` gives instead of a handle.
const REFUSED: i32 = -1;
const FULL: i32 = -2;

/** Compiled schemas that are known: the digest of each, and its handle behind it. */
const KNOWN_MAX: u32 = 256;
const KNOWN_BYTES: u32 = HASH_BYTES + 4;
let known: u32 = 0;
let count: u32 = 0;
let isSaved: bool = false;

/** Length of the last answer. */
export let answerLength: u32 = 0;

/** Takes memory that must be kept. */
export function prepareSchemas(): void {
  known = alloc(KNOWN_MAX * KNOWN_BYTES);
}

/**
 * Judges `{"arguments":…,"schema":"sha256:…"}`, canonical, by the schema, which the input names by its digest;
 * a `schema` of 0 is none. Returns where the answer is, or 0 with a failure.
 */
export function validateArguments(input: u32, length: u32, schema: u32, schemaLength: u32): u32 {
  if (!firstMember(input, length) || !equals(keyStart, keyEnd - keyStart, 'arguments')) {
    return fail('input_invalid');
  }
  const value = valueStart;
  const valueLength = valueEnd - value;
  if (!nextMember() || !equals(keyStart, keyEnd - keyStart, 'schema')) return fail('input_invalid');
  const stated = valueStart;
  const statedLength = valueEnd - stated;
  if (nextMember()) return fail('input_invalid');
  if (schema == 0) return fail('module_missing');
  const digest = alloc(HASH_BYTES);
  sha256Begin();
  sha256Update(schema, schemaLength);
  sha256End(digest);
  if (!names(stated, statedLength, digest)) return fail('module_digest_mismatch');
  if (valueLength > ARGUMENTS_BYTES_MAX) return fail('input_too_large');
  if (schemaLength > SCHEMA_BYTES_MAX) return fail('schema_too_large');
  const handle = handleOf(digest, schema, schemaLength);
  return handle == 0 ? 0 : validate(handle, value, valueLength);
}

/** Whether a JSON text is `"sha256:` and the digits of the digest. */
function names(text: u32, length: u32, digest: u32): bool {
  const prefix = '"sha256:';
  const digits = HASH_BYTES << 1;
  if (length != <u32>prefix.length + digits + 1) return false;
  return (
    memory.compare(text, ascii(prefix), prefix.length) == 0 &&
    memory.compare(text + prefix.length, hex(digest, HASH_BYTES), digits) == 0
  );
}

function validate(handle: i32, value: u32, length: u32): u32 {
  const error = argumentsValidate(handle, value, length);
  if (argumentsFailure() != NONE) return failed();
  return error == OK ? output() : fail(inputCodeOf(error));
}

/** The handle of a schema, which is compiled at its first use; 0 with a failure. */
function handleOf(digest: u32, schema: u32, length: u32): i32 {
  for (let i: u32 = 0; i < count; i++) {
    const entry = known + i * KNOWN_BYTES;
    if (memory.compare(entry, digest, HASH_BYTES) == 0) return load<i32>(entry, HASH_BYTES);
  }
  // Kept before its first use, to begin anew with.
  if (!isSaved) argumentsSave();
  isSaved = true;
  if (count == KNOWN_MAX) begin();
  let handle = argumentsRegister(schema, length);
  if (argumentsFailure() != NONE) return <i32>failed();
  if (handle == FULL) {
    begin();
    handle = argumentsRegister(schema, length);
    if (argumentsFailure() != NONE) return <i32>failed();
  }
  if (handle == REFUSED) return <i32>refused();
  if (handle < 1) return <i32>fail('module_output_invalid');
  const entry = known + count * KNOWN_BYTES;
  memory.copy(entry, digest, HASH_BYTES);
  store<i32>(entry, handle, HASH_BYTES);
  count += 1;
  return handle;
}

/** The code that stands in what the module says of a schema that it refuses. */
function refused(): u32 {
  const text = output();
  const root = parseJson(text, answerLength);
  const code = root == 0 || kindOf(root) != Kind.Object ? 0 : member(root, ascii('code'), 4);
  if (code == 0 || kindOf(code) != Kind.String) return fail('module_output_invalid');
  return failWith(stringPointer(code), stringLength(code));
}

/** A module that failed is as new before it is asked again. */
function failed(): u32 {
  const code = failureCodeOf(argumentsFailure());
  begin();
  return fail(code);
}

function begin(): void {
  argumentsRestore();
  count = 0;
}

function output(): u32 {
  answerLength = argumentsOutputLength();
  const copy = alloc(answerLength);
  argumentsCopyOut(copy, argumentsOutput(), answerLength);
  return copy;
}
