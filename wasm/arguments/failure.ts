// Why a schema is refused: the first fault found, kept as the output that the host reads.

import { keyLength, keyPointer } from '../common/json';
import { beginOutput, writeAscii, writeByte, writeJsonString } from '../common/writer';
import { writePointer } from './path';

let failed: bool = false;

/** Begins a new schema. */
export function resetFailure(): void {
  failed = false;
}

/** Whether the schema was refused. */
export function hasFailed(): bool {
  return failed;
}

/**
 * Refuses the schema at the place where `path` is, unless it was refused before. `memberNode` is the
 * member whose key is the keyword at fault, 0 for none. Texts are ASCII that needs no escape.
 */
export function refuse(code: string, message: string, memberNode: u32): void {
  if (failed) return;
  failed = true;
  beginOutput();
  writeAscii('{"code":"');
  writeAscii(code);
  writeAscii('","keyword":');
  if (memberNode == 0) {
    writeAscii('""');
  } else {
    writeJsonString(keyPointer(memberNode), keyLength(memberNode));
  }
  writeAscii(',"message":"');
  writeAscii(message);
  writeAscii('","pointer":');
  writePointer();
  writeByte(0x7d);
}

/** Refuses a keyword whose value has the wrong form. */
export function refuseValue(message: string, memberNode: u32): void {
  refuse('schema_invalid', message, memberNode);
}
