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

  constructor(memory: WebAssembly.Memory, allocate: (bytes: number) => number) {
    this.#memory = memory;
    this.#allocate = allocate;
  }

  /** How much memory the filter has taken. */
  get size(): number {
    return this.#memory.buffer.byteLength;
  }

  /** A view, good until the filter runs again. Throws MemoryAccess. */
  view(pointer: number, length: number): Uint8Array {
    const start = pointer >>> 0;
    const bytes = length >>> 0;
    if (bytes > BYTES_MAX || start + bytes > this.size) throw new MemoryAccess();
    return new Uint8Array(this.#memory.buffer, start, bytes);
  }

  /** A copy. Throws MemoryAccess. */
  read(pointer: number, length: number): Uint8Array {
    return this.view(pointer, length).slice();
  }

  /** Text whose characters are its bytes, as HTTP fields have it. Throws MemoryAccess. */
  text(pointer: number, length: number): string {
    const { buffer, byteOffset, byteLength } = this.view(pointer, length);
    return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
  }

  writeU32(pointer: number, value: number): void {
    const { buffer, byteOffset } = this.view(pointer, 4);
    new DataView(buffer, byteOffset, 4).setUint32(0, value, true);
  }

  writeU64(pointer: number, value: bigint): void {
    const { buffer, byteOffset } = this.view(pointer, 8);
    new DataView(buffer, byteOffset, 8).setBigUint64(0, BigInt.asUintN(64, value), true);
  }

  /**
   * Hands bytes over in memory that the filter allocates, and writes where they are and how many.
   * Returns a status; throws MemoryAccess.
   */
  give(bytes: Uint8Array, returnPointer: number, returnLength: number): number {
    this.view(returnPointer, 4);
    this.view(returnLength, 4);
    let pointer = 0;
    if (bytes.length > 0) {
      pointer = this.#allocate(bytes.length) >>> 0;
      if (pointer === 0) return STATUS.internalFailure;
      this.view(pointer, bytes.length).set(bytes);
    }
    this.writeU32(returnPointer, pointer);
    this.writeU32(returnLength, bytes.length);
    return STATUS.ok;
  }
}
