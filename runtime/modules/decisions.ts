// Hosts `decisions.wasm`, the policies compiled to our own engine: one input in, one decision out.
import { setImmediate } from 'node:timers/promises';
import { InputError, ModuleError, PlatformError } from '../errors.ts';
import type { JsonValue } from '../json.ts';
import { exhaustedCode, isExhausted, type MeterExports, spare } from '../metering/exhausted.ts';
import { type Answer, answerOf, type PolicyHost } from './answer.ts';
import { canonicalValue } from './canonical-value.ts';
import { type InputMemory, InputWriter, type ReadMember, readMembers } from './decision-input.ts';
import { inputError } from './error-numbers.ts';
import { createProjection, type Projection } from './projection.ts';

const INPUT_BYTES_MAX = 1 << 20;
/** Room for an input written as values; a larger one goes in as JSON text. */
const TREE_BYTES = 64 * 1024;
/** How much of the data is loaded at a time: about a millisecond. */
const PIECE_BYTES = 256 * 1024;
const MORE = -1;
const ANSWERS_KEPT = 32;
const UNDEFINED = -1;
const UNDEFINED_INPUT = 0;
// Offsets of wasm/engine/value.ts.
const LENGTH = 8;
const TEXT = 12;
const ELEMENTS = 16;

/** The exports of the module (docs/evaluation.md). */
interface DecisionExports extends MeterExports {
  memory: WebAssembly.Memory;
  start(): void;
  entrypoints(): number;
  begin(bytes: number): number;
  intern(pointer: number, length: number): number;
  loadBegin(pointer: number, length: number): void;
  loadNext(bytes: number): number;
  parse(pointer: number, length: number): number;
  jsonError(): number;
  evaluate(entrypoint: number, input: number): number;
  answerText(answer: number): number;
  failureOf(): number;
}

interface Entrypoint {
  number: number;
  members: ReadMember[] | undefined;
  project: Projection | undefined;
}

interface Instance {
  exports: DecisionExports;
  memory: InputMemory;
  entrypoints: Map<string, Entrypoint>;
  /** By number modulo their count; the module never gives a number twice. */
  answers: ({ number: number; answer: Answer } | undefined)[];
}

export interface DecisionsConfig {
  /** `decisions.wasm` of a policy bundle. */
  wasm: Uint8Array;
  /** `data.json` of the data bundle. */
  data: Uint8Array;
  /** By entrypoint, JSON Pointers of what its rules may read; without an entry the whole input. */
  reads?: Record<string, readonly string[]>;
}

/** Why an evaluation ended (wasm/engine/failure.ts), as the codes of errors. */
const FAILURES = [
  'module_trapped',
  'module_trapped',
  'module_trapped',
  'policy_conflict',
  'memory_exhausted',
  'depth_exhausted',
  'module_trapped',
] as const;

/**
 * The compiled policies with one data bundle. A trap costs the instance, and the next call gets a fresh
 * one with the data loaded again.
 */
export class Decisions implements PolicyHost {
  readonly #module: WebAssembly.Module;
  readonly #config: DecisionsConfig;
  readonly #writer = new InputWriter();
  #instance: Instance | undefined;

  private constructor(config: DecisionsConfig, module: WebAssembly.Module) {
    this.#config = config;
    this.#module = module;
  }

  /**
   * Compiles the module and loads the data.
   * @throws ModuleError `module_missing` for another kind of module, `module_trapped` for data that
   *   exceeds the module's memory; InputError for data that is not JSON
   */
  static create(config: DecisionsConfig): Decisions {
    let module: WebAssembly.Module;
    try {
      module = new WebAssembly.Module(config.wasm as Uint8Array<ArrayBuffer>);
    } catch (cause) {
      throw notAModule(cause);
    }
    const host = new Decisions(config, module);
    host.#instance = spared(host.#start());
    return host;
  }

  /** As `create`, in steps of some milliseconds, between which the event loop turns. */
  static async prepare(config: DecisionsConfig): Promise<Decisions> {
    let module: WebAssembly.Module;
    try {
      module = await WebAssembly.compile(config.wasm as Uint8Array<ArrayBuffer>);
    } catch (cause) {
      throw notAModule(cause);
    }
    const host = new Decisions(config, module);
    const starting = host.#starting();
    let step = starting.next();
    for (; !step.done; step = starting.next()) await setImmediate();
    host.#instance = spared(step.value);
    return host;
  }

  get entrypoints(): string[] {
    this.#instance ??= spared(this.#start());
    return [...this.#instance.entrypoints.keys()];
  }

  decide(entrypoint: string, input: JsonValue): Answer {
    const text = (value: unknown): Uint8Array => {
      const written = JSON.stringify(value);
      if (written === undefined)
        throw new InputError('input_invalid', 'the input is no JSON value');
      return Buffer.from(written);
    };
    const root = (instance: Instance, entry: Entrypoint): number => {
      const start = instance.exports.begin(TREE_BYTES);
      const memory = viewed(instance);
      const tree = this.#writer.write(memory, start, start + TREE_BYTES, input, entry.members);
      return tree === 0 ? parsed(instance, text(input)) : tree;
    };
    return this.#evaluate(entrypoint, root, () => text(canonicalValue(input) ?? input));
  }

  decideBytes(entrypoint: string, input: Uint8Array): Answer {
    const root = (instance: Instance, entry: Entrypoint): number => {
      if (entry.project !== undefined && input.length > 0 && input.length <= INPUT_BYTES_MAX) {
        const pointer = instance.exports.begin(input.length);
        const length = entry.project(input, viewed(instance).bytes, pointer);
        if (length >= 0) return rooted(instance, pointer, length);
      }
      return parsed(instance, input);
    };
    return this.#evaluate(entrypoint, root, () => input);
  }

  /**
   * How far an instance is from its limits depends a little on what it was asked before and how it was given
   * the input. So a used one has less than there is, and what exhausts that is decided by a fresh one, given
   * all of the input as canonical text, as it is in every host.
   */
  #evaluate(
    entrypoint: string,
    rootOf: (instance: Instance, entry: Entrypoint) => number,
    text: () => Uint8Array,
  ): Answer {
    this.#instance ??= spared(this.#start());
    try {
      return this.#run(this.#instance, entrypoint, rootOf);
    } catch (error) {
      if (!isExhausted(error)) throw error;
    }
    const fresh = this.#start();
    const answer = this.#run(fresh, entrypoint, () => parsed(fresh, text()));
    this.#instance = spared(fresh);
    return answer;
  }

  #run(
    instance: Instance,
    entrypoint: string,
    rootOf: (instance: Instance, entry: Entrypoint) => number,
  ): Answer {
    const entry = instance.entrypoints.get(entrypoint);
    if (entry === undefined) {
      throw new ModuleError('bundle_entrypoint_missing', `the policy has no rule ${entrypoint}`);
    }
    const { exports } = instance;
    try {
      const number = exports.evaluate(entry.number, rootOf(instance, entry));
      if (number === UNDEFINED) {
        throw new ModuleError('module_output_invalid', 'the policy has no answer to this input');
      }
      const known = instance.answers[number % ANSWERS_KEPT];
      return known?.number === number ? known.answer : remembered(instance, number);
    } catch (cause) {
      if (cause instanceof PlatformError) throw cause;
      this.#instance = undefined;
      throw trapped(exports, cause);
    }
  }

  #start(): Instance {
    const starting = this.#starting();
    let step = starting.next();
    while (!step.done) step = starting.next();
    return step.value;
  }

  /** Makes an instance, piece by piece: the same one however long it takes. */
  *#starting(): Generator<void, Instance> {
    let exports: DecisionExports;
    try {
      exports = new WebAssembly.Instance(this.#module).exports as unknown as DecisionExports;
      exports.start();
    } catch (cause) {
      throw new ModuleError('module_missing', 'the policy cannot be instantiated', { cause });
    }
    const instance = opened(exports);
    yield;
    yield* loading(instance, this.#config.data);
    const pointer = exports.entrypoints();
    for (const [number, name] of textsOf(instance, pointer).entries()) {
      const reads = this.#config.reads?.[name];
      instance.entrypoints.set(name, {
        number,
        members: reads && readMembers(reads, (key) => intern(instance, key)),
        project: reads && createProjection(reads),
      });
    }
    return instance;
  }
}

function notAModule(cause: unknown): ModuleError {
  return new ModuleError('module_missing', 'the policy is not a WebAssembly module', { cause });
}

function spared(instance: Instance): Instance {
  spare(instance.exports);
  return instance;
}

function trapped(exports: DecisionExports, cause: unknown): ModuleError {
  const failure = FAILURES[exports.failureOf()] ?? 'module_trapped';
  const code = failure === 'module_trapped' ? (exhaustedCode(exports) ?? failure) : failure;
  return new ModuleError(code, 'the evaluation of the policy ended without an answer', { cause });
}

function opened(exports: DecisionExports): Instance {
  const instance: Instance = {
    exports,
    memory: {
      ...{ words: new Int32Array(0), bytes: new Uint8Array(0), floats: new Float64Array(0) },
      ...{ null: 0, false: 0, true: 0 },
    },
    entrypoints: new Map(),
    answers: new Array(ANSWERS_KEPT).fill(undefined),
  };
  const { memory } = instance;
  for (const name of ['null', 'false', 'true'] as const) {
    memory[name] = parsed(instance, Buffer.from(name));
  }
  return instance;
}

/** The views of the memory as it is now: growing it detaches the old ones. */
function viewed({ exports, memory }: Instance): InputMemory {
  if (memory.bytes.length === 0) {
    const { buffer } = exports.memory;
    memory.words = new Int32Array(buffer);
    memory.bytes = new Uint8Array(buffer);
    memory.floats = new Float64Array(buffer);
  }
  return memory;
}

function place(instance: Instance, bytes: Uint8Array): number {
  const pointer = instance.exports.begin(bytes.length);
  if (pointer === 0) throw new InputError('input_too_large', 'the input is larger than 1 MiB');
  viewed(instance).bytes.set(bytes, pointer);
  return pointer;
}

/** The value of a JSON text; of no text, no input. */
function parsed(instance: Instance, text: Uint8Array): number {
  if (text.length === 0) {
    instance.exports.begin(0);
    return UNDEFINED_INPUT;
  }
  if (text.length > INPUT_BYTES_MAX) {
    throw new InputError('input_too_large', 'the input is larger than 1 MiB');
  }
  return rooted(instance, place(instance, text), text.length);
}

function rooted({ exports }: Instance, pointer: number, length: number): number {
  const root = exports.parse(pointer, length);
  if (root === 0) throw inputError(exports.jsonError());
  return root;
}

function* loading(instance: Instance, data: Uint8Array): Generator<void> {
  const { exports } = instance;
  let state = MORE;
  try {
    const pointer = exports.begin(data.length);
    if (pointer === 0) throw new RangeError('more than a module takes');
    for (let at = 0; at < data.length; at += PIECE_BYTES) {
      viewed(instance).bytes.set(data.subarray(at, at + PIECE_BYTES), pointer + at);
      yield;
    }
    exports.loadBegin(pointer, data.length);
    while (state === MORE) {
      state = exports.loadNext(PIECE_BYTES);
      yield;
    }
  } catch (cause) {
    throw new ModuleError('module_trapped', 'the data bundle does not fit the policy module', {
      cause,
    });
  }
  if (state !== 0) throw inputError(state);
}

function intern(instance: Instance, name: string): number {
  const bytes = Buffer.from(name);
  return instance.exports.intern(place(instance, bytes), bytes.length);
}

function remembered(instance: Instance, number: number): Answer {
  const answer = answerOf(textOf(instance, instance.exports.answerText(number)).slice());
  instance.answers[number % ANSWERS_KEPT] = { number, answer };
  return answer;
}

function textOf(instance: Instance, pointer: number): Uint8Array {
  const { words, bytes } = viewed(instance);
  const start = pointer + TEXT;
  return bytes.subarray(start, start + words[(pointer + LENGTH) >> 2]!);
}

function textsOf(instance: Instance, pointer: number): string[] {
  const { words } = viewed(instance);
  const elements = words[(pointer + ELEMENTS) >> 2]!;
  return Array.from({ length: words[(pointer + LENGTH) >> 2]! }, (_, index) =>
    Buffer.from(textOf(instance, words[(elements >> 2) + index]!)).toString(),
  );
}
