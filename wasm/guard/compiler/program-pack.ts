// Lays automata out in the section: each byte set, map of byte classes and automaton is kept once.
import {
  type ByteSet,
  byteSet,
  compileTree,
  compileWords,
  type Instruction,
  Op,
  type Program,
} from './program.ts';
import type { Pattern } from './re2.ts';

const PROGRAM_HEADER_BYTES = 16;
const HAS_ASSERTIONS = 1;

// The first byte of an instruction: its operation, then whether it goes on at the one before it, then of those that
// read how many alike follow each other, less one; what does not fit stands behind.
const BEFORE = 8;
const RUN_SHIFT = 4;
const RUN_MAX = 15;

const WORD_BYTES = byteSet((byte) => /\w/.test(String.fromCharCode(byte)));
const NEWLINE = byteSet((byte) => byte === 10);

/** A section that grows: what is appended begins at a multiple of 8. */
export class Packer {
  readonly #parts: Uint8Array[] = [];
  readonly #known = new Map<string, number>();
  readonly #programs: number[] = [];
  readonly #programsOf = new Map<string, number>();
  readonly #sets: ByteSet[] = [];
  readonly #setsOf = new Map<ByteSet, number>();
  #length: number;
  setsOffset = 0;

  constructor(headerBytes: number) {
    this.#length = headerBytes;
  }

  get programCount(): number {
    return this.#programs.length;
  }

  /** Appends bytes, unless they are there; returns where they begin. */
  append(bytes: Uint8Array): number {
    const key = Buffer.from(bytes).toString('latin1');
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const offset = this.#length;
    this.#known.set(key, offset);
    const padded = new Uint8Array(Math.ceil(bytes.length / 8) * 8);
    padded.set(bytes);
    this.#parts.push(padded);
    this.#length += padded.length;
    return offset;
  }

  /** Adds programs that share one map of byte classes; returns the number of each. */
  addPrograms(programs: readonly (Program | undefined)[]): (number | undefined)[] {
    const present = programs.filter((program) => program !== undefined);
    const { map, count } = this.#classes(present);
    return programs.map((program) => {
      return program === undefined ? undefined : this.#add(program, map, count);
    });
  }

  /** Adds what finds any of the words, whatever their case. */
  addWords(words: readonly string[]): number {
    return this.#once(`words ${JSON.stringify(words)}`, () => compileWords(words));
  }

  addPattern(pattern: Pattern): number {
    return this.#once(`pattern ${JSON.stringify(pattern.tree)}`, () => compileTree(pattern.tree));
  }

  /** Appends the sets of bytes and the table of programs; returns where that begins. */
  appendPrograms(): number {
    this.setsOffset = this.append(
      new Uint8Array(Buffer.concat(this.#sets.map((set) => Buffer.from(set, 'hex')))),
    );
    return this.append(new Uint8Array(Uint32Array.from(this.#programs).buffer));
  }

  finish(header: Uint8Array): Uint8Array {
    return new Uint8Array(Buffer.concat([header, ...this.#parts]));
  }

  #once(key: string, compile: () => Program): number {
    const known = this.#programsOf.get(key);
    if (known !== undefined) return known;
    const number = this.addPrograms([compile()])[0]!;
    this.#programsOf.set(key, number);
    return number;
  }

  #add(program: Program, map: number, classCount: number): number {
    const { instructions, start } = program;
    const header = new Uint8Array(PROGRAM_HEADER_BYTES);
    const view = new DataView(header.buffer);
    const asserts = instructions.some(({ op }) => op === Op.assert);
    view.setUint32(0, instructions.length, true);
    view.setUint32(4, start, true);
    view.setUint32(8, map, true);
    view.setUint16(12, classCount, true);
    view.setUint16(14, asserts ? HAS_ASSERTIONS : 0, true);
    const bytes = Buffer.concat([header, encode(instructions, (set) => this.#set(set))]);
    const offset = this.append(bytes);
    const known = this.#programs.indexOf(offset);
    return known >= 0 ? known : this.#programs.push(offset) - 1;
  }

  #set(set: ByteSet): number {
    const known = this.#setsOf.get(set);
    if (known !== undefined) return known;
    this.#setsOf.set(set, this.#sets.length);
    return this.#sets.push(set) - 1;
  }

  /** The bytes between which no program tells a difference, numbered; the class behind the last is the end of text. */
  #classes(programs: readonly Program[]): { map: number; count: number } {
    const instructions = programs.flatMap((program) => program.instructions);
    const sets = new Set<ByteSet>();
    for (const instruction of instructions) {
      if (instruction.op === Op.set) sets.add(instruction.bytes);
      else if (instruction.op === Op.assert) sets.add(WORD_BYTES).add(NEWLINE);
    }
    let map = new Uint8Array(256);
    let count = 1;
    for (const set of sets) {
      // Each class so far falls into the part within the set and the part without.
      const bits = Buffer.from(set, 'hex');
      const numbers = new Map<number, number>();
      map = map.map((before, byte) => {
        const key = before * 2 + ((bits[byte >> 3]! >> (byte & 7)) & 1);
        if (!numbers.has(key)) numbers.set(key, numbers.size);
        return numbers.get(key)!;
      });
      count = numbers.size;
    }
    return { map: this.append(map), count };
  }
}

/** Writes instructions as wasm/guard/engine/programs.ts reads them. */
function encode(
  instructions: readonly Instruction[],
  numberOf: (set: ByteSet) => number,
): Uint8Array {
  const bytes: number[] = [];
  for (let at = 0; at < instructions.length; at++) {
    const instruction = instructions[at]!;
    const { op } = instruction;
    if (op === Op.match || op === Op.fail) {
      bytes.push(op);
      continue;
    }
    const isBefore = instruction.x === at - 1;
    const first = op | (isBefore ? BEFORE : 0);
    const run = op === Op.set && isBefore ? runLength(instructions, at) - 1 : 0;
    bytes.push(first | (Math.min(run, RUN_MAX) << RUN_SHIFT));
    if (run >= RUN_MAX) bytes.push(...varint(run - RUN_MAX));
    if (op === Op.set) bytes.push(...varint(numberOf(instruction.bytes)));
    else if (op === Op.assert) bytes.push(instruction.what);
    else if (op === Op.save) bytes.push(instruction.slot);
    if (!isBefore) bytes.push(...varint(zigzag(at - instruction.x)));
    if (op === Op.split) bytes.push(...varint(zigzag(at - instruction.y)));
    at += run;
  }
  return Uint8Array.from(bytes);
}

/** How many instructions from `at` on read the same set, each going on at the one before it. */
function runLength(instructions: readonly Instruction[], at: number): number {
  const first = instructions[at]!;
  let end = at;
  while (true) {
    const next = instructions[++end];
    if (next?.op !== Op.set || first.op !== Op.set) return end - at;
    if (next.bytes !== first.bytes || next.x !== end - 1) return end - at;
  }
}

function zigzag(value: number): number {
  return value < 0 ? -value * 2 - 1 : value * 2;
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
  return bytes;
}
