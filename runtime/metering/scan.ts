// Finds where the steps of a function are to be charged, so that every instruction is charged before it runs.
import type { Reader } from '../plan/engine.ts';
import { Op, readInstruction } from './instructions.ts';

/** Code that runs at most once each time that it is charged: a function without its loops' repetitions, or a loop. */
export interface Region {
  /** Instructions, without those that are called. */
  size: number;
  calls: number[];
  /** Types of what is called through the table. */
  indirect: number[];
  /** Loops in it, whose first round it pays for. */
  loops: Region[];
}

/** A branch that repeats a loop, which pays for the next round. */
export interface Repeat {
  kind: 'repeat';
  at: number;
  length: 0;
  region: Region;
}

/** Another place where the body is changed: `length` bytes of it are the instruction. */
export interface Change {
  kind: 'bulk' | 'grow' | 'return';
  at: number;
  length: number;
  /** The memory that grows, or how many blocks a return is in. */
  index: number;
}

export interface Body {
  /** Its bytes, from the declaration of its locals to its `end`. */
  bytes: Uint8Array;
  /** Where the instructions begin. */
  code: number;
  /** Groups of locals, and how many locals they are, parameters not counted. */
  groups: { count: number; bytes: Uint8Array };
  locals: number;
  entry: Region;
  /** In the order of the code. */
  repeats: Repeat[];
  changes: Change[];
}

interface Frame {
  region: Region;
  isLoop: boolean;
}

/** Scans a function body; `refuse` makes the error of what cannot be metered. */
export function scanBody(reader: Reader, bytes: Uint8Array, refuse: (why: string) => Error): Body {
  const { groups, locals } = readLocals(reader, bytes);
  const entry = emptyRegion();
  const body: Body = { bytes, code: reader.at, groups, locals, entry, repeats: [], changes: [] };
  const frames: Frame[] = [{ region: entry, isLoop: false }];
  while (frames.length > 0) {
    const at = reader.at;
    const { opcode, index, labels, bulk } = readInstruction(reader, refuse);
    const { region } = frames.at(-1)!;
    const change = (kind: Change['kind'], length: number, index = 0): void => {
      body.changes.push({ kind, at, length, index });
    };
    if (opcode === Op.Block || opcode === Op.If) frames.push({ region, isLoop: false });
    else if (opcode === Op.Loop) {
      const loop = emptyRegion();
      region.loops.push(loop);
      frames.push({ region: loop, isLoop: true });
    } else if (opcode === Op.End) frames.pop();
    else if (opcode === Op.Call) region.calls.push(index);
    else if (opcode === Op.CallIndirect) region.indirect.push(index);
    else if (opcode === Op.Return) change('return', 1, frames.length - 1);
    else if (opcode === Op.MemoryGrow) change('grow', reader.at - at, index);
    else if (bulk) change('bulk', 0);
    const targets = new Set(labels.map((label) => frames[frames.length - 1 - label]));
    for (const target of targets) {
      if (target?.isLoop)
        body.repeats.push({ kind: 'repeat', at, length: 0, region: target.region });
    }
    region.size++;
  }
  return body;
}

function readLocals(reader: Reader, bytes: Uint8Array): Pick<Body, 'groups' | 'locals'> {
  const count = reader.number();
  const start = reader.at;
  let locals = 0;
  for (let group = 0; group < count; group++) {
    locals += reader.number();
    reader.byte();
  }
  return { groups: { count, bytes: bytes.subarray(start, reader.at) }, locals };
}

function emptyRegion(): Region {
  return { size: 0, calls: [], indirect: [], loops: [] };
}
