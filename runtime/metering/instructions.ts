// Reads one Wasm instruction after another: its opcode, and where its operands end.
// https://webassembly.github.io/spec/core/binary/instructions.html
import type { Reader } from '../plan/engine.ts';

export const Op = {
  Unreachable: 0x00,
  Block: 0x02,
  Loop: 0x03,
  If: 0x04,
  Else: 0x05,
  End: 0x0b,
  Branch: 0x0c,
  BranchIf: 0x0d,
  BranchTable: 0x0e,
  Return: 0x0f,
  Call: 0x10,
  CallIndirect: 0x11,
  MemoryGrow: 0x40,
  ReferFunction: 0xd2,
  Prefixed: 0xfc,
  Vector: 0xfd,
} as const;

/** The instructions after `Op.Prefixed` whose cost is the length on top of the stack, by their number. */
const BULK: ReadonlySet<number> = new Set([8, 10, 11, 12, 14, 15, 17]);
/** How many numbers follow each of the instructions after `Op.Prefixed`. */
const PREFIXED_OPERANDS = [0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1, 2, 1, 2, 1, 1, 1];
const OTHER_MEMORY = 0x40;

export interface Instruction {
  opcode: number;
  /** The function called or referred to, the type of an indirect call, or the memory that grows. */
  index: number;
  /** How many blocks out each place is that a branch may go to. */
  labels: number[];
  /** Whether its work is as much as the number on top of the stack says. */
  bulk: boolean;
}

/** Reads an instruction; `refuse` makes the error of one that metered modules do not have. */
export function readInstruction(reader: Reader, refuse: (why: string) => Error): Instruction {
  const opcode = reader.byte();
  const instruction: Instruction = { opcode, index: 0, labels: [], bulk: false };
  if (opcode === Op.Call || opcode === Op.MemoryGrow || opcode === Op.ReferFunction)
    instruction.index = reader.number();
  else if (opcode === Op.CallIndirect) {
    instruction.index = reader.number();
    reader.number();
  } else if (opcode === Op.Branch || opcode === Op.BranchIf) {
    instruction.labels.push(reader.number());
  } else if (opcode === Op.BranchTable) {
    for (let labels = reader.number() + 1; labels > 0; labels--)
      instruction.labels.push(reader.number());
  } else if (opcode === Op.Prefixed) {
    const number = reader.number();
    const operands = PREFIXED_OPERANDS[number];
    if (operands === undefined) throw refuse(`it has the instruction 0xfc ${number}`);
    for (let operand = 0; operand < operands; operand++) reader.number();
    instruction.bulk = BULK.has(number);
  } else if (opcode === Op.Vector) skipVector(reader);
  else if (!skipPlain(reader, opcode)) throw refuse(`it has the instruction ${opcode}`);
  return instruction;
}

/** Skips the operands of what needs no look; false for what is not known. */
function skipPlain(reader: Reader, opcode: number): boolean {
  if (opcode >= 0x45 && opcode <= 0xc4) return true;
  if (opcode >= 0x28 && opcode <= 0x3e) skipPlace(reader);
  else if (opcode >= 0x20 && opcode <= 0x26) reader.number();
  else if (opcode >= Op.Block && opcode <= Op.If) skipNumber(reader);
  else
    switch (opcode) {
      case 0x00:
      case 0x01:
      case Op.Else:
      case Op.End:
      case Op.Return:
      case 0x1a:
      case 0x1b:
      case 0xd1:
        break;
      case 0x3f:
      case 0x41:
      case 0x42:
      case 0xd0:
        skipNumber(reader);
        break;
      case 0x1c:
        reader.take(reader.number());
        break;
      case 0x43:
        reader.take(4);
        break;
      case 0x44:
        reader.take(8);
        break;
      default:
        return false;
    }
  return true;
}

/** 128-bit vectors: places in memory, lanes and constants. */
function skipVector(reader: Reader): void {
  const number = reader.number();
  if (number <= 11 || (number >= 84 && number <= 93)) skipPlace(reader);
  if (number === 12 || number === 13) reader.take(16);
  if ((number >= 21 && number <= 34) || (number >= 84 && number <= 91)) reader.byte();
}

/** Alignment and offset, and between them the memory where it is not the first. */
function skipPlace(reader: Reader): void {
  if ((reader.number() & OTHER_MEMORY) !== 0) reader.number();
  reader.number();
}

/** A LEB128 number of any length and sign. */
function skipNumber(reader: Reader): void {
  while (reader.byte() >= 0x80);
}
