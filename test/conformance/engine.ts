// A compiled plan under test: data and input as text in, the marked text of the result or a failure out.
import { type CompileOptions, compilePlan } from '../../runtime/plan/compile.ts';
import type { IrPolicy } from '../../runtime/plan/ir.ts';

/** The engine as `npm run setup` builds it. */
export const builtEngine = new URL('../../wasm/build/engine.wasm', import.meta.url);

/** Why an evaluation ended (wasm/engine/failure.ts), as OPA's codes of errors. */
const FAILURE_CODES = [
  'module_trapped',
  'eval_builtin_error',
  'eval_type_error',
  'eval_conflict_error',
  'memory_exhausted',
  'depth_exhausted',
  'eval_with_merge_error',
];

/** The time of `time.now_ns`, in nanoseconds; any would do, as long as it is the same. */
const TIME = 1_760_000_000_000_000_000n;

interface Exports {
  memory: WebAssembly.Memory;
  start(): void;
  begin(bytes: number): number;
  loadData(pointer: number, length: number): number;
  parseMarked(pointer: number, length: number): number;
  jsonError(): number;
  evaluate(entrypoint: number, input: number): number;
  result(): number;
  dump(value: number): number;
  failureOf(): number;
  setTime?(nanoseconds: bigint): void;
}

/** The marked text of a result, none when it is undefined, or the code of what ended the evaluation. */
export type Outcome = { text?: string } | { code: string };

/** The compiled plan with its data. */
export class PlanUnderTest {
  readonly #module: WebAssembly.Module;
  readonly #data: Buffer;
  #exports: Exports | undefined;

  private constructor(module: WebAssembly.Module, data: Buffer) {
    this.#module = module;
    this.#data = data;
  }

  /** The plan, or the names of what the compiler does not take. */
  static async compile(
    policy: unknown,
    engine: Uint8Array,
    data: string,
    options: CompileOptions,
  ): Promise<PlanUnderTest | string[]> {
    const { wasm, unsupported } = await compilePlan(policy as IrPolicy, engine, options);
    if (wasm === undefined) return unsupported;
    const module = new WebAssembly.Module(wasm as Uint8Array<ArrayBuffer>);
    return new PlanUnderTest(module, Buffer.from(data));
  }

  /** Evaluates the first entrypoint for marked JSON text, or for no input. */
  evaluate(input?: string): Outcome {
    this.#exports ??= this.#start();
    const exports = this.#exports;
    try {
      exports.setTime?.(TIME);
      const value = input === undefined ? 0 : this.#parse(exports, input);
      if (exports.evaluate(0, value) === -1) return {};
      return { text: textOf(exports, exports.dump(exports.result())) };
    } catch (cause) {
      this.#exports = undefined;
      if (!(cause instanceof WebAssembly.RuntimeError)) throw cause;
      return { code: FAILURE_CODES[exports.failureOf()] ?? cause.message };
    }
  }

  #start(): Exports {
    const { exports } = new WebAssembly.Instance(this.#module) as unknown as { exports: Exports };
    exports.start();
    const { pointer, length } = write(exports, this.#data);
    const failure = exports.loadData(pointer, length);
    if (failure !== 0) throw new Error(`the data is refused with ${failure}`);
    return exports;
  }

  #parse(exports: Exports, text: string): number {
    const { pointer, length } = write(exports, Buffer.from(text));
    const value = exports.parseMarked(pointer, length);
    if (value === 0) throw new Error(`the input is refused with ${exports.jsonError()}`);
    return value;
  }
}

function write(exports: Exports, bytes: Buffer): { pointer: number; length: number } {
  const pointer = exports.begin(bytes.length);
  new Uint8Array(exports.memory.buffer).set(bytes, pointer);
  return { pointer, length: bytes.length };
}

/** The text of a string value (wasm/engine/value.ts). */
function textOf(exports: Exports, value: number): string {
  const length = new DataView(exports.memory.buffer).getUint32(value + 8, true);
  return Buffer.from(exports.memory.buffer, value + 12, length).toString();
}
