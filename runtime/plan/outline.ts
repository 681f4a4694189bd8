// Writes the rules of a large function as functions of their own, which engines compile in little memory.
import { Code } from './code.ts';
import { Frame } from './frame.ts';
import type { Rule } from './guards.ts';
import { writeBlock } from './statements/block.ts';

/** A function with more rules than these is divided. */
export const RULES_MAX = 64;
/** How many rules such a function has at most. */
const PART = 16;

/** Writes rules that are all to be tried, in their order. */
export function writeInOrder(frame: Frame, rules: readonly Rule[]): void {
  if (frame.outlined === undefined) {
    for (const rule of rules) writeRule(frame, rule);
    return;
  }
  for (let at = 0; at < rules.length; at += PART) writePart(frame, rules.slice(at, at + PART));
}

/** A function of the parameters and the result so far, which gives the result that the rules make of it. */
function writePart(frame: Frame, rules: readonly Rule[]): void {
  const { plan, code } = frame;
  const fn = frame.outlined!;
  const params = [...fn.params, fn.return];
  const index = plan.module.declare(params.length);
  const part = new Frame(plan, new Code(params.length), params, frame.reads);
  const done = part.code.block();
  if (frame.decision !== undefined) part.decision = { ...frame.decision, done };
  for (const rule of rules) writeRule(part, rule);
  part.code.end();
  part.get(fn.return);
  plan.module.define(index, part.code);
  for (const param of params) frame.get(param);
  code.call(index);
  frame.set(fn.return);
  if (frame.decision !== undefined) frame.get(fn.return).branchIf(frame.decision.done);
}

/** Writes a rule; where one that holds decides the result, the others are left out then. */
function writeRule(frame: Frame, { blocks }: Rule): void {
  const { code, decision } = frame;
  if (decision === undefined) {
    for (const block of blocks) frame.block(block, writeBlock);
    return;
  }
  const [body, taken] = blocks;
  decision.body = code.block();
  frame.inside(decision.body, () => writeBlock(frame, body!));
  code.end();
  frame.inside(code.block(), () => writeBlock(frame, taken!));
  code.branch(decision.done).end();
}
