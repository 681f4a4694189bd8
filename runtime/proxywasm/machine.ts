// One instance of a filter: its imports, its plugin context, and its callbacks, any of which may trap.
import { ModuleError } from '../errors.ts';
import { Context } from './context.ts';
import { type CallScope, hostFunctions } from './hostcalls.ts';
import { GuestMemory } from './memory.ts';
import type { Plugin } from './plugin.ts';
import { wasiFunction } from './wasi.ts';

const ROOT = 1;
/** A filter that takes more than this is taken for one that will not stop. */
const MEMORY_BYTES_MAX = 256 << 20;
const TICK_MS_MIN = 100;
const ABI_MARKS = ['proxy_abi_version_0_2_1', 'proxy_abi_version_0_2_0'];

type Callback = (...values: number[]) => number | undefined;

/** A running filter; after a trap its memory may be in any state, and it is not called again. */
export class Machine implements CallScope {
  readonly plugin: Plugin;
  readonly #exports: Record<string, unknown>;
  readonly #contexts = new Map<number, Context>();
  readonly #root = new Context(ROOT);
  memory: GuestMemory;
  effective = this.#root;
  isDead = false;
  #lastId = ROOT;
  #isRetired = false;
  #tick: NodeJS.Timeout | undefined;

  /**
   * Instantiates and configures the plugin.
   * @throws ModuleError `module_missing` for a module of another ABI or with imports that no proxy has,
   *   `module_trapped` when it traps, `module_output_invalid` when it refuses its configuration
   */
  constructor(module: WebAssembly.Module, plugin: Plugin) {
    this.plugin = plugin;
    // No import may touch the memory before there is one: a start function that tries is refused.
    this.memory = new GuestMemory(new WebAssembly.Memory({ initial: 0 }), () => 0);
    try {
      this.#exports = new WebAssembly.Instance(module, this.#imports(module)).exports;
    } catch (cause) {
      if (cause instanceof ModuleError) throw cause;
      throw new ModuleError('module_missing', 'the filter cannot be instantiated', { cause });
    }
    const { memory } = this.#exports;
    const allocate = this.#callback('proxy_on_memory_allocate') ?? this.#callback('malloc');
    if (!(memory instanceof WebAssembly.Memory) || allocate === undefined) {
      throw new ModuleError('module_missing', 'the filter exports no memory or no allocator');
    }
    if (!ABI_MARKS.some((mark) => mark in this.#exports)) {
      throw new ModuleError('module_missing', 'the filter is not of the proxy-wasm ABI 0.2');
    }
    this.memory = new GuestMemory(memory, (bytes) => allocate(bytes) ?? 0);
    this.#contexts.set(ROOT, this.#root);
    this.#start();
  }

  /** Whether the filter has this callback. */
  has(name: string): boolean {
    return this.#callback(name) !== undefined;
  }

  context(id: number): Context | undefined {
    return this.#contexts.get(id);
  }

  /** Runs a callback for a context, if the filter has it; throws ModuleError `module_trapped`. */
  call(context: Context, name: string, ...values: number[]): number | undefined {
    if (this.isDead) throw new ModuleError('module_trapped', 'the filter has trapped before');
    const callback = this.#callback(name);
    if (callback === undefined) return undefined;
    this.effective = context;
    this.plugin.beginCall();
    try {
      const result = callback(...values);
      if (this.memory.size > MEMORY_BYTES_MAX) throw new Error('the filter takes too much memory');
      return result;
    } catch (cause) {
      this.close();
      throw new ModuleError('module_trapped', `the filter trapped in ${name}`, { cause });
    }
  }

  /** Creates the context of a stream. */
  open(create: (id: number) => Context): Context {
    // Ids come again only after four thousand million streams, when the old ones are long gone.
    do this.#lastId = (this.#lastId + 1) >>> 0;
    while (this.#lastId <= ROOT || this.#contexts.has(this.#lastId));
    const context = create(this.#lastId);
    this.#contexts.set(context.id, context);
    this.call(context, 'proxy_on_context_create', context.id, ROOT);
    return context;
  }

  /** Ends a context: done, log, delete. What the filter does now changes nothing any more. */
  finish(context: Context): void {
    if (!this.#contexts.has(context.id)) return;
    try {
      this.call(context, 'proxy_on_done', context.id);
      this.call(context, 'proxy_on_log', context.id);
      this.call(context, 'proxy_on_delete', context.id);
    } catch {
      // The instance is dropped; the stream is over either way.
    } finally {
      this.#contexts.delete(context.id);
      if (this.#isRetired) this.retire();
    }
  }

  setTickPeriod(periodMs: number): void {
    clearInterval(this.#tick);
    this.#tick = undefined;
    if (periodMs === 0 || this.isDead || this.#isRetired) return;
    const bounded = Math.min(Math.max(periodMs, TICK_MS_MIN), 0x7fffffff);
    this.#tick = setInterval(() => {
      try {
        this.call(this.#root, 'proxy_on_tick', ROOT);
      } catch {
        // `call` has closed the instance; the next stream gets a fresh one.
      }
    }, bounded);
    this.#tick.unref();
  }

  /** Ends the instance once its last stream is over; the caller opens no more. */
  retire(): void {
    this.#isRetired = true;
    clearInterval(this.#tick);
    if (this.#contexts.size <= 1) this.close();
  }

  /** Ends the instance: no callback runs any more. */
  close(): void {
    this.isDead = true;
    clearInterval(this.#tick);
    this.#contexts.clear();
  }

  #start(): void {
    if (this.#callback('_initialize') !== undefined) {
      this.call(this.#root, '_initialize');
      this.call(this.#root, 'main', 0, 0);
    } else {
      this.call(this.#root, '_start');
    }
    this.call(this.#root, 'proxy_on_context_create', ROOT, 0);
    if (this.call(this.#root, 'proxy_on_vm_start', ROOT, 0) === 0) {
      throw this.#refused('the filter refuses to start');
    }
    const { length } = this.plugin.config.configuration;
    if (this.call(this.#root, 'proxy_on_configure', ROOT, length) === 0) {
      throw this.#refused('the filter refuses its configuration');
    }
  }

  #refused(message: string): ModuleError {
    this.close();
    return new ModuleError('module_output_invalid', message);
  }

  #callback(name: string): Callback | undefined {
    const value = this.#exports[name];
    return typeof value === 'function' ? (value as Callback) : undefined;
  }

  #imports(module: WebAssembly.Module): WebAssembly.Imports {
    const env = hostFunctions(this);
    const imports: Record<string, Record<string, WebAssembly.ImportValue>> = {};
    for (const { module: owner, name, kind } of WebAssembly.Module.imports(module)) {
      const found =
        owner === 'env'
          ? env[name]
          : owner === 'wasi_snapshot_preview1'
            ? wasiFunction(this, name)
            : undefined;
      if (kind !== 'function' || found === undefined) {
        throw new ModuleError('module_missing', `no proxy has the import ${owner}.${name}`);
      }
      imports[owner] = { ...imports[owner], [name]: found };
    }
    return imports;
  }
}
