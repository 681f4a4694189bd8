// A compiled plan for tests: JSON in, JSON out; sets are `{"$set":[…]}`, as the engine writes them.
import { moduleBytes } from '../modules/source.ts';
import { type CompileOptions, compilePlan } from './compile.ts';
import type { IrBlock, IrFunction, IrPolicy, IrStatement, Operand } from './ir.ts';

interface Exports {
  memory: WebAssembly.Memory;
  start(): void;
  entrypoints(): number;
  begin(bytes: number): number;
  loadData(pointer: number, length: number): number;
  parseMarked(pointer: number, length: number): number;
  evaluate(entrypoint: number, input: number): number;
  result(): number;
  dump(value: number): number;
  failureOf(): number;
}

/** The result, `{}` when it is undefined, or why the evaluation ended (wasm/engine/failure.ts). */
export type Answer = { value?: unknown; failure?: number };

export class PlanUnderTest {
  readonly wasm: Uint8Array;
  readonly #data: unknown;
  #exports: Exports;

  private constructor(wasm: Uint8Array, data: unknown) {
    this.wasm = wasm;
    this.#data = data;
    this.#exports = this.#start();
  }

  /** Compiles a plan with the built engine; throws with what is not supported. */
  static async of(
    plan: IrPolicy,
    data: unknown = {},
    options: CompileOptions = {},
  ): Promise<PlanUnderTest> {
    const { wasm, unsupported } = await compilePlan(plan, moduleBytes('engine'), options);
    if (wasm === undefined) throw new Error(`not supported: ${unsupported.join(', ')}`);
    return new PlanUnderTest(wasm, data);
  }

  /** Evaluates an entrypoint for an input, or for none. */
  evaluate(input?: unknown, entrypoint = 0): Answer {
    const exports = this.#exports;
    try {
      const value = input === undefined ? exports.begin(0) * 0 : this.#write(input, 'parseMarked');
      if (exports.evaluate(entrypoint, value) === -1) return {};
      return { value: this.#read(exports.result()) };
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError)) throw error;
      const failure = exports.failureOf();
      this.#exports = this.#start();
      return { failure };
    }
  }

  entrypoints(): unknown {
    return this.#read(this.#exports.entrypoints());
  }

  #start(): Exports {
    const module = new WebAssembly.Module(this.wasm as Uint8Array<ArrayBuffer>);
    this.#exports = new WebAssembly.Instance(module).exports as never;
    this.#exports.start();
    if (this.#write(this.#data, 'loadData') !== 0) throw new Error('the data is refused');
    return this.#exports;
  }

  #write(value: unknown, take: 'parseMarked' | 'loadData'): number {
    const bytes = Buffer.from(JSON.stringify(value));
    const pointer = this.#exports.begin(bytes.length);
    new Uint8Array(this.#exports.memory.buffer).set(bytes, pointer);
    return this.#exports[take](pointer, bytes.length);
  }

  #read(value: number): unknown {
    const text = this.#exports.dump(value);
    const { buffer } = this.#exports.memory;
    const length = new DataView(buffer).getUint32(text + 8, true);
    return JSON.parse(Buffer.from(buffer, text + 12, length).toString());
  }
}

export const local = (value: number): Operand => ({ type: 'local', value });
export const bool = (value: boolean): Operand => ({ type: 'bool', value });
export const string = (value: number): Operand => ({ type: 'string_index', value });

export function block(...stmts: IrStatement[]): IrBlock {
  return { stmts };
}

/** A plan with the entrypoint `test`, whose statements leave their result in local 2. */
export function planOf(
  strings: readonly string[],
  stmts: readonly IrStatement[],
  funcs: readonly IrFunction[] = [],
): IrPolicy {
  const result = strings.length;
  const end: IrStatement[] = [
    { type: 'MakeObjectStmt', stmt: { target: 99 } },
    { type: 'ObjectInsertStmt', stmt: { key: string(result), value: local(2), object: 99 } },
    { type: 'ResultSetAddStmt', stmt: { value: 99 } },
  ];
  return {
    static: { strings: [...strings, 'result'].map((value) => ({ value })) },
    plans: { plans: [{ name: 'test', blocks: [block(...stmts, ...end)] }] },
    funcs: { funcs },
  };
}
