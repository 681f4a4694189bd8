// Writes what was found as canonical JSON.

import { beginOutput, writeAscii, writeU32 } from '../common/writer';
import {
  earliest,
  findingEnd,
  findingKind,
  findingScanner,
  findingScore,
  findingStart,
  found,
  scoreOf,
  truncated,
} from './findings';
import { writeKind } from './kinds';
import { scanners } from './request';
import { SCANNERS, scannerName } from './scanners';

/** Writes the answer; `released` is left out when negative. */
export function writeAnswer(released: i32): void {
  beginOutput();
  writeAscii(earliest == u32.MAX_VALUE ? '{"allow":true' : '{"allow":false');
  writeAscii(',"findings":[');
  for (let i: u32 = 0; i < found; i++) {
    writeAscii(i == 0 ? '{"end":' : ',{"end":');
    writeU32(findingEnd(i));
    writeAscii(',"kind":"');
    writeKind(findingKind(i));
    writeAscii('","scanner":"');
    writeAscii(scannerName(findingScanner(i)));
    writeAscii('","score":');
    writeU32(findingScore(i));
    writeAscii(',"start":');
    writeU32(findingStart(i));
    writeAscii('}');
  }
  writeAscii(']');
  if (released >= 0) {
    writeAscii(',"released":');
    writeU32(<u32>released);
  }
  writeScores();
  writeAscii(truncated ? ',"truncated":true}' : ',"truncated":false}');
}

/** The highest score of each scanner that was asked for. */
function writeScores(): void {
  writeAscii(',"scores":{');
  let isFirst = true;
  for (let scanner: u32 = 0; scanner < SCANNERS; scanner++) {
    if ((scanners & (1 << scanner)) == 0) continue;
    writeAscii(isFirst ? '"' : ',"');
    writeAscii(scannerName(scanner));
    writeAscii('":');
    writeU32(scoreOf(scanner));
    isFirst = false;
  }
  writeAscii('}');
}
