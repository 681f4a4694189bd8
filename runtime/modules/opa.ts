// Hosts OPA's own policy module (Wasm ABI 1.2 and later), for policies that our compiler does not take.
import { InputError, ModuleError, PlatformError } from '../errors.ts';
import type { JsonValue } from '../json.ts';
import { exhaustedCode, type MeterExports } from '../metering/exhausted.ts';
import { type Answer, answerOf, type PolicyHost } from './answer.ts';
import { createProjection, type Projection } from './projection.ts';

const PAGE_BYTES = 64 * 1024;
const INITIAL_PAGES = 8;
/** 64 MiB: the data bundle, one input of at most 1 MiB and what the policy builds from it. */
const PAGES_MAX = 1024;
const INPUT_BYTES_MAX = 1 << 20;
const ANSWERS_KEPT = 32;
const ABI_VERSION = 1;
const ABI_MINOR_VERSION = 2;

/** The result set of one evaluation is `[{"result":…}]`. */
const RESULT_PREFIX = Buffer.from('[{"result":');
const RESULT_SUFFIX = Buffer.from('}]');

/** OPA's exports, https://www.openpolicyagent.org/docs/wasm#exports */
interface PolicyExports extends MeterExports {
  opa_wasm_abi_version: WebAssembly.Global;
  opa_wasm_abi_minor_version: WebAssembly.Global;
  entrypoints(): number;
  builtins(): number;
  opa_malloc(bytes: number): number;
  opa_json_parse(pointer: number, length: number): number;
  opa_json_dump(value: number): number;
  opa_heap_ptr_get(): number;
  opa_eval(
    reserved: 0,
    entrypoint: number,
    data: number,
    input: number,
    inputLength: number,
    heap: number,
    format: 0,
  ): number;
}

/** One instance with the data bundle in its memory; `heap` is where each evaluation begins. */
interface Instance {
  exports: PolicyExports;
  memory: WebAssembly.Memory;
  bytes: Buffer;
  data: number;
  heap: number;
}

interface Entrypoint {
  number: number;
  project: Projection | undefined;
  /** Answers seen lately: one that comes again is the same object. */
  answers: KnownAnswer[];
  last: KnownAnswer | undefined;
}

interface KnownAnswer extends Answer {
  /** The result set as OPA writes it, with its final NUL. */
  text: Buffer;
}

export interface OpaPolicyConfig {
  /** OPA's `policy.wasm`, compiled with the platform's capabilities: no host-supplied built-ins. */
  wasm: Uint8Array;
  /** `data.json` of the data bundle. */
  data: Uint8Array;
  /**
   * By entrypoint, JSON Pointers of what its rules may read, as the compiler found; what none covers
   * is not parsed. An entrypoint without an entry gets the whole input.
   */
  reads?: Record<string, readonly string[]>;
}

/**
 * The compiled policies with one data bundle. A trap costs the instance, and the next call gets a
 * fresh one with the data loaded again.
 */
export class OpaPolicy implements PolicyHost {
  readonly #module: WebAssembly.Module;
  readonly #data: Uint8Array;
  readonly #entrypoints = new Map<string, Entrypoint>();
  #instance: Instance | undefined;

  private constructor(config: OpaPolicyConfig) {
    try {
      this.#module = new WebAssembly.Module(config.wasm as Uint8Array<ArrayBuffer>);
    } catch (cause) {
      throw new ModuleError('module_missing', 'the policy is not a WebAssembly module', { cause });
    }
    this.#data = config.data;
    const instance = this.#start();
    const supplied = Object.keys(dump(instance, instance.exports.builtins()));
    if (supplied.length > 0) {
      throw new ModuleError(
        'module_missing',
        `the policy needs built-ins from its host: ${supplied.join(', ')}`,
        { hint: 'compile it with policies/capabilities.json' },
      );
    }
    const entrypoints = dump(instance, instance.exports.entrypoints()) as Record<string, number>;
    for (const [name, number] of Object.entries(entrypoints)) {
      const reads = config.reads?.[name];
      const project = reads === undefined ? undefined : createProjection(reads);
      this.#entrypoints.set(name, { number, project, answers: [], last: undefined });
    }
    this.#instance = load(instance, this.#data);
  }

  /**
   * Compiles the policy and loads the data.
   * @throws ModuleError `module_missing` for a policy of another ABI or with host-supplied built-ins,
   *   `module_trapped` for data that is no JSON or exceeds the module's memory
   */
  static create(config: OpaPolicyConfig): OpaPolicy {
    return new OpaPolicy(config);
  }

  /** Names such as `platform/tool/decision`. */
  get entrypoints(): string[] {
    return [...this.#entrypoints.keys()];
  }

  decide(entrypoint: string, input: JsonValue): Answer {
    return this.decideBytes(entrypoint, Buffer.from(JSON.stringify(input)));
  }

  decideBytes(entrypoint: string, input: Uint8Array): Answer {
    const entry = this.#entrypoints.get(entrypoint);
    if (entry === undefined) {
      throw new ModuleError('bundle_entrypoint_missing', `the policy has no rule ${entrypoint}`);
    }
    if (input.length > INPUT_BYTES_MAX) {
      throw new InputError('input_too_large', 'the input is larger than 1 MiB');
    }
    try {
      this.#instance ??= load(this.#start(), this.#data);
      return run(this.#instance, entry, input);
    } catch (cause) {
      if (cause instanceof PlatformError && cause.code !== 'module_trapped') throw cause;
      const code = this.#instance && exhaustedCode(this.#instance.exports);
      this.#instance = undefined;
      if (code === undefined && cause instanceof PlatformError) throw cause;
      throw new ModuleError(code ?? 'module_trapped', 'the policy module trapped', { cause });
    }
  }

  #start(): Instance {
    const memory = new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum: PAGES_MAX });
    const supplied = () => {
      throw new ModuleError('module_trapped', 'the policy called a built-in of its host');
    };
    const env = {
      memory,
      opa_abort: (pointer: number) => {
        throw new ModuleError('module_trapped', `the policy aborted: ${text(memory, pointer)}`);
      },
      opa_println: supplied,
      opa_builtin0: supplied,
      opa_builtin1: supplied,
      opa_builtin2: supplied,
      opa_builtin3: supplied,
      opa_builtin4: supplied,
    };
    let exports: PolicyExports;
    try {
      exports = new WebAssembly.Instance(this.#module, { env }).exports as unknown as PolicyExports;
    } catch (cause) {
      throw new ModuleError('module_missing', 'the policy cannot be instantiated', { cause });
    }
    const major = exports.opa_wasm_abi_version?.value;
    const minor = exports.opa_wasm_abi_minor_version?.value;
    if (major !== ABI_VERSION || !(minor >= ABI_MINOR_VERSION)) {
      throw new ModuleError('module_missing', `the policy has OPA's Wasm ABI ${major}.${minor}`, {
        hint: 'compile it with platform policy build',
      });
    }
    return { exports, memory, bytes: Buffer.from(memory.buffer), data: 0, heap: 0 };
  }
}

function load(instance: Instance, data: Uint8Array): Instance {
  const { exports } = instance;
  try {
    const pointer = exports.opa_malloc(data.length);
    view(instance).set(data, pointer);
    instance.data = exports.opa_json_parse(pointer, data.length);
  } catch (cause) {
    throw new ModuleError('module_trapped', 'the data bundle does not fit the policy module', {
      cause,
    });
  }
  if (instance.data === 0) throw new ModuleError('module_trapped', 'the data bundle is not JSON');
  instance.heap = exports.opa_heap_ptr_get();
  return instance;
}

function run(instance: Instance, entry: Entrypoint, input: Uint8Array): KnownAnswer {
  const { data, heap, exports } = instance;
  let bytes = view(instance);
  const missing = heap + input.length - bytes.length;
  if (missing > 0) {
    instance.memory.grow(Math.ceil(missing / PAGE_BYTES));
    bytes = view(instance);
  }
  let length = entry.project === undefined ? -1 : entry.project(input, bytes, heap);
  if (length < 0) {
    bytes.set(input, heap);
    length = input.length;
  }
  const result = exports.opa_eval(0, entry.number, data, heap, length, heap + length, 0);
  bytes = view(instance);
  const { last } = entry;
  // Policies have few different answers; the last one is the likeliest.
  if (last !== undefined && same(last, bytes, result)) return last;
  return remembered(entry, bytes, result);
}

/** True when the text at `pointer` is that of the answer: one comparison, the final NUL included. */
function same(answer: KnownAnswer, bytes: Buffer, pointer: number): boolean {
  const { text } = answer;
  return bytes.compare(text, 0, text.length, pointer, pointer + text.length) === 0;
}

function remembered(entry: Entrypoint, bytes: Buffer, pointer: number): KnownAnswer {
  let answer = entry.answers.find((known) => same(known, bytes, pointer));
  if (answer === undefined) {
    answer = read(bytes, pointer);
    if (entry.answers.length >= ANSWERS_KEPT) entry.answers.shift();
    entry.answers.push(answer);
  }
  entry.last = answer;
  return answer;
}

/** Takes the value out of the result set at `pointer`, which is empty when the rule is undefined. */
function read(bytes: Buffer, pointer: number): KnownAnswer {
  const end = bytes.indexOf(0, pointer);
  const text = Buffer.from(bytes.subarray(pointer, end + 1));
  const value = text.subarray(RESULT_PREFIX.length, -RESULT_SUFFIX.length - 1);
  const framed =
    text.length > RESULT_PREFIX.length + RESULT_SUFFIX.length + 1 &&
    text.subarray(0, RESULT_PREFIX.length).equals(RESULT_PREFIX) &&
    text.subarray(-RESULT_SUFFIX.length - 1, -1).equals(RESULT_SUFFIX);
  if (end < 0 || !framed) {
    throw new ModuleError('module_output_invalid', 'the policy has no answer to this input');
  }
  return { text, ...answerOf(new Uint8Array(value)) };
}

/** The memory as it is now: growing it detaches the buffer, which leaves the view without length. */
function view(instance: Instance): Buffer {
  if (instance.bytes.length === 0) instance.bytes = Buffer.from(instance.memory.buffer);
  return instance.bytes;
}

function dump(instance: Instance, value: number): object {
  const pointer = instance.exports.opa_json_dump(value);
  return JSON.parse(text(instance.memory, pointer)) as object;
}

function text(memory: WebAssembly.Memory, pointer: number): string {
  const bytes = Buffer.from(memory.buffer);
  const end = bytes.indexOf(0, pointer);
  return bytes.toString('utf8', pointer, end);
}
