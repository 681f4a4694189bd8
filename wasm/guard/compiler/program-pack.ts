// Lays automata out in the section: each byte set, map of byte classes and automaton is kept once.
import { type ByteSet, byteSet, compileTree, compileWords, Op, type Program } from './program.ts';
import type { Pattern } from './re2.ts';

const INSTRUCTION_BYTES = 8;
const PROGRAM_HEADER_BYTES = 16;
const HAS_ASSERTIONS = 1;

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
    const bytes = new Uint8Array(PROGRAM_HEADER_BYTES + instructions.length * INSTRUCTION_BYTES);
    const view = new DataView(bytes.buffer);
    const asserts = instructions.some(({ op }) => op === Op.assert);
    view.setUint32(0, instructions.length, true);
    view.setUint32(4, start, true);
    view.setUint32(8, map, true);
    view.setUint16(12, classCount, true);
    view.setUint16(14, asserts ? HAS_ASSERTIONS : 0, true);
    instructions.forEach((instruction, index) => {
      const at = PROGRAM_HEADER_BYTES + index * INSTRUCTION_BYTES;
      bytes[at] = instruction.op;
      if (instruction.op === Op.assert) bytes[at + 1] = instruction.what;
      if (instruction.op === Op.save) bytes[at + 1] = instruction.slot;
      if ('x' in instruction) view.setUint16(at + 2, instruction.x, true);
      if (instruction.op === Op.split) view.setUint16(at + 4, instruction.y, true);
      if (instruction.op === Op.set) view.setUint16(at + 4, this.#set(instruction.bytes), true);
    });
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
    const bits = [...sets].map((set) => Buffer.from(set, 'hex'));
    const numbers = new Map<string, number>();
    const map = new Uint8Array(256);
    for (let byte = 0; byte < 256; byte++) {
      const members = bits.map((set) => (set[byte >> 3]! >> (byte & 7)) & 1).join('');
      const number = numbers.get(members) ?? numbers.size;
      numbers.set(members, number);
      map[byte] = number;
    }
    return { map: this.append(map), count: numbers.size };
  }
}
