// The answer: whether the arguments fit, and otherwise each violation's place, keyword and message, never a value.

import { numberLength, numberPointer } from '../common/json';
import {
  beginOutput,
  writeAscii,
  writeByte,
  writeBytes,
  writeJsonByte,
  writeU32,
} from '../common/writer';
import { VIOLATIONS_MAX } from './limits';
import { writePointer } from './path';

let count: u32 = 0;
/** Above 0 while a schema is only tried, as in `anyOf`: its violations are not the caller's. */
let quiet: u32 = 0;

/** Begins an answer. */
export function resetReport(): void {
  count = 0;
  quiet = 0;
}

/** Begins to try a schema without reporting. */
export function hush(): void {
  quiet++;
}

/** Ends what `hush` began. */
export function unhush(): void {
  quiet--;
}

/** Whether nothing is being reported, so that the first violation settles the answer. */
export function isQuiet(): bool {
  return quiet > 0;
}

/** Whether no further violation will be listed. */
export function isReportFull(): bool {
  return count >= VIOLATIONS_MAX;
}

/** Begins a violation up to its message; false when it is not to be listed. */
function begin(keyword: string, message: string): bool {
  if (quiet > 0 || count >= VIOLATIONS_MAX) return false;
  if (count == 0) {
    beginOutput();
    writeAscii('{"allow":false,"violations":[');
  } else {
    writeByte(0x2c);
  }
  count++;
  writeAscii('{"keyword":"');
  writeAscii(keyword);
  writeAscii('","message":"');
  writeAscii(message);
  return true;
}

function end(): void {
  writeAscii('","pointer":');
  writePointer();
  writeByte(0x7d);
}

/** Reports a violation at the present place. Texts are ASCII that needs no escape. */
export function violation(keyword: string, message: string): void {
  if (begin(keyword, message)) end();
}

/** Reports a violation whose message ends with a count of the schema. */
export function violationCount(keyword: string, message: string, bound: u32): void {
  if (!begin(keyword, message)) return;
  writeU32(bound);
  end();
}

/** Reports a violation whose message ends with a number of the schema. */
export function violationNumber(keyword: string, message: string, bound: u32): void {
  if (!begin(keyword, message)) return;
  writeBytes(numberPointer(bound), numberLength(bound));
  end();
}

/** Reports a violation whose message ends with a property's name of the schema, in quotes. */
export function violationName(keyword: string, message: string, name: u32, length: u32): void {
  if (!begin(keyword, message)) return;
  writeAscii('\\"');
  for (let index: u32 = 0; index < length; index++) writeJsonByte(load<u8>(name + index));
  writeAscii('\\"');
  end();
}

/** Reports a value of the wrong type; the message lists the types of the schema. */
export function violationType(types: u32): void {
  if (!begin('type', 'must be ')) return;
  let first = true;
  for (let bit: u32 = 0; bit < 7; bit++) {
    if ((types & (1 << bit)) == 0) continue;
    if (!first) writeAscii(' or ');
    first = false;
    writeTypeName(bit);
  }
  end();
}

function writeTypeName(bit: u32): void {
  switch (bit) {
    case 0:
      writeAscii('null');
      break;
    case 1:
      writeAscii('boolean');
      break;
    case 2:
      writeAscii('integer');
      break;
    case 3:
      writeAscii('number');
      break;
    case 4:
      writeAscii('string');
      break;
    case 5:
      writeAscii('array');
      break;
    default:
      writeAscii('object');
      break;
  }
}

/** Ends the answer of a validation that came to its end; a misfit without a violation would be a bug. */
export function finishReport(valid: bool): void {
  assert(valid == (count == 0));
  if (count > 0) {
    writeAscii(']}');
    return;
  }
  beginOutput();
  writeAscii('{"allow":true}');
}

/** The answer of a validation that ran out of steps, whatever it had found. */
export function reportExhausted(): void {
  count = 0;
  beginOutput();
  writeAscii('{"allow":false,"violations":[{"keyword":"budget","message":');
  writeAscii('"needs more steps than one validation may take","pointer":""}]}');
}
