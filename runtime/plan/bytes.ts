// Writes the numbers and texts of Wasm's binary format.
// https://webassembly.github.io/spec/core/binary/values.html

/** Bytes that grow at their end. */
export class Bytes {
  #buffer = new Uint8Array(256);
  length = 0;

  byte(value: number): void {
    if (this.length === this.#buffer.length) this.#grow(this.length + 1);
    this.#buffer[this.length++] = value;
  }

  append(bytes: Uint8Array): void {
    const end = this.length + bytes.length;
    if (end > this.#buffer.length) this.#grow(end);
    this.#buffer.set(bytes, this.length);
    this.length = end;
  }

  /** An unsigned LEB128 number below 2^32. */
  unsigned(value: number): void {
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.byte((rest & 0x7f) | 0x80);
    this.byte(rest);
  }

  /** A signed LEB128 number of 32 bits. */
  signed(value: number): void {
    let rest = value | 0;
    while (rest < -64 || rest > 63) {
      this.byte((rest & 0x7f) | 0x80);
      rest >>= 7;
    }
    this.byte(rest & 0x7f);
  }

  /** A signed LEB128 number of 64 bits. */
  signed64(value: bigint): void {
    let rest = BigInt.asIntN(64, value);
    while (rest < -64n || rest > 63n) {
      this.byte(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    this.byte(Number(rest & 0x7fn));
  }

  /** A name: its length in bytes, then UTF-8. */
  text(value: string): void {
    const bytes = Buffer.from(value);
    this.unsigned(bytes.length);
    this.append(bytes);
  }

  /** What was written; a view, until more is written. */
  view(): Uint8Array {
    return this.#buffer.subarray(0, this.length);
  }

  #grow(needed: number): void {
    const grown = new Uint8Array(Math.max(needed, this.#buffer.length * 2));
    grown.set(this.view());
    this.#buffer = grown;
  }
}
