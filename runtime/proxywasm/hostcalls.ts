// The functions that a filter may call: all of ABI 0.2.1; what needs a network of its own is not offered.
// https://github.com/proxy-wasm/spec/tree/main/abi-versions/v0.2.1
import { BUFFER, LOG_LEVELS, MAP, METRIC, STATUS, STREAM } from './abi.ts';
import type { Context } from './context.ts';
import { type HeaderMap, isLegal } from './header-map.ts';
import { type GuestMemory, MemoryAccess } from './memory.ts';
import { decodePairs, encodePairs } from './pairs.ts';
import type { Plugin } from './plugin.ts';
import { propertyOf } from './property.ts';

const BODY_BYTES_MAX = 1 << 20;
const DETAIL_BYTES_MAX = 1024;
const LOG_BYTES_MAX = 8192;

/** What the functions work on: the instance that calls, and the context that it is called for. */
export interface CallScope {
  readonly plugin: Plugin;
  memory: GuestMemory;
  /** The context of the callback, until the filter changes it. */
  effective: Context;
  context(id: number): Context | undefined;
  setTickPeriod(periodMs: number): void;
}

export type HostFunction = (...values: (number & bigint)[]) => number;

/** The imports of module `env`. A pointer outside the memory is a status, never a trap of the host. */
export function hostFunctions(scope: CallScope): Record<string, HostFunction> {
  const functions = {
    ...logging(scope),
    ...buffers(scope),
    ...headers(scope),
    ...streams(scope),
    ...properties(scope),
    ...shared(scope),
    ...metrics(scope),
    ...unimplemented,
  } as unknown as Record<string, HostFunction>;
  return Object.fromEntries(
    Object.entries(functions).map(([name, call]) => [name, guarded(call)] as const),
  );
}

function guarded(call: HostFunction): HostFunction {
  return (...values) => {
    try {
      return call(...values);
    } catch (error) {
      if (error instanceof MemoryAccess) return STATUS.invalidMemoryAccess;
      throw error;
    }
  };
}

function logging(scope: CallScope) {
  const { plugin } = scope;
  return {
    proxy_log(level: number, pointer: number, length: number): number {
      const name = LOG_LEVELS[level];
      if (name === undefined) return STATUS.badArgument;
      plugin.log(name, scope.memory.utf8(pointer, Math.min(length >>> 0, LOG_BYTES_MAX)));
      return STATUS.ok;
    },
    proxy_get_log_level(returnLevel: number): number {
      scope.memory.writeU32(returnLevel, LOG_LEVELS.indexOf('info'));
      return STATUS.ok;
    },
    proxy_get_current_time_nanoseconds(returnTime: number): number {
      scope.memory.writeU64(returnTime, BigInt(plugin.config.clock().getTime()) * 1_000_000n);
      return STATUS.ok;
    },
    proxy_set_tick_period_milliseconds(period: number): number {
      scope.setTickPeriod(period >>> 0);
      return STATUS.ok;
    },
  };
}

function buffers(scope: CallScope) {
  const bufferOf = (id: number): Uint8Array | number => {
    if (id === BUFFER.pluginConfiguration) return scope.plugin.config.configuration;
    if (id === BUFFER.vmConfiguration) return new Uint8Array(0);
    const { body } = scope.effective;
    if (id === BUFFER.requestBody && body !== undefined) return body.whole();
    return id >>> 0 > BUFFER.last ? STATUS.badArgument : STATUS.notFound;
  };
  return {
    proxy_get_buffer_bytes(
      id: number,
      start: number,
      bytesMax: number,
      returnPointer: number,
      returnLength: number,
    ): number {
      const buffer = bufferOf(id);
      if (typeof buffer === 'number') return buffer;
      const from = start >>> 0;
      if (from > buffer.length) return STATUS.badArgument;
      const bytes = buffer.subarray(from, from + (bytesMax >>> 0));
      return scope.memory.give(bytes, returnPointer, returnLength);
    },
    proxy_get_buffer_status(id: number, returnLength: number, returnFlags: number): number {
      const buffer = bufferOf(id);
      if (typeof buffer === 'number') return buffer;
      scope.memory.writeU32(returnLength, buffer.length);
      scope.memory.writeU32(returnFlags, 0);
      return STATUS.ok;
    },
    // Configurations are not for the filter to change, and a body goes on as it came.
    proxy_set_buffer_bytes(id: number): number {
      const buffer = bufferOf(id);
      return typeof buffer === 'number' ? buffer : STATUS.badArgument;
    },
  };
}

function headers(scope: CallScope) {
  /** Calls `use` with the map, where there is one now. */
  const withMap = (id: number, use: (map: HeaderMap) => number): number => {
    const map = scope.effective.maps.get(id);
    if (map !== undefined) return use(map);
    // A map that exists in other callbacks only reads as absent.
    return id >>> 0 > MAP.last ? STATUS.badArgument : STATUS.notFound;
  };
  const written = (isLegalChange: boolean) => (isLegalChange ? STATUS.ok : STATUS.badArgument);
  const text = (pointer: number, length: number) => scope.memory.text(pointer, length);
  return {
    proxy_get_header_map_size: (id: number, returnLength: number): number =>
      withMap(id, (map) => {
        scope.memory.writeU32(returnLength, encodePairs(map.pairs).length);
        return STATUS.ok;
      }),
    proxy_get_header_map_pairs: (id: number, pointer: number, length: number): number =>
      withMap(id, (map) => scope.memory.give(encodePairs(map.pairs), pointer, length)),
    proxy_set_header_map_pairs: (id: number, pointer: number, length: number): number =>
      withMap(id, (map) => {
        const pairs = decodePairs(scope.memory.view(pointer, length));
        return pairs === undefined ? STATUS.badArgument : written(map.set(pairs));
      }),
    proxy_get_header_map_value: (
      id: number,
      name: number,
      nameLength: number,
      pointer: number,
      length: number,
    ): number =>
      withMap(id, (map) => {
        const value = map.value(text(name, nameLength));
        if (value === undefined) return STATUS.notFound;
        return scope.memory.give(Buffer.from(value, 'latin1'), pointer, length);
      }),
    proxy_add_header_map_value: (id: number, ...at: [number, number, number, number]): number =>
      withMap(id, (map) => written(map.add(text(at[0], at[1]), text(at[2], at[3])))),
    proxy_replace_header_map_value: (id: number, ...at: [number, number, number, number]): number =>
      withMap(id, (map) => written(map.replace(text(at[0], at[1]), text(at[2], at[3])))),
    proxy_remove_header_map_value: (id: number, name: number, length: number): number =>
      withMap(id, (map) => {
        map.remove(text(name, length));
        return STATUS.ok;
      }),
  };
}

function streams(scope: CallScope) {
  return {
    proxy_send_local_response(
      status: number,
      detail: number,
      detailLength: number,
      body: number,
      bodyLength: number,
      pairs: number,
      pairsLength: number,
    ): number {
      const fields = decodePairs(scope.memory.view(pairs, pairsLength));
      const isStatus = status >= 200 && status <= 599;
      if (fields === undefined || !isStatus) return STATUS.badArgument;
      const lower = fields.map(([name, value]): [string, string] => [name.toLowerCase(), value]);
      const isTooLarge = bodyLength >>> 0 > BODY_BYTES_MAX || detailLength >>> 0 > DETAIL_BYTES_MAX;
      if (isTooLarge || !isLegal(lower) || lower.some(([name]) => name.startsWith(':'))) {
        return STATUS.badArgument;
      }
      // The first answer counts: what follows could contradict what was sent.
      scope.effective.answer ??= {
        kind: 'respond',
        status,
        headers: lower,
        body: scope.memory.read(body, bodyLength),
        detail: scope.memory.text(detail, detailLength),
      };
      return STATUS.ok;
    },
    // What waits here waits for the body, which comes by itself.
    proxy_continue_stream: (stream: number): number =>
      stream >>> 0 > STREAM.last ? STATUS.badArgument : STATUS.unimplemented,
    proxy_close_stream(stream: number): number {
      if (stream >>> 0 > STREAM.response) {
        return stream >>> 0 > STREAM.last ? STATUS.badArgument : STATUS.unimplemented;
      }
      scope.effective.isClosed = true;
      return STATUS.ok;
    },
    proxy_set_effective_context(id: number): number {
      const context = scope.context(id >>> 0);
      if (context === undefined) return STATUS.badArgument;
      scope.effective = context;
      return STATUS.ok;
    },
    // A context is freed when the proxy is done with it; none waits for the filter.
    proxy_done: (): number => STATUS.notFound,
  };
}

function properties(scope: CallScope) {
  const text = (pointer: number, length: number) => scope.memory.text(pointer, length);
  return {
    proxy_get_property(path: number, pathLength: number, pointer: number, length: number): number {
      const value = propertyOf(scope.effective, text(path, pathLength));
      return value === undefined ? STATUS.notFound : scope.memory.give(value, pointer, length);
    },
    proxy_set_property(path: number, pathLength: number, value: number, length: number): number {
      const name = text(path, pathLength).replaceAll('\0', '.');
      // What the connection says is not for a filter to say otherwise.
      if (scope.effective.properties.has(name)) return STATUS.badArgument;
      const isSet = scope.effective.setFact(name, scope.memory.utf8(value, length));
      return isSet ? STATUS.ok : STATUS.internalFailure;
    },
    proxy_call_foreign_function: (): number => STATUS.notFound,
  };
}

function shared(scope: CallScope) {
  const { plugin } = scope;
  return {
    proxy_get_shared_data(
      key: number,
      keyLength: number,
      pointer: number,
      length: number,
      returnVersion: number,
    ): number {
      const found = plugin.sharedData(scope.memory.text(key, keyLength));
      if (found === undefined) return STATUS.notFound;
      scope.memory.writeU32(returnVersion, found.version);
      return scope.memory.give(found.value, pointer, length);
    },
    proxy_set_shared_data(
      key: number,
      keyLength: number,
      value: number,
      length: number,
      version: number,
    ): number {
      const name = scope.memory.text(key, keyLength);
      const outcome = plugin.setSharedData(name, scope.memory.read(value, length), version >>> 0);
      if (outcome === 'set') return STATUS.ok;
      return outcome === 'conflict' ? STATUS.casMismatch : STATUS.internalFailure;
    },
  };
}

function metrics(scope: CallScope) {
  const { plugin } = scope;
  return {
    proxy_define_metric(type: number, name: number, length: number, returnId: number): number {
      if (type >>> 0 > METRIC.histogram) return STATUS.badArgument;
      const id = plugin.defineMetric(type, scope.memory.text(name, length));
      if (id === 0) return STATUS.internalFailure;
      scope.memory.writeU32(returnId, id);
      return STATUS.ok;
    },
    proxy_record_metric: (id: number, value: bigint): number =>
      plugin.recordMetric(id >>> 0, value) ? STATUS.ok : STATUS.notFound,
    proxy_increment_metric(id: number, delta: bigint): number {
      if (plugin.metric(id >>> 0) === undefined) return STATUS.notFound;
      return plugin.incrementMetric(id >>> 0, delta) ? STATUS.ok : STATUS.badArgument;
    },
    proxy_get_metric(id: number, returnValue: number): number {
      const metric = plugin.metric(id >>> 0);
      if (metric === undefined) return STATUS.notFound;
      scope.memory.writeU64(returnValue, metric.value);
      return STATUS.ok;
    },
  };
}

const unimplemented = Object.fromEntries(
  [
    'proxy_http_call',
    'proxy_grpc_call',
    'proxy_grpc_stream',
    'proxy_grpc_send',
    'proxy_grpc_cancel',
    'proxy_grpc_close',
    'proxy_get_status',
    'proxy_register_shared_queue',
    'proxy_resolve_shared_queue',
    'proxy_enqueue_shared_queue',
    'proxy_dequeue_shared_queue',
  ].map((name) => [name, () => STATUS.unimplemented]),
);
