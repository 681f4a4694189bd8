// The paths into the documents that several rules read: each is looked up once in an evaluation.
import { Code } from './code.ts';
import { Frame, type Memo, type PlanContext } from './frame.ts';
import { DATA, INPUT, type IrBlock, type IrStatement, type Local } from './ir.ts';
import { blocksOf } from './locals.ts';
import { known, remember } from './statements/known.ts';

/** A path with a slot in the table of known results, and the function that looks it up. */
interface Slot {
  root: Local;
  keys: readonly string[];
  memo: number;
  index: number;
}

/** The variable of what was found so far. */
const VALUE: Local = 2;

export class Paths {
  readonly #slots = new Map<string, Slot>();

  /** Gives slots to the paths that are read in more than one place, and to what such paths share. */
  constructor(blocks: Iterable<readonly IrBlock[]>, memo: Memo, declare: () => number) {
    const reads = new Map<string, { root: Local; keys: readonly string[]; count: number }>();
    const visit = ({ type, stmt }: IrStatement): void => {
      if (type !== 'PathStmt' || (stmt.root !== INPUT && stmt.root !== DATA)) return;
      for (let length = 1; length <= stmt.keys.length; length++) {
        const keys = stmt.keys.slice(0, length);
        const name = nameOf(stmt.root, keys);
        const read = reads.get(name) ?? { root: stmt.root, keys, count: 0 };
        read.count++;
        reads.set(name, read);
      }
    };
    for (const each of blocks) walk(each, visit);
    for (const [name, { root, keys, count }] of reads)
      if (count > 1) this.#slots.set(name, { root, keys, memo: memo.slots++, index: declare() });
  }

  /** The slot of a path in this function, if it has one. */
  slot(frame: Frame, root: Local, keys: readonly string[]): Slot | undefined {
    return frame.documents ? this.#slots.get(nameOf(root, keys)) : undefined;
  }

  /** Writes the functions that look the paths up: from the longest part of them that has a slot itself. */
  write(plan: PlanContext): void {
    for (const { root, keys, memo, index } of this.#slots.values()) {
      const code = new Code(2);
      const frame = new Frame(plan, code, [INPUT, DATA], new Set());
      const value = frame.local(VALUE);
      const found = code.block();
      const parent = this.#slots.get(nameOf(root, keys.slice(0, -1)));
      frame.inside(found, () => {
        if (parent === undefined) frame.get(root).set(value);
        else known(frame, parent.memo, VALUE, () => code.get(INPUT).get(DATA).call(parent.index));
        const key = plan.constants.global({ type: 'string', text: keys.at(-1)! });
        plan.runtime.call(code.get(value).getGlobal(key), 'dot');
        code.set(value);
      });
      code.end();
      remember(frame, memo, value);
      plan.module.define(index, code);
    }
  }
}

function walk(blocks: readonly IrBlock[], visit: (statement: IrStatement) => void): void {
  for (const { stmts } of blocks)
    for (const statement of stmts ?? []) {
      visit(statement);
      walk(blocksOf(statement), visit);
    }
}

function nameOf(root: Local, keys: readonly string[]): string {
  return JSON.stringify([root, ...keys]);
}
