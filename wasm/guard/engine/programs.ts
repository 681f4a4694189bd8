// The programs of the rules, written out from the short form that the tables have.

import { take } from './memory';
import { PROGRAM_COUNT, packedProgram } from './tables';

const HEADER_BYTES: u32 = 16;
/** Bytes of an instruction: its operation, a number, where it goes on, and a second number, of 8, 8, 16 and 16 bits, then what step.ts keeps there. */
export const INSTRUCTION_BYTES: u32 = 12;
const SET: u32 = 1;
const SPLIT: u32 = 2;
const MATCH: u32 = 5;
// What the first byte of an instruction says; see compiler/program-pack.ts.
const BEFORE: u32 = 8;
const RUN_SHIFT: u32 = 4;
const RUN_MAX: u32 = 15;

let source: usize = 0;
const programs: usize = expandAll();

/** Where a program begins. */
export function programAt(program: u32): usize {
  return load<u32>(programs + (program << 2));
}

function expandAll(): usize {
  const pointers = take(PROGRAM_COUNT * 4);
  for (let program: u32 = 0; program < PROGRAM_COUNT; program++) {
    store<u32>(pointers + (program << 2), <u32>expand(packedProgram(program)));
  }
  return pointers;
}

function number(): u32 {
  let value: u32 = 0;
  let shift: u32 = 0;
  while (true) {
    const byte = <u32>load<u8>(source++);
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value;
    shift += 7;
  }
}

/** An instruction that is named by how far it is before another one. */
function instructionBefore(at: u32): u32 {
  const value = number();
  return (value & 1) != 0 ? at + ((value + 1) >> 1) : at - (value >> 1);
}

function expand(packed: usize): usize {
  const count = load<u32>(packed);
  const program = take(HEADER_BYTES + count * INSTRUCTION_BYTES);
  memory.copy(program, packed, HEADER_BYTES);
  source = packed + HEADER_BYTES;
  let at: u32 = 0;
  while (at < count) {
    const first = <u32>load<u8>(source++);
    const op = first & 7;
    const instruction = program + HEADER_BYTES + at * INSTRUCTION_BYTES;
    store<u8>(instruction, <u8>op);
    if (op >= MATCH) {
      at++;
      continue;
    }
    let run = first >> RUN_SHIFT;
    if (run == RUN_MAX) run += number();
    if (op == SET) store<u16>(instruction, <u16>number(), 4);
    else if (op != SPLIT) store<u8>(instruction, load<u8>(source++), 1);
    const next = (first & BEFORE) != 0 ? at - 1 : instructionBefore(at);
    store<u16>(instruction, <u16>next, 2);
    if (op == SPLIT) store<u16>(instruction, <u16>instructionBefore(at), 4);
    at++;
    for (; run > 0; run--) {
      const alike = program + HEADER_BYTES + at * INSTRUCTION_BYTES;
      store<u64>(alike, load<u64>(instruction));
      store<u16>(alike, <u16>(at - 1), 2);
      at++;
    }
  }
  return program;
}
