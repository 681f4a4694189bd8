// Writes the body of one Wasm function: instructions, labels and locals of type i32.
// https://webassembly.github.io/spec/core/binary/instructions.html
import { Bytes } from './bytes.ts';

const I32 = 0x7f;
const NO_RESULT = 0x40;

/** The instructions without operands that plans are made of. */
const OPCODES = {
  unreachable: 0x00,
  else: 0x05,
  return: 0x0f,
  drop: 0x1a,
  select: 0x1b,
  eqz: 0x45,
  eq: 0x46,
  ne: 0x47,
  ltS: 0x48,
  ltU: 0x49,
  gtS: 0x4a,
  leU: 0x4d,
  leS: 0x4c,
  geS: 0x4e,
  add: 0x6a,
  sub: 0x6b,
  and: 0x71,
  or: 0x72,
  shl: 0x74,
  eq64: 0x51,
} as const;

export type Opcode = keyof typeof OPCODES;

/** A place that a branch may go to. */
export type Label = number;

export class Code {
  readonly #bytes = new Bytes();
  #depth = 0;
  #locals: number;
  #params: number;

  constructor(params: number) {
    this.#params = params;
    this.#locals = params;
  }

  /** A new local of type i32, 0 at first. */
  local(): number {
    return this.#locals++;
  }

  op(opcode: Opcode): this {
    this.#bytes.byte(OPCODES[opcode]);
    return this;
  }

  get(local: number): this {
    return this.#indexed(0x20, local);
  }

  set(local: number): this {
    return this.#indexed(0x21, local);
  }

  tee(local: number): this {
    return this.#indexed(0x22, local);
  }

  getGlobal(global: number): this {
    return this.#indexed(0x23, global);
  }

  setGlobal(global: number): this {
    return this.#indexed(0x24, global);
  }

  i32(value: number): this {
    this.#bytes.byte(0x41);
    this.#bytes.signed(value);
    return this;
  }

  i64(value: bigint): this {
    this.#bytes.byte(0x42);
    this.#bytes.signed64(value);
    return this;
  }

  /** The i32 on the stack as an i64 without sign. */
  extend(): this {
    this.#bytes.byte(0xad);
    return this;
  }

  /** The u32 at the address on the stack plus `offset`. */
  load(offset: number): this {
    return this.#memory(0x28, 2, offset);
  }

  load8(offset: number): this {
    return this.#memory(0x2d, 0, offset);
  }

  load16(offset: number): this {
    return this.#memory(0x2f, 1, offset);
  }

  store(offset: number): this {
    return this.#memory(0x36, 2, offset);
  }

  call(index: number): this {
    return this.#indexed(0x10, index);
  }

  /** Copies from a passive data segment: address, offset and length are on the stack. */
  memoryInit(segment: number): this {
    this.#bytes.byte(0xfc);
    this.#bytes.unsigned(8);
    this.#bytes.unsigned(segment);
    this.#bytes.byte(0);
    return this;
  }

  /** Opens a block; a branch to it goes to its end. */
  block(): Label {
    return this.#open(0x02);
  }

  /** Opens a loop; a branch to it goes to its beginning. */
  loop(): Label {
    return this.#open(0x03);
  }

  /** Opens what runs when the top of the stack is not 0. */
  if(): Label {
    return this.#open(0x04);
  }

  end(): this {
    this.#depth--;
    this.#bytes.byte(0x0b);
    return this;
  }

  branch(label: Label): this {
    return this.#indexed(0x0c, this.#depth - label);
  }

  branchIf(label: Label): this {
    return this.#indexed(0x0d, this.#depth - label);
  }

  /** Branches to the label at the index on the stack, or to the last one beyond them. */
  branchTable(labels: readonly Label[], otherwise: Label): this {
    this.#indexed(0x0e, labels.length);
    for (const label of [...labels, otherwise]) this.#bytes.unsigned(this.#depth - label);
    return this;
  }

  /** The function as the code section has it. */
  finish(): Uint8Array {
    const head = new Bytes();
    const locals = this.#locals - this.#params;
    head.unsigned(locals > 0 ? 1 : 0);
    if (locals > 0) {
      head.unsigned(locals);
      head.byte(I32);
    }
    const body = new Bytes();
    body.unsigned(head.length + this.#bytes.length + 1);
    body.append(head.view());
    body.append(this.#bytes.view());
    body.byte(0x0b);
    return body.view();
  }

  #open(opcode: number): Label {
    this.#bytes.byte(opcode);
    this.#bytes.byte(NO_RESULT);
    return ++this.#depth;
  }

  #indexed(opcode: number, index: number): this {
    this.#bytes.byte(opcode);
    this.#bytes.unsigned(index);
    return this;
  }

  #memory(opcode: number, align: number, offset: number): this {
    this.#bytes.byte(opcode);
    this.#bytes.unsigned(align);
    this.#bytes.unsigned(offset);
    return this;
  }
}
