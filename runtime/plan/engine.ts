// Reads what a built Wasm module of values and built-ins (wasm/engine) offers to the plan that joins it.
// https://webassembly.github.io/spec/core/binary/modules.html
import { BundleError } from '../errors.ts';

const HEADER_BYTES = 8;
const I32 = 0x7f;

/** The sections that are read or added to, by their number. */
export const Section = {
  Type: 1,
  Import: 2,
  Function: 3,
  Memory: 5,
  Global: 6,
  Export: 7,
  Element: 9,
  Code: 10,
  Data: 11,
  DataCount: 12,
} as const;

/** An exported function: its index, and whether it takes and gives nothing but i32. */
export interface EngineFunction {
  index: number;
  params: number;
  results: number;
  plain: boolean;
}

/** A section that is a vector: how many entries there are, and their bytes. */
export interface Vector {
  count: number;
  entries: Uint8Array;
}

export interface Engine {
  /** The module's sections in their order. */
  sections: { id: number; body: Uint8Array }[];
  functions: ReadonlyMap<string, EngineFunction>;
  globals: ReadonlyMap<string, number>;
  /** How many functions there are. */
  functionCount: number;
}

/** Reads the engine; throws BundleError `module_output_invalid` when it is no module without imports. */
export function readEngine(wasm: Uint8Array): Engine {
  const sections: Engine['sections'] = [];
  const reader = new Reader(wasm, HEADER_BYTES);
  while (!reader.done) {
    const id = reader.byte();
    sections.push({ id, body: reader.take(reader.number()) });
  }
  if (vector(sections, Section.Import).count > 0) throw unreadable('it imports');
  const types = readTypes(vector(sections, Section.Type));
  const declared = vector(sections, Section.Function);
  const typeOf: number[] = [];
  const indices = new Reader(declared.entries);
  for (let index = 0; index < declared.count; index++) typeOf.push(indices.number());
  const functions = new Map<string, EngineFunction>();
  const globals = new Map<string, number>();
  const exported = vector(sections, Section.Export);
  const entries = new Reader(exported.entries);
  for (let entry = 0; entry < exported.count; entry++) {
    const name = entries.text();
    const kind = entries.byte();
    const index = entries.number();
    if (kind === 0) functions.set(name, { index, ...types[typeOf[index]!]! });
    if (kind === 3) globals.set(name, index);
  }
  return { sections, functions, globals, functionCount: declared.count };
}

/** One of the sections, as a vector; an absent one has no entries. */
export function vector(sections: Engine['sections'], wanted: number): Vector {
  const section = sections.find(({ id }) => id === wanted);
  if (section === undefined) return { count: 0, entries: new Uint8Array() };
  const reader = new Reader(section.body);
  const count = reader.number();
  return { count, entries: reader.rest() };
}

function readTypes({ count, entries }: Vector): Omit<EngineFunction, 'index'>[] {
  const reader = new Reader(entries);
  const types: Omit<EngineFunction, 'index'>[] = [];
  for (let index = 0; index < count; index++) {
    if (reader.byte() !== 0x60) throw unreadable('it has types other than functions');
    const params = [...reader.take(reader.number())];
    const results = [...reader.take(reader.number())];
    const plain = [...params, ...results].every((type) => type === I32) && results.length === 1;
    types.push({ params: params.length, results: results.length, plain });
  }
  return types;
}

/** Reads the numbers and texts of Wasm's binary format; throws BundleError `module_output_invalid`. */
export class Reader {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, start = 0) {
    this.#bytes = bytes;
    this.#at = start;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** How far it has read, in bytes. */
  get at(): number {
    return this.#at;
  }

  byte(): number {
    if (this.done) throw unreadable('it ends too early');
    return this.#bytes[this.#at++]!;
  }

  number(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw unreadable('a number is too long');
  }

  take(length: number): Uint8Array {
    if (length > this.#bytes.length - this.#at) throw unreadable('it ends too early');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  rest(): Uint8Array {
    return this.take(this.#bytes.length - this.#at);
  }

  text(): string {
    return Buffer.from(this.take(this.number())).toString();
  }
}

function unreadable(why: string): BundleError {
  return new BundleError('module_output_invalid', `the engine of decisions cannot be read: ${why}`);
}
