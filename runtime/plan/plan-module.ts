// Joins the functions of a plan to the engine's module, which has no imports, so nothing is renumbered.
import { Bytes } from './bytes.ts';
import type { Code } from './code.ts';
import { type Engine, Section, vector } from './engine.ts';

const I32 = 0x7f;
const HEADER = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
/** The order that the format asks for; data count comes before code. */
const ORDER = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 10, 11];

interface Declared {
  params: number;
  result: boolean;
  code?: Code;
}

export class PlanModule {
  readonly engine: Engine;
  readonly #functions: Declared[] = [];
  readonly #exports = new Map<string, number>();
  #globals = 0;
  #data: Uint8Array = new Uint8Array();

  constructor(engine: Engine) {
    this.engine = engine;
  }

  /** Declares a function of so many i32 parameters; its code follows with `define`. */
  declare(params: number, result = true): number {
    this.#functions.push({ params, result });
    return this.engine.functionCount + this.#functions.length - 1;
  }

  define(index: number, code: Code): void {
    this.#functions[index - this.engine.functionCount]!.code = code;
  }

  export(name: string, index: number): void {
    this.#exports.set(name, index);
  }

  /** A new mutable global of type i32, 0 at first. */
  global(): number {
    return vector(this.engine.sections, Section.Global).count + this.#globals++;
  }

  /** Sets the bytes of the one passive data segment, and returns its index. */
  data(bytes: Uint8Array): number {
    this.#data = bytes;
    return vector(this.engine.sections, Section.Data).count;
  }

  /** The joined module, with those of the engine's exports that `keep` accepts. */
  finish(keep: (name: string) => boolean): Uint8Array {
    const { sections } = this.engine;
    const bodies = new Map<number, Uint8Array>();
    for (const { id, body } of sections) if (id !== 0) bodies.set(id, body);
    const types = this.#types(vector(sections, Section.Type).count);
    const added: [number, number, Uint8Array][] = [
      [Section.Type, types.count, types.entries],
      [Section.Function, this.#functions.length, types.used],
      [Section.Global, this.#globals, this.#globalEntries()],
      [Section.Code, this.#functions.length, this.#bodies()],
      [Section.Data, 1, this.#dataEntry()],
    ];
    for (const [id, count, entries] of added) {
      const before = vector(sections, id);
      bodies.set(id, join(before.count + count, before.entries, entries));
    }
    bodies.set(Section.Export, this.#exportSection(keep));
    bodies.set(Section.DataCount, number(vector(sections, Section.Data).count + 1));
    const wasm = new Bytes();
    wasm.append(HEADER);
    for (const id of ORDER) {
      const body = bodies.get(id);
      if (body === undefined) continue;
      wasm.byte(id);
      wasm.unsigned(body.length);
      wasm.append(body);
    }
    return wasm.view().slice();
  }

  /** One type for each shape of function that is used, and each function's type. */
  #types(first: number): { count: number; entries: Uint8Array; used: Uint8Array } {
    const known = new Map<string, number>();
    const entries = new Bytes();
    const used = new Bytes();
    for (const { params, result } of this.#functions) {
      const shape = `${params} ${result}`;
      let type = known.get(shape);
      if (type === undefined) {
        type = first + known.size;
        known.set(shape, type);
        entries.byte(0x60);
        entries.unsigned(params);
        for (let index = 0; index < params; index++) entries.byte(I32);
        entries.unsigned(result ? 1 : 0);
        if (result) entries.byte(I32);
      }
      used.unsigned(type);
    }
    return { count: known.size, entries: entries.view(), used: used.view() };
  }

  #globalEntries(): Uint8Array {
    const entry = Uint8Array.of(I32, 1, 0x41, 0, 0x0b);
    const entries = new Bytes();
    for (let index = 0; index < this.#globals; index++) entries.append(entry);
    return entries.view();
  }

  #bodies(): Uint8Array {
    const bodies = new Bytes();
    for (const { code } of this.#functions) {
      if (code === undefined) throw new Error('a function of the plan was declared without code');
      bodies.append(code.finish());
    }
    return bodies.view();
  }

  #dataEntry(): Uint8Array {
    const entry = new Bytes();
    entry.byte(1);
    entry.unsigned(this.#data.length);
    entry.append(this.#data);
    return entry.view();
  }

  #exportSection(keep: (name: string) => boolean): Uint8Array {
    const entries = new Bytes();
    let count = 0;
    const add = (name: string, kind: number, index: number): void => {
      count++;
      entries.text(name);
      entries.byte(kind);
      entries.unsigned(index);
    };
    add('memory', 2, 0);
    for (const [name, { index }] of this.engine.functions) if (keep(name)) add(name, 0, index);
    for (const [name, index] of this.#exports) add(name, 0, index);
    return join(count, entries.view());
  }
}

function number(value: number): Uint8Array {
  const bytes = new Bytes();
  bytes.unsigned(value);
  return bytes.view();
}

function join(count: number, ...entries: Uint8Array[]): Uint8Array {
  return Buffer.concat([number(count), ...entries]);
}
