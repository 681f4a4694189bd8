// The host of the arguments module: tells whether a tool's arguments fit its JSON Schema.

import { hash } from 'node:crypto';
import type { ErrorCode } from '../errors.ts';
import { InputError, ModuleError, SchemaError } from '../errors.ts';
import { inputError } from './error-numbers.ts';
import { ModuleInstance } from './instantiate.ts';

/** One way in which arguments do not fit; it never holds the value at fault. */
export interface Violation {
  /** The keyword of the schema, such as `required`; `budget` when the work had to be given up. */
  keyword: string;
  /** For people and models: what the schema asks for. */
  message: string;
  /** JSON Pointer (RFC 6901) of the place in the arguments. */
  pointer: string;
}

/** The answer: arguments that fit, or at most 32 violations in a fixed order. */
export interface ArgumentsResult {
  allow: boolean;
  violations: Violation[];
}

/** The largest schema and the largest arguments, in bytes of JSON. */
export const schemaBytesMax = 64 * 1024;
export const argumentsBytesMax = 256 * 1024;

type Operation = 'register' | 'validate';

/** What `register` returns instead of a handle. */
const REFUSED = -1;
const FULL = -2;

const decoder = new TextDecoder();

/**
 * The validator of wasm/arguments. Compiled schemas live in the module's memory, found by the digest
 * of their bytes; an instance that is full is replaced by a fresh one, so that any number of tools can
 * be served in bounded memory, and a schema that went with the old one is compiled again when used.
 */
export class ArgumentsModule {
  readonly #bytes: Uint8Array;
  readonly #handles = new Map<string, number>();
  #module: ModuleInstance<Operation>;
  #generation = 0;

  private constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#module = instantiate(bytes);
  }

  /** Compiles the module's bytes; throws a ModuleError when they are not the arguments module. */
  static create(bytes: Uint8Array): ArgumentsModule {
    return new ArgumentsModule(bytes);
  }

  /**
   * Compiles a schema (UTF-8 JSON, 64 KiB at most). Throws a SchemaError whose `data` has `pointer` and
   * `keyword` of the place in the schema: `schema_keyword_unsupported`, `schema_invalid`,
   * `schema_pattern_unsupported`, `schema_ref_unresolved` or `schema_too_large`.
   */
  register(schema: Uint8Array): void {
    this.#handle(schema);
  }

  /**
   * Validates arguments (UTF-8 JSON, 256 KiB at most) against a schema, which is compiled at its first
   * use. Throws a SchemaError as `register` does, and an InputError for arguments that cannot be read.
   */
  validate(schema: Uint8Array, args: Uint8Array): ArgumentsResult {
    const bytes = this.validateBytes(schema, args);
    try {
      return { violations: [], ...(JSON.parse(decoder.decode(bytes)) as { allow: boolean }) };
    } catch (cause) {
      throw new ModuleError('module_output_invalid', 'arguments wrote no JSON', { cause });
    }
  }

  /** As `validate`, to the module's own answer: `{"allow":true}`, or with `violations`, as canonical JSON. */
  validateBytes(schema: Uint8Array, args: Uint8Array): Uint8Array {
    if (args.length > argumentsBytesMax) {
      throw new InputError('input_too_large', 'the arguments are larger than 256 KiB');
    }
    const handle = this.#handle(schema);
    const pointer = this.#module.write(args);
    const number = this.#module.invoke((exports) => exports.validate(handle, pointer, args.length));
    if (number !== 0) throw inputError(number);
    return this.#module.output();
  }

  /** The handle of a schema in the present instance. */
  #handle(schema: Uint8Array): number {
    if (schema.length > schemaBytesMax) {
      const data = { pointer: '', keyword: '' };
      throw new SchemaError('schema_too_large', 'the schema is larger than 64 KiB', { data });
    }
    // Looking at the memory brings a fresh instance after a trap; what the old one knew is gone.
    if (this.#module.view.length > 0 && this.#module.generation !== this.#generation) {
      this.#handles.clear();
      this.#generation = this.#module.generation;
    }
    const digest = hash('sha256', schema, 'base64');
    const known = this.#handles.get(digest);
    if (known !== undefined) return known;
    const handle = this.#compile(schema);
    this.#handles.set(digest, handle);
    return handle;
  }

  #compile(schema: Uint8Array): number {
    let handle = this.#register(schema);
    if (handle === FULL) {
      this.#module = instantiate(this.#bytes);
      this.#handles.clear();
      this.#generation = this.#module.generation;
      handle = this.#register(schema);
    }
    if (handle === REFUSED) throw this.#refusal();
    if (handle < 1) {
      throw new ModuleError('module_output_invalid', `arguments returned the handle ${handle}`);
    }
    return handle;
  }

  #register(schema: Uint8Array): number {
    const pointer = this.#module.write(schema);
    return this.#module.invoke((exports) => exports.register(pointer, schema.length));
  }

  #refusal(): SchemaError {
    const { code, keyword, message, pointer } = JSON.parse(decoder.decode(this.#module.output()));
    const what = keyword === '' ? 'the schema' : JSON.stringify(keyword);
    const where = pointer === '' ? 'at the root' : `at ${pointer}`;
    return new SchemaError(code as ErrorCode, `${what} ${message} (${where})`, {
      data: { keyword, pointer },
    });
  }
}

function instantiate(bytes: Uint8Array): ModuleInstance<Operation> {
  return new ModuleInstance('arguments', bytes, ['register', 'validate']);
}
