// Leaves out of a module the functions that neither an export nor the table reaches.
import { BundleError } from '../errors.ts';
import { Op, readInstruction } from '../metering/instructions.ts';
import { type ModuleParts, readModule, vectorOf, writeModule } from '../metering/parts.ts';
import { Bytes } from './bytes.ts';
import { Reader, Section } from './engine.ts';

const EXPORTED_FUNCTION = 0;
const ACTIVE_OF_FUNCTIONS = 0;
const REFER_FUNCTION = 0xd2;

/** A body, and the operands in it that name functions. */
interface Body {
  bytes: Uint8Array;
  calls: { at: number; end: number; index: number }[];
}

/**
 * The module without unused functions; the others are numbered anew, in the same order.
 * @throws BundleError `module_output_invalid` for a module that imports or refers to functions as values
 */
export function trim(wasm: Uint8Array): Uint8Array {
  const parts = readModule(wasm);
  if (parts.imported > 0) throw refused('it imports functions');
  const bodies = parts.bodies.map(readBody);
  const start = startOf(parts);
  const roots = parts.exports.flatMap(({ kind, index }) =>
    kind === EXPORTED_FUNCTION ? index : [],
  );
  const numbers = numbered(reached(bodies, [...roots, ...parts.inTable, ...start]));
  const kept = [...numbers.keys()];
  const replaced = new Map([
    [
      Section.Function,
      vectorOf(kept.length, ...kept.map((index) => number(parts.functions[index]!))),
    ],
    [
      Section.Code,
      vectorOf(kept.length, ...kept.map((index) => rewritten(bodies[index]!, numbers))),
    ],
    [Section.Export, exportsOf(parts, numbers)],
    ...start.map((index) => [START, number(numbers.get(index)!)] as const),
    ...elementsOf(parts, numbers),
  ]);
  return writeModule(parts, replaced);
}

const START = 8;

function readBody(bytes: Uint8Array): Body {
  const reader = new Reader(bytes);
  for (let groups = reader.number(); groups > 0; groups--) {
    reader.number();
    reader.byte();
  }
  const calls: Body['calls'] = [];
  while (!reader.done) {
    const at = reader.at + 1;
    const { opcode, index } = readInstruction(reader, refused);
    if (opcode === REFER_FUNCTION) throw refused('it refers to functions as values');
    if (opcode === Op.Call) calls.push({ at, end: reader.at, index });
  }
  return { bytes, calls };
}

function reached(bodies: readonly Body[], roots: readonly number[]): Set<number> {
  const found = new Set(roots);
  for (const index of found) for (const call of bodies[index]!.calls) found.add(call.index);
  return found;
}

/** The new number of each function that is kept. */
function numbered(functions: ReadonlySet<number>): Map<number, number> {
  const inOrder = [...functions].sort((a, b) => a - b);
  return new Map(inOrder.map((index, at) => [index, at]));
}

function rewritten({ bytes, calls }: Body, numbers: ReadonlyMap<number, number>): Uint8Array {
  const body = new Bytes();
  let copied = 0;
  for (const { at, end, index } of calls) {
    body.append(bytes.subarray(copied, at));
    body.unsigned(numbers.get(index)!);
    copied = end;
  }
  body.append(bytes.subarray(copied));
  const entry = new Bytes();
  entry.unsigned(body.length);
  entry.append(body.view());
  return entry.view();
}

function exportsOf({ exports }: ModuleParts, numbers: ReadonlyMap<number, number>): Uint8Array {
  const entries = exports.map(({ name, kind, index }) => {
    const entry = new Bytes();
    entry.text(name);
    entry.byte(kind);
    entry.unsigned(kind === EXPORTED_FUNCTION ? numbers.get(index)! : index);
    return entry.view();
  });
  return vectorOf(entries.length, ...entries);
}

function startOf({ sections }: ModuleParts): number[] {
  const section = sections.find(({ id }) => id === START);
  return section === undefined ? [] : [new Reader(section.body).number()];
}

/** The table's functions, in the plainest of the forms that the format has for them. */
function elementsOf(
  { sections }: ModuleParts,
  numbers: ReadonlyMap<number, number>,
): [number, Uint8Array][] {
  const section = sections.find(({ id }) => id === Section.Element);
  if (section === undefined) return [];
  const reader = new Reader(section.body);
  const elements = new Bytes();
  const count = reader.number();
  elements.unsigned(count);
  for (let segment = 0; segment < count; segment++) {
    const from = reader.at;
    if (reader.number() !== ACTIVE_OF_FUNCTIONS)
      throw refused('its table is filled in another way');
    while (readInstruction(reader, refused).opcode !== Op.End);
    elements.append(section.body.subarray(from, reader.at));
    const functions = reader.number();
    elements.unsigned(functions);
    for (let each = 0; each < functions; each++) elements.unsigned(numbers.get(reader.number())!);
  }
  return [[Section.Element, elements.view()]];
}

function number(value: number): Uint8Array {
  const bytes = new Bytes();
  bytes.unsigned(value);
  return bytes.view();
}

function refused(why: string): BundleError {
  return new BundleError('module_output_invalid', `unused functions cannot be left out: ${why}`);
}
