// Statements that decide which statements run: blocks, loops, negation and the end.
import type { Frame } from '../frame.ts';
import type { Local, Statements } from '../ir.ts';
import { ELEMENT_BYTES, ELEMENTS, ENTRY_BYTES, ENTRY_VALUE, Kind, LENGTH } from '../layout.ts';
import type { Handlers, WriteBlock } from './handlers.ts';
import { remember } from './known.ts';

export const flow: Handlers<
  'BlockStmt' | 'BreakStmt' | 'NopStmt' | 'NotStmt' | 'ReturnLocalStmt' | 'ScanStmt'
> = {
  BlockStmt(frame, { blocks }, write) {
    for (const block of blocks ?? []) frame.block(block, write);
  },

  BreakStmt(frame, { index }) {
    frame.leave(index);
  },

  NopStmt() {},

  NotStmt(frame, { block }, write) {
    const { code } = frame;
    const undefined_ = code.local();
    code.i32(1).set(undefined_);
    const label = code.block();
    frame.inside(label, () => {
      write(frame, block);
      code.i32(0).set(undefined_);
    });
    code.end();
    code.get(undefined_).op('eqz');
    frame.failIf();
  },

  ReturnLocalStmt(frame, { source }) {
    const { code, plan } = frame;
    if (frame.replaced) plan.unsupported.add('a ReturnLocalStmt in a WithStmt');
    if (frame.memo === undefined) frame.get(source);
    else remember(frame, frame.memo, frame.local(source));
    code.op('return');
  },

  ScanStmt: scan,
};

/** Runs a block for each entry, objects and sets in the order of their keys. */
function scan(frame: Frame, stmt: Statements['ScanStmt'], write: WriteBlock): void {
  const { code, plan } = frame;
  const isArray = code.local();
  const at = code.local();
  const end = code.local();
  const exit = code.block();
  frame.get(stmt.source).load8(0).i32(Kind.Array).op('ltU').branchIf(exit);
  frame.get(stmt.source).load8(0).i32(Kind.Array).op('eq').tee(isArray).op('eqz').if();
  frame.get(stmt.source);
  plan.runtime.run(code, 'sorted');
  code.end();
  frame.get(stmt.source).load(ELEMENTS).tee(at);
  frame.get(stmt.source).load(LENGTH).i32(2).i32(3).get(isArray).op('select');
  code.op('shl').op('add').set(end);
  const index = frame.reads.has(stmt.key) ? code.local() : undefined;
  if (index !== undefined) code.i32(0).set(index);
  const next = code.loop();
  code.get(at).get(end).op('eq').branchIf(exit);
  entry(frame, stmt.key, stmt.value, { isArray, at, index });
  frame.inside(exit, () => frame.inside(next, () => write(frame, stmt.block)));
  code.branch(next);
  code.end();
  code.end();
}

/** Reads the present entry and steps to the next one. */
function entry(
  frame: Frame,
  key: Local,
  value: Local,
  { isArray, at, index }: { isArray: number; at: number; index: number | undefined },
): void {
  const { code, plan } = frame;
  code.get(isArray).if();
  code.get(at).load(0);
  frame.set(value);
  if (index !== undefined) {
    code.get(index).extend();
    plan.runtime.call(code, 'integer');
    frame.set(key);
    code.get(index).i32(1).op('add').set(index);
  }
  code.get(at).i32(ELEMENT_BYTES).op('add').set(at);
  code.op('else');
  code.get(at).load(0);
  frame.set(key);
  code.get(at).load(ENTRY_VALUE);
  frame.set(value);
  code.get(at).i32(ENTRY_BYTES).op('add').set(at);
  code.end();
}
