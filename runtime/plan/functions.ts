// Writes the Wasm functions of a plan: one for each planned function and each entrypoint.
import { Code } from './code.ts';
import { Frame, type PlanContext } from './frame.ts';
import { DATA, INPUT, type IrBlock, type IrFunction, type IrPlan, type Local } from './ir.ts';
import { writeBlock } from './statements/block.ts';

/** Writes a planned function; those of the documents alone remember their result. */
export function writeFunction(plan: PlanContext, name: string): void {
  const { index, fn, memo } = plan.functions.get(name)!;
  const code = new Code(fn.params.length);
  const frame = new Frame(plan, code, fn.params, readsOf(fn));
  frame.memo = memo;
  if (memo !== undefined) {
    const known = frame.local(fn.return);
    code
      .getGlobal(plan.memo)
      .load(memo * 4)
      .tee(known)
      .if();
    code.get(known).i32(0).get(known).i32(1).op('ne').op('select').op('return').end();
  }
  for (const block of fn.blocks ?? []) frame.block(block, writeBlock);
  code.i32(0);
  plan.module.define(index, code);
}

/** Writes an entrypoint: a function of the input and the data that gives its result, 0 if undefined. */
export function writePlan(context: PlanContext, plan: IrPlan): number {
  const index = context.module.declare(2);
  const code = new Code(2);
  const frame = new Frame(context, code, [INPUT, DATA], readsOf(plan));
  frame.result = code.local();
  if (context.bindings) {
    context.runtime.call(code.i32(0), 'newSet');
    code.set(frame.result);
  }
  for (const block of plan.blocks ?? []) frame.block(block, writeBlock);
  code.get(frame.result);
  context.module.define(index, code);
  return index;
}

/** The locals that the statements of a function read; those that are only written need no value. */
function readsOf({ blocks }: Pick<IrFunction | IrPlan, 'blocks'>): Set<Local> {
  const reads = new Set<Local>();
  const visit = (block: IrBlock): void => {
    for (const { type, stmt } of block.stmts ?? []) {
      for (const [field, value] of Object.entries(stmt))
        readField(type, field, value, reads, visit);
    }
  };
  for (const block of blocks ?? []) visit(block);
  return reads;
}

/** Fields that name a local that the statement gives a value; all other locals are read. */
const WRITTEN = new Set(['target', 'result', 'ScanStmt.key', 'ScanStmt.value', 'WithStmt.path']);
const LOCALS = new Set(['source', 'local', 'array', 'object', 'set', 'a', 'b', 'value']);

function readField(
  type: string,
  field: string,
  value: unknown,
  reads: Set<Local>,
  visit: (block: IrBlock) => void,
): void {
  if (field === 'block') visit(value as IrBlock);
  else if (field === 'blocks') for (const block of (value as IrBlock[] | null) ?? []) visit(block);
  else if (WRITTEN.has(field) || WRITTEN.has(`${type}.${field}`)) return;
  else if (Array.isArray(value)) for (const item of value) readField(type, 'a', item, reads, visit);
  else if (typeof value === 'object' && value !== null) {
    const operand = value as { type?: string; value?: unknown };
    if (operand.type === 'local') reads.add(operand.value as Local);
  } else if (typeof value === 'number' && LOCALS.has(field)) reads.add(value);
}
