// The part of WASI preview 1 that filters get: output as log, a clock, randomness, and nothing of the machine.
// https://github.com/proxy-wasm/spec/tree/main/abi-versions/v0.2.1#unimplemented-wasi-functions
import { WASI } from './abi.ts';
import type { CallScope } from './hostcalls.ts';
import { MemoryAccess } from './memory.ts';

const RANDOM_BYTES_MAX = 65_536;
const VECTORS_MAX = 64;
const LOG_BYTES_MAX = 8192;
const REALTIME = 0;
const MONOTONIC = 1;

type WasiFunction = (...values: (number & bigint)[]) => number;

/** The module ended itself: a trap like any other. */
class Exit extends Error {}

/** The functions that do something; every other one of WASI answers ENOSYS. */
export function wasiFunction(scope: CallScope, name: string): WasiFunction {
  const call = (known(scope) as Record<string, WasiFunction>)[name];
  if (call === undefined) return () => WASI.nosys;
  return (...values) => {
    try {
      return call(...values);
    } catch (error) {
      if (error instanceof MemoryAccess) return WASI.fault;
      throw error;
    }
  };
}

function known(scope: CallScope) {
  const none = (count: number, bytes: number): number => {
    scope.memory.writeU32(count, 0);
    scope.memory.writeU32(bytes, 0);
    return WASI.success;
  };
  return {
    args_sizes_get: none,
    args_get: () => WASI.success,
    environ_sizes_get: none,
    environ_get: () => WASI.success,
    sched_yield: () => WASI.success,
    proc_exit(code: number): number {
      throw new Exit(`the filter ended with ${code}`);
    },
    random_get(pointer: number, length: number): number {
      if (length >>> 0 > RANDOM_BYTES_MAX) return WASI.inval;
      scope.plugin.config.random(scope.memory.view(pointer, length));
      return WASI.success;
    },
    clock_time_get(clock: number, _precision: bigint, returnTime: number): number {
      if (clock !== REALTIME && clock !== MONOTONIC) return WASI.notsup;
      const now = BigInt(scope.plugin.config.clock().getTime()) * 1_000_000n;
      scope.memory.writeU64(returnTime, clock === REALTIME ? now : process.hrtime.bigint());
      return WASI.success;
    },
    fd_write(descriptor: number, vectors: number, count: number, returnLength: number): number {
      if (descriptor !== 1 && descriptor !== 2) return WASI.badf;
      if (count >>> 0 > VECTORS_MAX) return WASI.inval;
      let length = 0;
      let text = '';
      for (let index = 0; index < count; index++) {
        const at = scope.memory.readU32(vectors + index * 8);
        const bytes = scope.memory.readU32(vectors + index * 8 + 4);
        length += bytes;
        if (text.length < LOG_BYTES_MAX) text += scope.memory.utf8(at, bytes);
      }
      scope.plugin.log(descriptor === 1 ? 'info' : 'error', text.slice(0, LOG_BYTES_MAX).trimEnd());
      scope.memory.writeU32(returnLength, length);
      return WASI.success;
    },
    fd_close: () => WASI.badf,
    fd_seek: () => WASI.badf,
    fd_read: () => WASI.badf,
    fd_fdstat_get: () => WASI.badf,
    fd_prestat_get: () => WASI.badf,
    fd_prestat_dir_name: () => WASI.badf,
  };
}
