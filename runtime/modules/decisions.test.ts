// What ends a decision of the compiled policies outside of their evaluation.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf } from '../errors.ts';
import { DECISION_LIMITS } from '../metering/limits.ts';
import { meter } from '../metering/meter.ts';
import { compilePlan } from '../plan/compile.ts';
import type { IrStatement } from '../plan/ir.ts';
import { local, planOf, string } from '../plan/testing.ts';
import { Decisions } from './decisions.ts';
import { moduleBytes } from './source.ts';

const TEXT_STEPS = 100_000;

async function decisionsOf(stmts: readonly IrStatement[], reads: string[]): Promise<Decisions> {
  const { wasm } = await compilePlan(planOf(['answer'], stmts), moduleBytes('engine'));
  const entries = { ...DECISION_LIMITS.entries, answerText: TEXT_STEPS };
  const limits = { ...DECISION_LIMITS, entries };
  const data = Buffer.from('{}');
  return Decisions.create({ wasm: meter(wasm!, limits), data, reads: { test: reads } });
}

function codeOfThrown(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    return codeOf(error);
  }
  return undefined;
}

const assigned: IrStatement = { type: 'AssignVarStmt', stmt: { source: string(0), target: 2 } };

test('bytes over 1 MiB are refused, however little of them the policy reads', async () => {
  const decisions = await decisionsOf([assigned], ['/a']);
  const sized = (bytes: number) => Buffer.from(`{"a":1,"z":"${'x'.repeat(bytes - 14)}"}`);
  const most = 1 << 20;
  assert.is(
    codeOfThrown(() => decisions.decideBytes('test', sized(most))),
    undefined,
  );
  const code = codeOfThrown(() => decisions.decideBytes('test', sized(most + 1)));
  assert.is(code, 'input_too_large');
});

test('an answer whose text exhausts a limit has the code of the limit', async () => {
  // Arrays of twice the same array: as text they are a million times what they are in memory.
  const doubled = Array.from({ length: 20 }, (_, at): IrStatement[] => {
    const [value, array] = [at === 0 ? string(0) : local(at + 9), at + 10];
    const append: IrStatement = { type: 'ArrayAppendStmt', stmt: { array, value } };
    return [{ type: 'MakeArrayStmt', stmt: { target: array, capacity: 2 } }, append, append];
  }).flat();
  const whole: IrStatement = { type: 'AssignVarStmt', stmt: { source: local(29), target: 2 } };
  const decisions = await decisionsOf([...doubled, whole], ['/a']);
  for (const input of [{ a: 1 }, { a: 2 }]) {
    assert.is(
      codeOfThrown(() => decisions.decide('test', input)),
      'steps_exhausted',
    );
  }
});

test.run();
