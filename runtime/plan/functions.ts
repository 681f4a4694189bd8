// Writes the Wasm functions of a plan: one for each planned function and each entrypoint.
import { Code } from './code.ts';
import { writeRules } from './dispatch.ts';
import { Frame, type PlanContext, type PlannedFunction } from './frame.ts';
import { DATA, INPUT, type IrBlock } from './ir.ts';
import { localUse } from './locals.ts';
import { RULES_MAX } from './outline.ts';
import { rulesOf } from './rules.ts';
import { writeBlock } from './statements/block.ts';
import { remember } from './statements/known.ts';

/** Writes a planned function; those of the documents alone remember their result. */
export function writeFunction(
  plan: PlanContext,
  { index, fn, blocks, memo }: PlannedFunction,
): void {
  const code = new Code(fn.params.length);
  const frame = new Frame(plan, code, fn.params, new Set(localUse(blocks).reads.keys()));
  frame.memo = memo;
  const { before, rules, after, decided } = rulesOf(fn, blocks, plan.strings);
  for (const block of before) frame.block(block, writeBlock);
  const done = code.block();
  if (decided !== undefined) frame.decision = { variable: decided, done, body: done };
  if (rules.length > RULES_MAX) frame.outlined = fn;
  writeRules(frame, rules, new Set());
  frame.decision = undefined;
  code.end();
  for (const block of after) frame.block(block, writeBlock);
  // Only a function without a ReturnLocalStmt comes to its end.
  const nothing = code.local();
  if (memo === undefined) code.get(nothing);
  else remember(frame, memo, nothing);
  plan.module.define(index, code);
}

/** Writes an entrypoint: a function of the input and the data that gives its result, 0 if undefined. */
export function writePlan(plan: PlanContext, blocks: readonly IrBlock[]): number {
  const index = plan.module.declare(2);
  const code = new Code(2);
  const frame = new Frame(plan, code, [INPUT, DATA], new Set(localUse(blocks).reads.keys()));
  frame.result = code.local();
  if (plan.bindings) {
    plan.runtime.call(code.i32(0), 'newSet');
    code.set(frame.result);
  }
  for (const block of blocks) frame.block(block, writeBlock);
  code.get(frame.result);
  plan.module.define(index, code);
  return index;
}
