// Makes a metered module say that it failed, where it would trap: a proxy's filter cannot outlive a trap.
// https://webassembly.github.io/spec/core/binary/modules.html, with exceptions and several memories (Wasm 3.0)
import { Emitter, NO_RESULT } from '../metering/emitter.ts';
import { Limit, SPARE_PAGES } from '../metering/exhausted.ts';
import { Op, readInstruction } from '../metering/instructions.ts';
import {
  type ModuleParts,
  readModule,
  refused,
  type Signature,
  vectorOf,
  writeModule,
} from '../metering/parts.ts';
import { framed } from '../metering/rewrite.ts';
import { Bytes } from '../plan/bytes.ts';
import { Reader, Section, vector } from '../plan/engine.ts';

/** What `platform_failure` says of the last call of an entry. */
export const Failure = { None: 0, Trap: 1, Steps: 2, Memory: 3, Depth: 4 } as const;

const TAGS = 13;
const FUNCTION = 0;
const I32 = 0x7f;
const PAGE_SHIFT = 16;

const COPY = 10;
const FILL = 11;
/** The one clause of a `try_table`: catch the tag 0, and go out of the block around it. */
const CATCH_TAG = [1, 0, 0, 0];

/** A mutable global: its number, and the byte of its type. */
interface Kept {
  global: number;
  type: number;
}

/** Numbers of what is added. */
interface Added {
  /** The type `() -> ()`, and `() -> i32`. */
  plain: number;
  number: number;
  failed: number;
  /** The first of the globals that keep the others' values. */
  firstKept: number;
  savedBytes: number;
  /** The memory that keeps the module's own. */
  copy: number;
  meter: Record<'steps' | 'limit' | 'budget' | 'pages', number>;
}

/**
 * The module with its `unreachable` instructions thrown and caught in the `entries`, which then return 0. It is
 * for merging into a filter: all that is left to trap is what no checked module does, such as a read outside its
 * memory. Added exports:
 *
 * - `platform_failure() -> i32`: `Failure` of the last call of an entry;
 * - `platform_save()`: keeps the memory and the globals as they are now;
 * - `platform_restore()`: puts them back, as in a fresh instance, with all steps and pages;
 * - `platform_spare()`: takes away what `spare` of runtime/metering does of a used instance.
 *
 * After a failure the memory may be in any state until it is restored. Equal modules give equal bytes.
 * @throws BundleError `module_output_invalid` for what is no metered module, or one that lacks an entry
 */
export function catchFailures(wasm: Uint8Array, entries: readonly string[]): Uint8Array {
  const parts = readModule(wasm);
  const kept = mutableGlobals(parts);
  const memories = vector(parts.sections, Section.Memory);
  if (memories.count !== 1) throw refused('it has not one memory of its own');
  const added: Added = {
    plain: parts.types.length,
    number: parts.types.length + 1,
    failed: parts.globals,
    firstKept: parts.globals + 1,
    savedBytes: parts.globals + 1 + kept.length,
    copy: 1,
    meter: meterOf(parts),
  };
  const bodies = parts.bodies.map((body) => framed(thrown(body)));
  const types: number[] = [];
  const exported = new Map<string, number>();
  const add = (name: string, type: number, body: Uint8Array): void => {
    exported.set(name, parts.functions.length + types.length);
    types.push(type);
    bodies.push(framed(body));
  };
  for (const name of entries) {
    const found = parts.exports.find((each) => each.name === name && each.kind === FUNCTION);
    if (found === undefined) throw refused(`it has no ${name}`);
    const type = parts.functions[found.index]!;
    add(name, type, caught(found.index, parts.types[type]!, added));
  }
  add('platform_failure', added.number, failure(added));
  add('platform_save', added.plain, save(kept, added));
  add('platform_restore', added.plain, restore(kept, added));
  add('platform_spare', added.plain, spare(added));
  return writeModule(
    parts,
    new Map([
      [Section.Type, extended(parts, Section.Type, [signature(), signature(I32)])],
      [Section.Function, extended(parts, Section.Function, types.map(unsigned))],
      [Section.Memory, vectorOf(2, memories.entries, Uint8Array.of(0, 0))],
      [TAGS, vectorOf(1, Uint8Array.of(0), unsigned(added.plain))],
      [Section.Global, extended(parts, Section.Global, globals(kept))],
      [Section.Export, exportSection(parts, exported)],
      [Section.Code, vectorOf(bodies.length, ...bodies)],
    ]),
  );
}

/** A function's body that throws where it was `unreachable`. */
function thrown(body: Uint8Array): Uint8Array {
  const reader = new Reader(body);
  for (let groups = reader.number(); groups > 0; groups--) {
    reader.number();
    reader.byte();
  }
  const out = new Emitter();
  let from = 0;
  while (!reader.done) {
    const at = reader.at;
    if (readInstruction(reader, refused).opcode !== Op.Unreachable) continue;
    out.append(body.subarray(from, at));
    out.op('throw', 0);
    from = reader.at;
  }
  out.append(body.subarray(from));
  return out.view().slice();
}

/** Calls the function; 0, or nothing, where it throws. */
function caught(index: number, { params, results }: Signature, { failed }: Added): Uint8Array {
  if (results.length > 1 || (results.length === 1 && results[0] !== I32)) {
    throw refused('an entry gives something else than one i32');
  }
  const body = new Emitter();
  body.unsigned(0);
  body.i32(0).op('setGlobal', failed);
  body.op('block').byte(NO_RESULT);
  body.op('tryTable').byte(results[0] ?? NO_RESULT);
  for (const operand of CATCH_TAG) body.unsigned(operand);
  for (let param = 0; param < params.length; param++) body.op('getLocal', param);
  body.op('call', index).op('end').op('return').op('end');
  body.i32(1).op('setGlobal', failed);
  if (results.length > 0) body.i32(0);
  return body.op('end').view().slice();
}

/** What failed, in the order in which runtime/metering/exhausted.ts asks. */
function failure({ failed, meter }: Added): Uint8Array {
  const body = new Emitter();
  body.unsigned(0);
  const answer = (value: number): Emitter => body.i32(value).op('return').op('end');
  const when = (): Emitter => {
    body.op('if').byte(NO_RESULT);
    return body;
  };
  body.op('getGlobal', failed).i32(0).op('equal');
  when();
  answer(Failure.None);
  body.op('getGlobal', meter.steps).i32(0).op('lessSigned');
  when();
  answer(Failure.Steps);
  body.op('getGlobal', meter.limit).i32(Limit.Depth).op('equal');
  when();
  answer(Failure.Depth);
  body.op('getGlobal', meter.limit).i32(Limit.Memory).op('equal');
  when();
  answer(Failure.Memory);
  return body.i32(Failure.Trap).op('end').view().slice();
}

function save(kept: Kept[], { firstKept, savedBytes, copy }: Added): Uint8Array {
  const body = new Emitter();
  body.unsigned(0);
  for (const [index, { global }] of kept.entries()) {
    body.op('getGlobal', global).op('setGlobal', firstKept + index);
  }
  body.op('memorySize', 0).op('memorySize', copy).op('sub').op('memoryGrow', copy);
  body.i32(-1).op('equal').op('if').byte(NO_RESULT);
  body.op('throw', 0).op('end');
  body.op('memorySize', 0).i32(PAGE_SHIFT).op('shiftLeft').op('setGlobal', savedBytes);
  body.i32(0).i32(0).op('getGlobal', savedBytes).op('bulk', COPY, copy, 0);
  return body.op('end').view().slice();
}

function restore(kept: Kept[], { firstKept, savedBytes, copy }: Added): Uint8Array {
  const body = new Emitter();
  body.unsigned(0);
  for (const [index, { global }] of kept.entries()) {
    body.op('getGlobal', firstKept + index).op('setGlobal', global);
  }
  body.i32(0).i32(0).op('getGlobal', savedBytes).op('bulk', COPY, 0, copy);
  // A memory cannot shrink; what it has grown by is as new.
  body.op('getGlobal', savedBytes).i32(0);
  body.op('memorySize', 0).i32(PAGE_SHIFT).op('shiftLeft').op('getGlobal', savedBytes).op('sub');
  body.op('bulk', FILL, 0);
  return body.op('end').view().slice();
}

function spare({ meter: { budget, pages } }: Added): Uint8Array {
  const body = new Emitter();
  body.unsigned(0);
  body.op('getGlobal', budget).i32(1).op('shiftRight').op('setGlobal', budget);
  body.op('getGlobal', pages).i32(SPARE_PAGES).op('sub').op('setGlobal', pages);
  return body.op('end').view().slice();
}

function mutableGlobals({ sections, globals }: ModuleParts): Kept[] {
  const { count, entries } = vector(sections, Section.Global);
  const reader = new Reader(entries);
  const kept: Kept[] = [];
  for (let entry = 0; entry < count; entry++) {
    const type = reader.byte();
    if (reader.byte() === 1) kept.push({ global: globals - count + entry, type });
    while (readInstruction(reader, refused).opcode !== Op.End);
  }
  return kept;
}

function meterOf({ exports }: ModuleParts): Added['meter'] {
  const global = (name: string): number => {
    const found = exports.find((each) => each.name === `platform_${name}`);
    if (found === undefined) throw refused('it is not metered');
    return found.index;
  };
  return {
    ...{ steps: global('steps'), limit: global('limit') },
    ...{ budget: global('budget'), pages: global('pages') },
  };
}

/** In the order of `Added`: whether the last entry failed, the kept values, and the kept bytes. */
function globals(kept: Kept[]): Uint8Array[] {
  return [I32, ...kept.map(({ type }) => type), I32].map((type) => {
    const global = new Emitter();
    global.byte(type);
    global.byte(1);
    const zero = { 127: [0x41, 0], 126: [0x42, 0], 125: [0x43, 0, 0, 0, 0] }[type];
    const other = [0x44, 0, 0, 0, 0, 0, 0, 0, 0];
    if (zero === undefined && type !== 0x7c) throw refused('it has a global of another type');
    global.append(Uint8Array.from(zero ?? other));
    return global.op('end').view().slice();
  });
}

function exportSection(parts: ModuleParts, added: ReadonlyMap<string, number>): Uint8Array {
  const section = new Emitter();
  const kept = parts.exports.filter(({ name }) => !added.has(name));
  const all = [...kept, ...[...added].map(([name, index]) => ({ name, kind: FUNCTION, index }))];
  for (const { name, kind, index } of all) {
    section.text(name);
    section.byte(kind);
    section.unsigned(index);
  }
  return vectorOf(all.length, section.view());
}

function extended(parts: ModuleParts, id: number, more: Uint8Array[]): Uint8Array {
  const { count, entries } = vector(parts.sections, id);
  return vectorOf(count + more.length, entries, ...more);
}

/** A type without parameters. */
function signature(...results: number[]): Uint8Array {
  return Uint8Array.of(0x60, 0, results.length, ...results);
}

function unsigned(value: number): Uint8Array {
  const bytes = new Bytes();
  bytes.unsigned(value);
  return bytes.view().slice();
}
