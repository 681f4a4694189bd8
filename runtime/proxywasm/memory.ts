// The memory of a filter as the host reads and writes it: every pointer is checked, and nothing is kept.
import { STATUS } from './abi.ts';

/** A pointer or a length that a filter gave does not fit its memory. */
export class MemoryAccess extends Error {}

/** What a filter is given or gives in one call at most. */
const BYTES_MAX = 16 << 20;

/** A filter's memory and its allocator. */
export class GuestMemory {
  readonly #memory: WebAssembly.Memory;
  readonly #allocate: (bytes: number) => number;
  #bytes: Buffer;

  constructor(memory: WebAssembly.Memory, allocate: (bytes: number) => number) {
    this.#memory = memory;
    this.#allocate = allocate;
    this.#bytes = Buffer.from(memory.buffer);
  }

  /** How much memory the filter has taken. */
  get size(): number {
    return this.#current().length;
  }

  /** The memory as it is now: growing it detaches the buffer, which leaves the view without length. */
  #current(): Buffer {
    if (this.#bytes.length === 0) this.#bytes = Buffer.from(this.#memory.buffer);
    return this.#bytes;
  }

  /** Where a checked range begins in the current bytes. Throws MemoryAccess. */
  #range(pointer: number, length: number): number {
    const start = pointer >>> 0;
    const bytes = length >>> 0;
    if (bytes > BYTES_MAX || start + bytes > this.#current().length) throw new MemoryAccess();
    return start;
  }

  /** A view, good until the filter runs again. Throws MemoryAccess. */
  view(pointer: number, length: number): Uint8Array {
    const start = this.#range(pointer, length);
    return this.#bytes.subarray(start, start + (length >>> 0));
  }

  /** A copy. Throws MemoryAccess. */
  read(pointer: number, length: number): Uint8Array {
    return new Uint8Array(this.view(pointer, length));
  }

  /** Text whose characters are its bytes, as HTTP fields have it. Throws MemoryAccess. */
  text(pointer: number, length: number): string {
    const start = this.#range(pointer, length);
    return this.#bytes.toString('latin1', start, start + (length >>> 0));
  }

  /** Text in UTF-8; what is none becomes U+FFFD. Throws MemoryAccess. */
  utf8(pointer: number, length: number): string {
    const start = this.#range(pointer, length);
    return this.#bytes.toString('utf8', start, start + (length >>> 0));
  }

  readU32(pointer: number): number {
    return this.#current().readUInt32LE(this.#range(pointer, 4));
  }

  writeU32(pointer: number, value: number): void {
    this.#current().writeUInt32LE(value >>> 0, this.#range(pointer, 4));
  }

  writeU64(pointer: number, value: bigint): void {
    this.#current().writeBigUInt64LE(BigInt.asUintN(64, value), this.#range(pointer, 8));
  }

  /**
   * Hands bytes over in memory that the filter allocates, and writes where they are and how many.
   * Returns a status; throws MemoryAccess.
   */
  give(bytes: Uint8Array, returnPointer: number, returnLength: number): number {
    this.#range(returnPointer, 4);
    this.#range(returnLength, 4);
    let pointer = 0;
    if (bytes.length > 0) {
      pointer = this.#allocate(bytes.length) >>> 0;
      if (pointer === 0) return STATUS.internalFailure;
      this.#current().set(bytes, this.#range(pointer, bytes.length));
    }
    this.writeU32(returnPointer, pointer);
    this.writeU32(returnLength, bytes.length);
    return STATUS.ok;
  }
}
