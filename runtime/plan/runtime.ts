// Calls of the engine's functions from the code of a plan.
import { ModuleError } from '../errors.ts';
import type { Code } from './code.ts';
import type { Engine } from './engine.ts';

/** The functions of wasm/engine that plans call, beside the built-ins. */
export type EngineCall =
  | 'add'
  | 'answer'
  | 'begin'
  | 'booleanValue'
  | 'clearFailure'
  | 'compare'
  | 'constantString'
  | 'data'
  | 'dot'
  | 'equal'
  | 'firstMemo'
  | 'freeMemo'
  | 'insert'
  | 'insertOnce'
  | 'integer'
  | 'keep'
  | 'lengthValue'
  | 'memoTable'
  | 'mergeDocuments'
  | 'newArray'
  | 'newObject'
  | 'newSet'
  | 'nullValue'
  | 'numberFromText'
  | 'push'
  | 'replaceAt'
  | 'setStrict'
  | 'sorted'
  | 'stop'
  | 'storedDot'
  | 'useInput';

export class Runtime {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Calls a function whose arguments are on the stack; what it returns is there afterwards. */
  call(code: Code, name: EngineCall): void {
    code.call(this.#function(name).index);
  }

  /** Calls a function for what it does, and drops what it returns. */
  run(code: Code, name: EngineCall): void {
    const { index, results } = this.#function(name);
    code.call(index);
    if (results > 0) code.op('drop');
  }

  /** @throws ModuleError `module_missing` when the engine was built without it */
  #function(name: EngineCall): { index: number; results: number } {
    const found = this.#engine.functions.get(name);
    if (found !== undefined) return found;
    throw new ModuleError('module_missing', `the engine of decisions has no function ${name}`, {
      hint: 'build it anew: node scripts/build-wasm.ts engine',
    });
  }
}
