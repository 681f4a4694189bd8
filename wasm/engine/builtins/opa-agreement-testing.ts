// Compares built-ins with OPA's own on many calls, for the tests beside them.
import * as assert from 'uvu/assert';
import { needs } from '../../../runtime/testing/needs.ts';
import { toMarked } from '../marked-testing.ts';
import { type Call, opaBuiltins } from '../opa-testing.ts';
import type { EngineUnderTest } from '../testing.ts';

/**
 * Fails at the first call that the engine answers otherwise than OPA; a failing built-in is undefined in both.
 * Returns OPA's answers, none without Go.
 */
export function agreesWithOpa(engine: EngineUnderTest, calls: readonly Call[]): unknown[] {
  if (!needs('go')) return [];
  const expected = opaBuiltins(calls);
  calls.forEach(([name, ...operands], i) => {
    assert.equal(engine.call(name, ...operands), expected[i], `${name} of ${toMarked(operands)}`);
  });
  return expected;
}
