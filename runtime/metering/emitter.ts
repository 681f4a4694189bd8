// Writes the few instructions that are added to a module.
// https://webassembly.github.io/spec/core/binary/instructions.html
import { Bytes } from '../plan/bytes.ts';

/** The type of a block that leaves nothing on the stack. */
export const NO_RESULT = 0x40;

const Instruction = {
  unreachable: 0x00,
  block: 0x02,
  if: 0x04,
  else: 0x05,
  throw: 0x08,
  end: 0x0b,
  branch: 0x0c,
  return: 0x0f,
  call: 0x10,
  tryTable: 0x1f,
  getLocal: 0x20,
  setLocal: 0x21,
  teeLocal: 0x22,
  getGlobal: 0x23,
  setGlobal: 0x24,
  memorySize: 0x3f,
  memoryGrow: 0x40,
  constant: 0x41,
  lessSigned: 0x48,
  greaterSigned: 0x4a,
  greaterUnsigned: 0x4b,
  equal: 0x46,
  add: 0x6a,
  sub: 0x6b,
  or: 0x72,
  shiftLeft: 0x74,
  shiftRight: 0x76,
  bulk: 0xfc,
} as const;

/** Instructions without a function around them. */
export class Emitter extends Bytes {
  op(name: keyof typeof Instruction, ...operands: number[]): this {
    this.byte(Instruction[name]);
    for (const operand of operands) this.unsigned(operand);
    return this;
  }

  i32(value: number): this {
    this.byte(Instruction.constant);
    this.signed(value);
    return this;
  }

  /** Runs what follows, until `end`, when the i32 on the stack is below zero. */
  ifNegative(): this {
    this.i32(0).op('lessSigned').op('if').byte(NO_RESULT);
    return this;
  }
}
