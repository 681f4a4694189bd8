// Runs the AssemblyScript modules: input into linear memory, one call, output out, traps turned into errors.

import { ModuleError } from '../errors.ts';
import { exhaustedCode, type MeterExports } from '../metering/exhausted.ts';
import { inputError, TOO_LARGE } from './error-numbers.ts';

/** An operation of a module: 0 for success, otherwise an error number of wasm/common/errors.ts. */
export type Operation = (...parameters: number[]) => number;

/** What every AssemblyScript module exports besides its operations. */
export interface ModuleExports extends MeterExports {
  memory: WebAssembly.Memory;
  /** Begins a decision; returns where the host writes that many input bytes, 0 when they are too many. */
  reserve(length: number): number;
  output(): number;
  outputLength(): number;
}

const encoder = new TextEncoder();

/**
 * One compiled module and its present instance. After a trap the instance is dropped, since its memory
 * may be in any state, and the next call gets a fresh one.
 */
export class ModuleInstance<Operations extends string> {
  readonly #name: string;
  readonly #operations: readonly Operations[];
  readonly #compiled: WebAssembly.Module;
  #exports: (ModuleExports & Record<Operations, Operation>) | undefined;
  #view = new Uint8Array(0);
  #generation = 0;

  /** Compiles; throws a ModuleError when the bytes are no module or lack an export. */
  constructor(
    name: string,
    bytes: Uint8Array | WebAssembly.Module,
    operations: readonly Operations[],
  ) {
    this.#name = name;
    this.#operations = operations;
    try {
      this.#compiled =
        bytes instanceof WebAssembly.Module
          ? bytes
          : new WebAssembly.Module(bytes as Uint8Array<ArrayBuffer>);
    } catch (cause) {
      throw new ModuleError('module_missing', `${name} is not a WebAssembly module`, { cause });
    }
    this.#instance();
  }

  /** The same module with memory of its own. */
  another(): ModuleInstance<Operations> {
    return new ModuleInstance(this.#name, this.#compiled, this.#operations);
  }

  /** Counts instances: a module that keeps state must be given it again when this has changed. */
  get generation(): number {
    return this.#generation;
  }

  /** The module's memory as it is now; do not keep it across calls. */
  get view(): Uint8Array {
    const buffer = this.#instance().memory.buffer;
    if (this.#view.buffer !== buffer) this.#view = new Uint8Array(buffer);
    return this.#view;
  }

  #instance(): ModuleExports & Record<Operations, Operation> {
    if (this.#exports !== undefined) return this.#exports;
    let exports: Record<string, unknown>;
    try {
      exports = new WebAssembly.Instance(this.#compiled).exports;
    } catch (cause) {
      throw new ModuleError('module_missing', `${this.#name} cannot be instantiated`, { cause });
    }
    for (const name of ['reserve', 'output', 'outputLength', ...this.#operations]) {
      if (typeof exports[name] !== 'function') {
        throw new ModuleError('module_missing', `${this.#name} does not export ${name}`);
      }
    }
    this.#generation += 1;
    this.#exports = exports as unknown as ModuleExports & Record<Operations, Operation>;
    return this.#exports;
  }

  /** Runs `use` on the exports; whatever the module throws is a trap and costs the instance. */
  invoke<Result>(use: (exports: ModuleExports & Record<Operations, Operation>) => Result): Result {
    const exports = this.#instance();
    try {
      return use(exports);
    } catch (cause) {
      this.#exports = undefined;
      this.#view = new Uint8Array(0);
      const code = exhaustedCode(exports) ?? 'module_trapped';
      throw new ModuleError(code, `${this.#name} trapped`, { cause });
    }
  }

  /** Reserves room for input; throws `input_too_large` when the module has none. */
  reserve(length: number): number {
    // Wasm would take the length modulo 2^32.
    const pointer =
      length > 0xffffffff ? 0 : this.invoke((exports) => exports.reserve(length)) >>> 0;
    if (pointer === 0) throw inputError(TOO_LARGE);
    return pointer;
  }

  /** Writes input bytes; returns where they are. */
  write(bytes: Uint8Array): number {
    const pointer = this.reserve(bytes.length);
    this.view.set(bytes, pointer);
    return pointer;
  }

  /** Writes text as UTF-8; returns where it is and how many bytes it became. */
  writeText(text: string): { pointer: number; length: number } {
    // UTF-8 needs at most three bytes for each UTF-16 code unit.
    const room = text.length * 3;
    const pointer = this.reserve(room);
    const { written } = encoder.encodeInto(text, this.view.subarray(pointer, pointer + room));
    return { pointer, length: written };
  }

  /** Calls one operation on input that was written; throws an InputError for what it refuses. */
  call(operation: Operations, pointer: number, length: number): Uint8Array {
    const number = this.invoke((exports) => exports[operation](pointer, length));
    if (number !== 0) throw inputError(number);
    return this.output();
  }

  /** Writes the bytes, calls one operation on them and returns its output. */
  run(operation: Operations, bytes: Uint8Array): Uint8Array {
    return this.call(operation, this.write(bytes), bytes.length);
  }

  /** Whether the operation's output for these bytes is the bytes themselves: as `run`, without a copy of it. */
  keeps(operation: Operations, bytes: Uint8Array): boolean {
    const pointer = this.write(bytes);
    const number = this.invoke((exports) => exports[operation](pointer, bytes.length));
    if (number !== 0) throw inputError(number);
    const start = this.invoke((exports) => exports.output() >>> 0);
    const length = this.invoke((exports) => exports.outputLength() >>> 0);
    if (length !== bytes.length) return false;
    return Buffer.compare(this.view.subarray(start, start + length), bytes) === 0;
  }

  /** A copy of the last output. */
  output(): Uint8Array {
    const { start, end } = this.invoke((exports) => {
      const pointer = exports.output() >>> 0;
      return { start: pointer, end: pointer + (exports.outputLength() >>> 0) };
    });
    if (end > this.view.length) {
      throw new ModuleError('module_output_invalid', `${this.#name} points outside its memory`);
    }
    return this.view.slice(start, end);
  }
}
