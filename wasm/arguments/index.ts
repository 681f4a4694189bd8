// The arguments module: compiles the schemas of tools, and tells whether arguments fit them.

import { alloc, mark, persist, release } from '../common/arena';
import { INPUT_INVALID, INPUT_TOO_LARGE, OK } from '../common/errors';
import { jsonError, parseJson } from '../common/json';
import { isExhausted, resetBudget, stepsTaken } from './budget';
import { compileSchema } from './compile';
import { refuse, resetFailure } from './failure';
import {
  ARGUMENTS_BYTES_MAX,
  COMPILED_BYTES_MAX,
  HANDLES_MAX,
  INSTANCE_BYTES_MAX,
  SCHEMA_BYTES_MAX,
} from './limits';
import { resetPath } from './path';
import { finishReport, reportExhausted, resetReport } from './report';
import { beginBuilding, builtTop } from './schema';
import { validate as validateNode } from './validate';

export { output, outputLength, reserve } from '../common/abi';

/** `register` refused the schema; the output tells why. */
const REFUSED: i32 = -1;
/** `register` found this instance full; the schema belongs in a fresh one. */
const FULL: i32 = -2;

const HANDLES: u32 = takeHandles();
const EMPTY: u32 = mark();
let registered: u32 = 0;

function takeHandles(): u32 {
  const handles = alloc(HANDLES_MAX * 4);
  persist();
  return handles;
}

/**
 * Compiles a schema and keeps it as long as the instance lives. Returns its handle, 1 or more; -1 when
 * it is refused, with the output `{"code","keyword","message","pointer"}`; -2 when the instance is full.
 */
export function register(pointer: u32, length: u32): i32 {
  resetFailure();
  resetPath();
  if (length > SCHEMA_BYTES_MAX) {
    refuse('schema_too_large', 'is larger than 64 KiB', 0);
    return REFUSED;
  }
  if (registered >= HANDLES_MAX || mark() - EMPTY > INSTANCE_BYTES_MAX) return FULL;
  // The compiled form is built below everything that is needed only meanwhile, so that one release
  // leaves it alone.
  const start = alloc(COMPILED_BYTES_MAX);
  const node = parseJson(pointer, length);
  if (node == 0) {
    refuseUnreadable();
    return REFUSED;
  }
  beginBuilding(start, COMPILED_BYTES_MAX);
  const schema = compileSchema(node, length);
  if (schema == 0) return REFUSED;
  release(builtTop());
  persist();
  store<u32>(HANDLES + registered * 4, schema);
  registered++;
  return <i32>registered;
}

function refuseUnreadable(): void {
  const code = 'schema_invalid';
  switch (jsonError()) {
    case 2:
      refuse(code, 'is not UTF-8', 0);
      break;
    case 3:
      refuse(code, 'holds a lone surrogate', 0);
      break;
    case 5:
      refuse(code, 'holds a key twice', 0);
      break;
    case 6:
      refuse(code, 'holds a number that binary64 does not keep', 0);
      break;
    case 7:
      refuse(code, 'is nested deeper than 64 levels', 0);
      break;
    case 8:
      refuse(code, 'holds a key of more than 256 bytes', 0);
      break;
    default:
      refuse(code, 'is not JSON', 0);
      break;
  }
}

/**
 * Tells whether arguments fit a registered schema. Output: `{"allow":true}`, or `{"allow":false,
 * "violations":[{"keyword","message","pointer"}…]}` with 32 at most. Returns an error number when the
 * arguments cannot be read.
 */
export function validate(handle: i32, pointer: u32, length: u32): i32 {
  if (handle < 1 || <u32>handle > registered) return INPUT_INVALID;
  if (length > ARGUMENTS_BYTES_MAX) return INPUT_TOO_LARGE;
  const node = parseJson(pointer, length);
  if (node == 0) return jsonError();
  resetBudget();
  resetReport();
  resetPath();
  const valid = validateNode(load<u32>(HANDLES + (handle - 1) * 4), node);
  if (isExhausted()) reportExhausted();
  else finishReport(valid);
  return OK;
}

/** The steps that the last validation took, so that tests can show that work grows with the input alone. */
export function steps(): u32 {
  return stepsTaken();
}
