// Parts of a body as one piece: what arrives byte by byte takes no more memory than its bytes do.

const BYTES_FIRST = 4096;

/** Bytes in order; the memory behind them is at most twice as large, whatever parts they came in. */
export class JoinedBytes {
  #buffer = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Copies a part behind the others. */
  add(part: Uint8Array): void {
    const length = this.#length + part.length;
    if (length > this.#buffer.length) {
      const larger = Math.max(length, 2 * this.#buffer.length, BYTES_FIRST);
      const grown = Buffer.allocUnsafeSlow(larger);
      grown.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = grown;
    }
    this.#buffer.set(part, this.#length);
    this.#length = length;
  }

  /** All of it, without a copy; parts that come later change nothing of it. */
  whole(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }
}
