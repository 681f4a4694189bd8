// Runs a WASI preview 1 command with standard input and output in memory and nothing else.
import { randomFillSync } from 'node:crypto';
import { ModuleError } from '../errors.ts';

/** WASI errno values (preview 1, `$errno`). */
const SUCCESS = 0;
const BADF = 8;
const NOSYS = 52;

const CLOCK_REALTIME = 0;
const SUBSCRIPTION_BYTES = 48;
const EVENT_BYTES = 32;
const EVENT_CLOCK = 0;
const FILETYPE_CHARACTER_DEVICE = 2;

export interface CommandResult {
  exitCode: number;
  stdout: Uint8Array;
  stderr: Uint8Array;
}

class Exit extends Error {
  readonly exitCode: number;
  constructor(exitCode: number) {
    super(`exit ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/**
 * Runs `module` to its end and returns what it wrote. It sees no files, no environment, no network
 * and no arguments but its name. Throws ModuleError('module_trapped') when it traps, and
 * ModuleError('module_output_invalid') when it writes more than `outputBytesMax`.
 */
export function runCommand(
  module: WebAssembly.Module,
  stdin: Uint8Array,
  outputBytesMax = 64 << 20,
): CommandResult {
  const output = new Output(outputBytesMax);
  const instance: WebAssembly.Instance = new WebAssembly.Instance(module, {
    wasi_snapshot_preview1: calls(
      () => (instance.exports.memory as WebAssembly.Memory).buffer,
      stdin,
      output,
    ),
  });
  let exitCode = 0;
  try {
    (instance.exports._start as () => void)();
  } catch (error) {
    if (!(error instanceof Exit)) {
      if (error instanceof ModuleError) throw error;
      throw new ModuleError('module_trapped', `the command trapped: ${String(error)}`, {
        cause: error,
        data: { stderr: new TextDecoder().decode(output.bytes(2)).slice(0, 4096) },
      });
    }
    exitCode = error.exitCode;
  }
  return { exitCode, stdout: output.bytes(1), stderr: output.bytes(2) };
}

class Output {
  readonly #chunks: [Uint8Array[], Uint8Array[]] = [[], []];
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  write(descriptor: 1 | 2, chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#bytesMax) {
      throw new ModuleError('module_output_invalid', 'the command wrote more than its limit');
    }
    this.#chunks[descriptor - 1]!.push(chunk.slice());
  }

  bytes(descriptor: 1 | 2): Uint8Array {
    return Buffer.concat(this.#chunks[descriptor - 1]!);
  }
}

/** The functions that Go's wasip1 port imports; everything about files answers "bad descriptor". */
function calls(
  buffer: () => ArrayBufferLike,
  stdin: Uint8Array,
  output: Output,
): Record<string, (...values: never[]) => number> {
  const view = () => new DataView(buffer());
  const bytes = () => new Uint8Array(buffer());
  let consumed = 0;
  const badf = () => BADF;
  return {
    ...strings('args', ['rego'], view, bytes),
    ...strings('environ', [], view, bytes),
    sched_yield: () => SUCCESS,
    proc_exit: (exitCode: number) => {
      throw new Exit(exitCode);
    },
    clock_time_get: (clock: number, _precision: bigint, result: number) => {
      const now =
        clock === CLOCK_REALTIME ? BigInt(Date.now()) * 1_000_000n : process.hrtime.bigint();
      view().setBigUint64(result, now, true);
      return SUCCESS;
    },
    random_get: (pointer: number, length: number) => {
      randomFillSync(bytes().subarray(pointer, pointer + length));
      return SUCCESS;
    },
    fd_read: (descriptor: number, vectors: number, count: number, result: number) => {
      if (descriptor !== 0) return BADF;
      let read = 0;
      for (const target of slices(view(), bytes(), vectors, count)) {
        const chunk = stdin.subarray(consumed, consumed + target.length);
        target.set(chunk);
        consumed += chunk.length;
        read += chunk.length;
      }
      view().setUint32(result, read, true);
      return SUCCESS;
    },
    fd_write: (descriptor: number, vectors: number, count: number, result: number) => {
      if (descriptor !== 1 && descriptor !== 2) return BADF;
      let written = 0;
      for (const chunk of slices(view(), bytes(), vectors, count)) {
        output.write(descriptor, chunk);
        written += chunk.length;
      }
      view().setUint32(result, written, true);
      return SUCCESS;
    },
    fd_fdstat_get: (descriptor: number, result: number) => {
      if (descriptor > 2) return BADF;
      bytes().fill(0, result, result + 24);
      bytes()[result] = FILETYPE_CHARACTER_DEVICE;
      return SUCCESS;
    },
    fd_fdstat_set_flags: (descriptor: number) => (descriptor > 2 ? BADF : SUCCESS),
    poll_oneoff: (subscriptions: number, events: number, count: number, result: number) =>
      poll(view(), subscriptions, events, count, result),
    fd_close: badf,
    fd_readdir: badf,
    fd_seek: badf,
    fd_filestat_get: badf,
    fd_prestat_get: badf,
    fd_prestat_dir_name: badf,
    path_filestat_get: badf,
    path_readlink: badf,
    path_open: () => NOSYS,
  } as Record<string, (...values: never[]) => number>;
}

function* slices(
  view: DataView,
  bytes: Uint8Array,
  vectors: number,
  count: number,
): Generator<Uint8Array> {
  for (let index = 0; index < count; index++) {
    const pointer = view.getUint32(vectors + index * 8, true);
    const length = view.getUint32(vectors + index * 8 + 4, true);
    yield bytes.subarray(pointer, pointer + length);
  }
}

function strings(
  family: 'args' | 'environ',
  values: string[],
  view: () => DataView,
  bytes: () => Uint8Array,
) {
  const encoded = values.map((value) => new TextEncoder().encode(`${value}\0`));
  return {
    [`${family}_sizes_get`]: (count: number, size: number) => {
      view().setUint32(count, encoded.length, true);
      view().setUint32(
        size,
        encoded.reduce((sum, value) => sum + value.length, 0),
        true,
      );
      return SUCCESS;
    },
    [`${family}_get`]: (pointers: number, buffer: number) => {
      let at = buffer;
      encoded.forEach((value, index) => {
        view().setUint32(pointers + index * 4, at, true);
        bytes().set(value, at);
        at += value.length;
      });
      return SUCCESS;
    },
  };
}

/** Sleeps until the earliest clock subscription; descriptors are always ready. */
function poll(
  view: DataView,
  subscriptions: number,
  events: number,
  count: number,
  result: number,
): number {
  let waitMs = Number.POSITIVE_INFINITY;
  for (let index = 0; index < count; index++) {
    const at = subscriptions + index * SUBSCRIPTION_BYTES;
    if (view.getUint8(at + 8) !== EVENT_CLOCK) {
      waitMs = 0;
      continue;
    }
    const timeout = view.getBigUint64(at + 24, true);
    const absolute = (view.getUint16(at + 40, true) & 1) === 1;
    const realtime = view.getUint32(at + 16, true) === CLOCK_REALTIME;
    const now = realtime ? BigInt(Date.now()) * 1_000_000n : process.hrtime.bigint();
    waitMs = Math.min(waitMs, Number(absolute ? timeout - now : timeout) / 1e6);
  }
  if (waitMs > 0 && waitMs < Number.POSITIVE_INFINITY) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitMs);
  }
  for (let index = 0; index < count; index++) {
    const from = subscriptions + index * SUBSCRIPTION_BYTES;
    const to = events + index * EVENT_BYTES;
    view.setBigUint64(to, view.getBigUint64(from, true), true);
    view.setUint16(to + 8, SUCCESS, true);
    view.setUint8(to + 10, view.getUint8(from + 8));
  }
  view.setUint32(result, count, true);
  return SUCCESS;
}
