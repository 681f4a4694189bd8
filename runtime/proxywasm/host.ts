// Hosts a filter of the proxy-wasm ABI 0.2.1: one VM for many streams, a fresh one after a trap.
import { codeOf, ModuleError } from '../errors.ts';
import type { LogLevel } from './abi.ts';
import { ACTION_CONTINUE, ACTION_PAUSE, MAP } from './abi.ts';
import { Context, failedVerdict } from './context.ts';
import type {
  Filter,
  FilterProperties,
  FilterStream,
  FilterVerdict,
  HeaderPairs,
} from './filter.ts';
import { HeaderMap } from './header-map.ts';
import { JoinedBytes } from './joined-bytes.ts';
import { Machine } from './machine.ts';
import { Plugin } from './plugin.ts';
import { createRandom } from './random.ts';

export interface FilterHostConfig {
  /** The filter: a proxy-wasm module, such as `filter.wasm` of a policy bundle. */
  wasm: Uint8Array;
  /** The plugin's configuration, as the filter reads it. */
  configuration: Uint8Array;
  /** What the filter logs, one line a call; by default nowhere. */
  log?: (level: LogLevel, message: string) => void;
  clock?: () => Date;
  /** Fills the bytes at random; by default from the system. */
  random?: (bytes: Uint8Array) => void;
}

/** The largest body that a filter may wait for; it is held in memory until the filter decides. */
const BODY_BYTES_MAX = 16 << 20;

/**
 * Compiles and configures a filter. It sees and changes heads; where it pauses at the head of a request
 * it gets the body too, to decide on and not to change. It has no calls of its own to other services. A
 * callback that traps, closes the stream, or pauses where nothing more can come ends in 503; nothing
 * passes that the filter did not let pass.
 * @throws ModuleError `module_missing` when the bytes are no such filter, `module_trapped` or
 *   `module_output_invalid` when it does not take its configuration
 */
export function createFilterHost(config: FilterHostConfig): Filter {
  return new FilterHost(config);
}

class FilterHost implements Filter {
  readonly #module: WebAssembly.Module;
  readonly #plugin: Plugin;
  #machine: Machine | undefined;
  #isClosed = false;

  constructor(config: FilterHostConfig) {
    this.#module = compile(config.wasm);
    this.#plugin = new Plugin({
      configuration: config.configuration,
      log: config.log ?? (() => {}),
      clock: config.clock ?? (() => new Date()),
      random: config.random ?? createRandom(),
    });
    this.#machine = new Machine(this.#module, this.#plugin);
  }

  stream(properties: FilterProperties): FilterStream {
    try {
      const machine = this.#alive();
      return new HostedStream(
        machine,
        machine.open((id) => new Context(id, properties)),
      );
    } catch (error) {
      return failedStream(error);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#machine?.retire();
    this.#machine = undefined;
  }

  #alive(): Machine {
    if (this.#isClosed) throw new ModuleError('module_missing', 'the filter is closed');
    if (this.#machine === undefined || this.#machine.isDead) {
      this.#machine = undefined;
      this.#machine = new Machine(this.#module, this.#plugin);
    }
    return this.#machine;
  }
}

/** Compiled filters by their bytes: new data for the same policy makes another filter of the same module. */
const compiled = new WeakMap<Uint8Array, WebAssembly.Module>();

function compile(wasm: Uint8Array): WebAssembly.Module {
  const known = compiled.get(wasm);
  if (known !== undefined) return known;
  try {
    const module = new WebAssembly.Module(wasm as Uint8Array<ArrayBuffer>);
    compiled.set(wasm, module);
    return module;
  } catch (cause) {
    throw new ModuleError('module_missing', 'the filter is not a WebAssembly module', { cause });
  }
}

class HostedStream implements FilterStream {
  readonly #machine: Machine;
  readonly #context: Context;

  constructor(machine: Machine, context: Context) {
    this.#machine = machine;
    this.#context = context;
  }

  requestHeaders(headers: HeaderPairs, endOfStream: boolean): FilterVerdict {
    const map = this.#open(MAP.requestHeaders, headers);
    const mayWait = !endOfStream && this.#machine.has('proxy_on_request_body');
    const values = [map.pairs.length, endOfStream ? 1 : 0];
    const verdict = this.#call('proxy_on_request_headers', values, map, mayWait);
    if (verdict.kind === 'wait') this.#context.body = new JoinedBytes();
    return verdict;
  }

  requestBody(chunk: Uint8Array, endOfStream: boolean): FilterVerdict {
    const { body } = this.#context;
    const map = this.#context.maps.get(MAP.requestHeaders);
    if (body === undefined || map === undefined) {
      return failedVerdict('module_output_invalid', 'the filter does not wait for a body');
    }
    body.add(chunk);
    const verdict =
      body.length > BODY_BYTES_MAX
        ? failedVerdict('body_too_large', 'the body is larger than any filter may wait for')
        : this.#call(
            'proxy_on_request_body',
            [body.length, endOfStream ? 1 : 0],
            map,
            !endOfStream,
          );
    if (verdict.kind !== 'wait') this.#context.body = undefined;
    return verdict;
  }

  responseHeaders(headers: HeaderPairs, endOfStream: boolean): FilterVerdict {
    const map = this.#open(MAP.responseHeaders, headers);
    const values = [map.pairs.length, endOfStream ? 1 : 0];
    return this.#call('proxy_on_response_headers', values, map, false);
  }

  facts(): ReadonlyMap<string, string> {
    return this.#context.facts;
  }

  end(): void {
    this.#machine.finish(this.#context);
  }

  #open(id: number, headers: HeaderPairs): HeaderMap {
    const map = new HeaderMap(headers);
    this.#context.maps.set(id, map);
    return map;
  }

  /** Runs one callback; `mayWait` where more of the request can follow that the filter would see. */
  #call(name: string, values: number[], map: HeaderMap, mayWait: boolean): FilterVerdict {
    const context = this.#context;
    context.answer = undefined;
    try {
      const action = this.#machine.call(context, name, context.id, ...values);
      if (context.answer !== undefined) return context.answer;
      if (context.isClosed) return failedVerdict('service_unavailable', 'the filter closed this');
      if (action === undefined || action === ACTION_CONTINUE) {
        return { kind: 'continue', headers: map.pairs };
      }
      if (action === ACTION_PAUSE && mayWait) return { kind: 'wait', headers: map.pairs };
      return failedVerdict(
        'module_output_invalid',
        'the filter paused, and nothing could resume it',
      );
    } catch (error) {
      return failedVerdict(codeOf(error), 'the filter failed');
    }
  }
}

/** A stream for which there is no filter: it is refused. */
function failedStream(error: unknown): FilterStream {
  const verdict = () => failedVerdict(codeOf(error), 'the filter failed');
  const facts = new Map<string, string>();
  return {
    ...{ requestHeaders: verdict, requestBody: verdict, responseHeaders: verdict },
    facts: () => facts,
    end: () => {},
  };
}
