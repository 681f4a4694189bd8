// Reads what metering needs to know of a Wasm module, and assembles the metered one.
// https://webassembly.github.io/spec/core/binary/modules.html
import { BundleError } from '../errors.ts';
import { Bytes } from '../plan/bytes.ts';
import { Reader, Section, vector } from '../plan/engine.ts';
import { Op, readInstruction } from './instructions.ts';

const HEADER = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
/** The order that the format asks for; tags come before globals, the data count before the code. */
const ORDER = [1, 2, 3, 4, 5, 13, 6, 7, 8, 9, 12, 10, 11];
const Kind = { Function: 0, Table: 1, Memory: 2, Global: 3 } as const;

export interface Signature {
  params: Uint8Array;
  results: Uint8Array;
}

export interface ModuleParts {
  sections: { id: number; body: Uint8Array }[];
  types: Signature[];
  /** The type of every function, the imported ones first. */
  functions: number[];
  imported: number;
  /** How many globals there are, the imported ones included. */
  globals: number;
  exports: { name: string; kind: number; index: number }[];
  /** Functions that the table may hold. */
  inTable: number[];
  /** Bodies of the functions that are not imported. */
  bodies: Uint8Array[];
}

/** Takes a module apart; throws BundleError `module_output_invalid` when it cannot be metered. */
export function readModule(wasm: Uint8Array): ModuleParts {
  if (!Buffer.from(wasm.subarray(0, HEADER.length)).equals(HEADER))
    throw refused('it is no module');
  const sections: ModuleParts['sections'] = [];
  const reader = new Reader(wasm, HEADER.length);
  while (!reader.done) {
    const id = reader.byte();
    sections.push({ id, body: reader.take(reader.number()) });
  }
  const entries = <Entry>(id: number, read: (reader: Reader) => Entry): Entry[] => {
    const { count, entries } = vector(sections, id);
    const each = new Reader(entries);
    return Array.from({ length: count }, () => read(each));
  };
  const imports = entries(Section.Import, readImport);
  const importedTypes = imports.flatMap(({ kind, type }) => (kind === Kind.Function ? type : []));
  const importedGlobals = imports.filter(({ kind }) => kind === Kind.Global).length;
  return {
    sections,
    types: entries(Section.Type, readType),
    functions: [...importedTypes, ...entries(Section.Function, (each) => each.number())],
    imported: importedTypes.length,
    globals: importedGlobals + vector(sections, Section.Global).count,
    exports: entries(Section.Export, (each) => {
      const name = each.text();
      return { name, kind: each.byte(), index: each.number() };
    }),
    inTable: entries(Section.Element, readElements).flat(),
    bodies: entries(Section.Code, (each) => each.take(each.number())),
  };
}

/** The module with some of its sections replaced; custom sections stay where they are. */
export function writeModule(
  { sections }: ModuleParts,
  replaced: ReadonlyMap<number, Uint8Array>,
): Uint8Array {
  const wasm = new Bytes();
  wasm.append(HEADER);
  const left = new Map(replaced);
  const write = (id: number, body: Uint8Array): void => {
    wasm.byte(id);
    wasm.unsigned(body.length);
    wasm.append(body);
    left.delete(id);
  };
  // A section that the module did not have comes before the first one that follows it.
  const writeBefore = (place: number): void => {
    for (const id of ORDER.slice(0, place)) if (left.has(id)) write(id, left.get(id)!);
  };
  for (const { id, body } of sections) {
    if (id !== 0) writeBefore(ORDER.indexOf(id));
    write(id, id === 0 ? body : (left.get(id) ?? body));
  }
  writeBefore(ORDER.length);
  return wasm.view().slice();
}

/** The body of a section that is a vector: the number of its entries before them. */
export function vectorOf(count: number, ...entries: Uint8Array[]): Uint8Array {
  const bytes = new Bytes();
  bytes.unsigned(count);
  for (const each of entries) bytes.append(each);
  return bytes.view().slice();
}

/** Why a module cannot be metered. */
export function refused(why: string): BundleError {
  return new BundleError('module_output_invalid', `the module cannot be metered: ${why}`);
}

function readType(reader: Reader): Signature {
  if (reader.byte() !== 0x60) throw refused('it has types other than functions');
  return { params: reader.take(reader.number()), results: reader.take(reader.number()) };
}

function readImport(reader: Reader): { kind: number; type: number } {
  reader.text();
  reader.text();
  const kind = reader.byte();
  let type = 0;
  if (kind === Kind.Function) type = reader.number();
  else if (kind === Kind.Table) {
    reader.byte();
    readLimits(reader);
  } else if (kind === Kind.Memory) readLimits(reader);
  else if (kind === Kind.Global) reader.take(2);
  else throw refused('it imports what is not known');
  return { kind, type };
}

/** The sizes of a memory or a table; shared and 64-bit ones are refused. */
export function readLimits(reader: Reader): { least: number; most: number | undefined } {
  const flags = reader.byte();
  if (flags > 1) throw refused('a memory is shared or has 64 bits');
  return { least: reader.number(), most: flags === 1 ? reader.number() : undefined };
}

/** The functions of one element segment; bit 0 of its flags: not active, bit 1: explicit, bit 2: expressions. */
function readElements(reader: Reader): number[] {
  const flags = reader.number();
  const isActive = (flags & 1) === 0;
  if (isActive && (flags & 2) !== 0) reader.number();
  if (isActive) skipExpression(reader);
  if ((flags & 3) !== 0) reader.byte();
  const count = reader.number();
  const functions: number[] = [];
  for (let index = 0; index < count; index++) {
    if ((flags & 4) === 0) functions.push(reader.number());
    else functions.push(...skipExpression(reader));
  }
  return functions;
}

/** Skips a constant expression, and says which functions it refers to. */
function skipExpression(reader: Reader): number[] {
  const functions: number[] = [];
  for (;;) {
    const { opcode, index } = readInstruction(reader, refused);
    if (opcode === Op.End) return functions;
    if (opcode === Op.ReferFunction) functions.push(index);
  }
}
