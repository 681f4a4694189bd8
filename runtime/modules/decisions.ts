// Hosts `decisions.wasm`, the policies compiled to our own engine: one input in, one decision out.
import { setImmediate } from 'node:timers/promises';
import { InputError, ModuleError, PlatformError } from '../errors.ts';
import type { JsonValue } from '../json.ts';
import { exhaustedCode, isExhausted, spare } from '../metering/exhausted.ts';
import type { Answer, PolicyHost } from './answer.ts';
import { canonicalValue } from './canonical-value.ts';
import { InputWriter, readMembers } from './decision-input.ts';
import {
  answered,
  type DecisionExports,
  type Entrypoint,
  type Instance,
  intern,
  loading,
  opened,
  parsed,
  rooted,
  textsOf,
  viewed,
} from './decision-instance.ts';
import { createProjection } from './projection.ts';

const INPUT_BYTES_MAX = 1 << 20;
/** Room for an input written as values; a larger one goes in as JSON text. */
const TREE_BYTES = 64 * 1024;
const UNDEFINED = -1;

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
      return answered(instance, number);
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
