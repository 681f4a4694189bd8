// Rewrites the exports of a Wasm module, and leaves every other byte as it is.
// https://webassembly.github.io/spec/core/binary/modules.html
import { BundleError } from '../errors.ts';

const HEADER_BYTES = 8;
const EXPORTS = 7;

/** The module with those exports only whose name `keep` accepts; throws `module_output_invalid`. */
export function keepExports(wasm: Uint8Array, keep: (name: string) => boolean): Uint8Array {
  return rewrite(wasm, EXPORTS, (reader) => {
    const start = reader.at;
    const name = reader.text();
    reader.byte();
    reader.number();
    return keep(name) ? [reader.since(start)] : [];
  });
}

/** Gives each entry of a section's vector to `entry`, which returns the bytes that take its place. */
function rewrite(
  wasm: Uint8Array,
  wanted: number,
  entry: (reader: Reader) => Uint8Array[],
): Uint8Array {
  const parts: Uint8Array[] = [wasm.subarray(0, HEADER_BYTES)];
  const reader = new Reader(wasm, HEADER_BYTES, wasm.length);
  while (!reader.done) {
    const start = reader.at;
    const section = reader.byte();
    const length = reader.number();
    const body = reader.skip(length);
    if (section !== wanted) {
      parts.push(reader.since(start));
      continue;
    }
    const entries = new Reader(wasm, body, body + length);
    const count = entries.number();
    const kept: Uint8Array[][] = [];
    for (let index = 0; index < count; index++) kept.push(entry(entries));
    const written = kept.filter((bytes) => bytes.length > 0);
    const vector = Buffer.concat([encodeNumber(written.length), ...written.flat()]);
    parts.push(Uint8Array.of(section), encodeNumber(vector.length), vector);
  }
  return Buffer.concat(parts);
}

class Reader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  at: number;

  constructor(bytes: Uint8Array, start: number, end: number) {
    this.#bytes = bytes;
    this.#end = end;
    this.at = start;
  }

  get done(): boolean {
    return this.at >= this.#end;
  }

  since(start: number): Uint8Array {
    return this.#bytes.subarray(start, this.at);
  }

  byte(): number {
    if (this.done) throw unreadable();
    return this.#bytes[this.at++]!;
  }

  /** Skips so many bytes and returns where they begin. */
  skip(length: number): number {
    const start = this.at;
    if (length > this.#end - start) throw unreadable();
    this.at += length;
    return start;
  }

  /** An unsigned LEB128 number of at most 32 bits. */
  number(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw unreadable();
  }

  text(): string {
    const start = this.skip(this.number());
    return Buffer.from(this.since(start)).toString();
  }
}

function encodeNumber(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest & 0x7f) | 0x80);
  return Uint8Array.of(...bytes, rest);
}

function unreadable(): BundleError {
  return new BundleError('module_output_invalid', 'a module that is to be merged cannot be read');
}
