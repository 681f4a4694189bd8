// Rewrites the exports and the data of a Wasm module, and leaves every other byte as it is.
// https://webassembly.github.io/spec/core/binary/modules.html
import { BundleError } from '../errors.ts';

const HEADER_BYTES = 8;
const EXPORTS = 7;
const DATA = 11;
const DATA_COUNT = 12;
const MEMORY = 2;
/** An active segment that says which memory it is for. */
const OTHER_MEMORY = 2;
const I32_CONST = 0x41;
const END = 0x0b;

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

/** The number of the memory that the module exports under a name; throws `module_output_invalid`. */
export function memoryExport(wasm: Uint8Array, wanted: string): number {
  let found: number | undefined;
  rewrite(wasm, EXPORTS, (reader) => {
    const name = reader.text();
    const kind = reader.byte();
    const index = reader.number();
    if (name === wanted && kind === MEMORY) found = index;
    return [];
  });
  if (found === undefined) throw unreadable();
  return found;
}

/** The module with one more active segment of data, which begins at an address below 2^31 of a memory. */
export function appendSegment(
  wasm: Uint8Array,
  memory: number,
  address: number,
  content: Uint8Array,
): Uint8Array {
  const place = [I32_CONST, ...signed(address), END];
  const segment = [
    Uint8Array.of(OTHER_MEMORY, ...encodeNumber(memory), ...place),
    encodeNumber(content.length),
    content,
  ];
  return mapSections(wasm, (id, body) => {
    if (id !== DATA && id !== DATA_COUNT) return undefined;
    const reader = new Reader(body, 0, body.length);
    const count = encodeNumber(reader.number() + 1);
    const rest = body.subarray(reader.at);
    return Buffer.concat(id === DATA ? [count, rest, ...segment] : [count]);
  });
}

/** Gives each entry of a section's vector to `entry`, which returns the bytes that take its place. */
function rewrite(
  wasm: Uint8Array,
  wanted: number,
  entry: (reader: Reader) => Uint8Array[],
): Uint8Array {
  return mapSections(wasm, (id, body) => {
    if (id !== wanted) return undefined;
    const entries = new Reader(body, 0, body.length);
    const count = entries.number();
    const kept: Uint8Array[][] = [];
    for (let index = 0; index < count; index++) kept.push(entry(entries));
    const written = kept.filter((bytes) => bytes.length > 0);
    return Buffer.concat([encodeNumber(written.length), ...written.flat()]);
  });
}

/** Gives each section to `change`, which returns the body that takes its place, or nothing. */
function mapSections(
  wasm: Uint8Array,
  change: (id: number, body: Uint8Array) => Uint8Array | undefined,
): Uint8Array {
  const parts: Uint8Array[] = [wasm.subarray(0, HEADER_BYTES)];
  const reader = new Reader(wasm, HEADER_BYTES, wasm.length);
  while (!reader.done) {
    const start = reader.at;
    const id = reader.byte();
    const length = reader.number();
    const body = reader.skip(length);
    const changed = change(id, wasm.subarray(body, body + length));
    if (changed === undefined) parts.push(reader.since(start));
    else parts.push(Uint8Array.of(id), encodeNumber(changed.length), changed);
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

/** A signed LEB128 number that is not negative. */
function signed(value: number): Uint8Array {
  const bytes = encodeNumber(value);
  // The sixth bit of the last byte is the sign.
  if ((bytes.at(-1)! & 0x40) === 0) return bytes;
  bytes[bytes.length - 1]! |= 0x80;
  return Uint8Array.of(...bytes, 0);
}

function unreadable(): BundleError {
  return new BundleError('module_output_invalid', 'a module that is to be merged cannot be read');
}
