// Numbers of the proxy-wasm ABI 0.2.1 and of the part of WASI that it takes along.
// https://github.com/proxy-wasm/spec/tree/main/abi-versions/v0.2.1#types

/** `proxy_status_t`. */
export const STATUS = {
  ok: 0,
  notFound: 1,
  badArgument: 2,
  invalidMemoryAccess: 6,
  casMismatch: 8,
  internalFailure: 10,
  unimplemented: 12,
} as const;

/** `proxy_action_t`. */
export const ACTION_CONTINUE = 0;
export const ACTION_PAUSE = 1;

/** `proxy_buffer_type_t`: those that exist outside of answers and calls. */
export const BUFFER = {
  requestBody: 0,
  vmConfiguration: 6,
  pluginConfiguration: 7,
  last: 8,
} as const;

/** `proxy_map_type_t`: the heads of the stream; trailers and what belongs to calls are not offered. */
export const MAP = { requestHeaders: 0, responseHeaders: 2, last: 7 } as const;

/** `proxy_stream_type_t`: up to here they are HTTP. */
export const STREAM = { response: 1, last: 3 } as const;

/** `proxy_metric_type_t`. */
export const METRIC = { counter: 0, histogram: 2 } as const;

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'critical'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** `wasi_errno_t`. */
export const WASI = { success: 0, badf: 8, fault: 21, inval: 28, nosys: 52, notsup: 58 } as const;
