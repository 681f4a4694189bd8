// What the tests of the PII scanner share: values that must be found wherever they stand, and ones that must not.
import * as assert from 'uvu/assert';
import { Guard } from '../../../runtime/modules/guard.ts';
import { moduleBytes } from '../../../runtime/modules/source.ts';

export const guard = Guard.create(moduleBytes('guard'));

/** `kind:text` for each finding. */
export function found(text: string): string[] {
  const bytes = Buffer.from(text);
  return guard
    .scan({ direction: 'output', scanners: ['PII'], text })
    .findings.map(({ kind, start, end }) => `${kind}:${bytes.subarray(start, end).toString()}`);
}

/** Each value is found as that kind, alone and beside letters, quotes and other lines. */
export function eachFound(kind: string, values: string[]): void {
  for (const value of values) {
    for (const [before, after] of [
      ['', ''],
      ['see ', '.'],
      ['(', ')'],
      ['é', 'é'],
      ['"', '"'],
      ['x\n', '\ny'],
    ]) {
      assert.equal(found(`${before}${value}${after}`), [`${kind}:${value}`], value);
    }
  }
}

/** Nothing is found in any of the values. */
export function noneFound(values: string[]): void {
  for (const value of values) assert.equal(found(value), [], value);
}
