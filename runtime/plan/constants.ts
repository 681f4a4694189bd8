// The constants of a plan: made once by `start`, kept in globals, so that equal strings are one pointer.
import { Bytes } from './bytes.ts';
import type { Code } from './code.ts';
import type { Constant } from './ir.ts';
import type { PlanModule } from './plan-module.ts';
import type { Runtime } from './runtime.ts';

export class Constants {
  readonly #module: PlanModule;
  readonly #runtime: Runtime;
  /** In the order in which they are made: parts come first. */
  readonly #globals = new Map<string, { global: number; constant: Constant }>();

  constructor(module: PlanModule, runtime: Runtime) {
    this.#module = module;
    this.#runtime = runtime;
  }

  /** The global that holds a constant; equal constants share one. */
  global(constant: Constant): number {
    const name = JSON.stringify(constant);
    const known = this.#globals.get(name);
    if (known !== undefined) return known.global;
    if (constant.type === 'array' || constant.type === 'set')
      for (const item of constant.items) this.global(item);
    if (constant.type === 'object')
      for (const [key, value] of constant.items) {
        this.global(key);
        this.global(value);
      }
    const global = this.#module.global();
    this.#globals.set(name, { global, constant });
    return global;
  }

  /** Writes what makes them; call when no more are wanted. */
  make(code: Code): void {
    const texts = new Bytes();
    const base = code.local();
    const made = code.local();
    const steps: (() => void)[] = [];
    for (const { global, constant } of this.#globals.values()) {
      if (constant.type === 'string' || constant.type === 'number') {
        const offset = texts.length;
        texts.append(Buffer.from(constant.text));
        const length = texts.length - offset;
        steps.push(() => {
          code.get(base).i32(offset).op('add').i32(length);
          this.#runtime.call(
            code,
            constant.type === 'string' ? 'constantString' : 'numberFromText',
          );
          code.setGlobal(global);
        });
      } else steps.push(() => this.#compose(code, global, constant, made));
    }
    const segment = this.#module.data(texts.view().slice());
    code.i32(texts.length);
    this.#runtime.call(code, 'begin');
    code.tee(base).i32(0).i32(texts.length).memoryInit(segment);
    for (const step of steps) step();
  }

  #compose(code: Code, global: number, constant: Constant, made: number): void {
    const runtime = this.#runtime;
    switch (constant.type) {
      case 'integer':
        code.i64(BigInt(constant.value));
        runtime.call(code, 'integer');
        break;
      case 'null':
        runtime.call(code, 'nullValue');
        break;
      case 'boolean':
        runtime.call(code.i32(constant.value ? 1 : 0), 'booleanValue');
        break;
      case 'object':
        runtime.call(code.i32(constant.items.length), 'newObject');
        code.set(made);
        for (const [key, value] of constant.items) {
          code.get(made).getGlobal(this.global(key)).getGlobal(this.global(value));
          runtime.run(code, 'insert');
        }
        runtime.run(code.get(made), 'sorted');
        code.get(made);
        break;
      case 'array':
      case 'set': {
        const array = constant.type === 'array';
        runtime.call(code.i32(constant.items.length), array ? 'newArray' : 'newSet');
        code.set(made);
        for (const item of constant.items)
          runtime.run(code.get(made).getGlobal(this.global(item)), array ? 'push' : 'add');
        if (!array) runtime.run(code.get(made), 'sorted');
        code.get(made);
        break;
      }
    }
    code.setGlobal(global);
  }
}
