// Puts a step counter, a bound on the stack and a bound on memory into a Wasm module.
import { Bytes } from '../plan/bytes.ts';
import { Reader, Section, type Vector, vector } from '../plan/engine.ts';
import { costsOf } from './costs.ts';
import { Emitter } from './emitter.ts';
import { Limit } from './exhausted.ts';
import {
  type ModuleParts,
  readLimits,
  readModule,
  refused,
  type Signature,
  vectorOf,
  writeModule,
} from './parts.ts';
import { type Added, framed, rewriteBody } from './rewrite.ts';
import { scanBody } from './scan.ts';

const I32 = 0x7f;
const FUNCTION = 0;
const GLOBAL = 3;

/** What a module may use between the call of one of its entries and its return. */
export interface MeterLimits {
  /** Instructions, about: what is charged is never less than what runs, and mostly little more. */
  steps: number;
  /** Pages of 64 KiB of its memory, or of the one that its host gives it. */
  pages: number;
  /** Words of stack of functions that may call themselves: their locals and 16 more for each call. */
  depth: number;
  /**
   * Exports that give back all that was used when a host calls them, and the steps that they have where it
   * is not `steps`: loading data is bounded by the data's size. Names that the module lacks are passed over.
   */
  entries: Readonly<Record<string, number | undefined>>;
}

/**
 * The module, metered. It traps where it would exceed a limit, at the same instruction in every host. Added
 * exports, all globals of type i32: `platform_steps`, what is left, below zero when they were exhausted;
 * `platform_limit`, 1 when memory was last refused, 2 when the stack was exhausted; `platform_budget` and
 * `platform_pages`, the limits, which a host may lower. Equal modules give equal bytes.
 * @throws BundleError `module_output_invalid` when the bytes are no module, or one that uses what metered
 *   modules do not: tail calls, exceptions, threads, garbage collection
 */
export function meter(wasm: Uint8Array, limits: MeterLimits): Uint8Array {
  const parts = readModule(wasm);
  if (parts.exports.some(({ name }) => name === 'platform_steps')) throw refused('it is metered');
  const added: Added = {
    steps: parts.globals,
    limit: parts.globals + 1,
    depth: parts.globals + 2,
    budget: parts.globals + 3,
    pages: parts.globals + 4,
  };
  const scanned = parts.bodies.map((bytes) => scanBody(new Reader(bytes), bytes, refused));
  const costs = costsOf(parts, scanned);
  const bodies = scanned.map((body, number) => {
    const signature = parts.types[parts.functions[parts.imported + number]!]!;
    return rewriteBody(body, number, signature, costs, added);
  });
  const entries = parts.exports.filter(
    ({ name, kind }) => kind === FUNCTION && Object.hasOwn(limits.entries, name),
  );
  const wrapped = new Map<string, number>();
  const functionTypes: number[] = [];
  for (const { name, index } of entries) {
    const type = parts.functions[index]!;
    wrapped.set(name, parts.functions.length + functionTypes.length);
    functionTypes.push(type);
    bodies.push(entry(index, parts.types[type]!, limits, limits.entries[name], added));
  }
  return writeModule(
    parts,
    new Map([
      ...memoryLimits(vector(parts.sections, Section.Memory), limits.pages),
      [Section.Function, extended(parts, Section.Function, functionTypes.map(number))],
      [Section.Global, extended(parts, Section.Global, globals(limits))],
      [Section.Export, exportSection(parts, wrapped, added)],
      [Section.Code, vectorOf(bodies.length, ...bodies)],
    ]),
  );
}

function extended(parts: ModuleParts, id: number, more: Uint8Array[]): Uint8Array {
  const { count, entries } = vector(parts.sections, id);
  return vectorOf(count + more.length, entries, ...more);
}

function number(value: number): Uint8Array {
  return vectorOf(value);
}

/** In the order of `Added`; the counters are full from the start, for a module's start function. */
function globals({ steps, depth, pages }: MeterLimits): Uint8Array[] {
  return [steps, Limit.None, depth, steps, pages].map((value) => {
    const global = new Emitter();
    global.byte(I32);
    global.byte(1);
    return global.i32(value).op('end').view().slice();
  });
}

/** Gives back what was used, and calls the function. */
function entry(
  index: number,
  { params }: Signature,
  { depth }: MeterLimits,
  own: number | undefined,
  added: Added,
): Uint8Array {
  const body = new Emitter();
  body.unsigned(0);
  if (own === undefined) body.op('getGlobal', added.budget);
  else body.i32(own);
  body.op('setGlobal', added.steps);
  body.i32(Limit.None).op('setGlobal', added.limit).i32(depth).op('setGlobal', added.depth);
  for (let param = 0; param < params.length; param++) body.op('getLocal', param);
  return framed(body.op('call', index).op('end').view());
}

/** The module's own memories with the maximum; the one that a host gives is bounded where it grows. */
function memoryLimits({ count, entries }: Vector, pages: number): [number, Uint8Array][] {
  if (count === 0) return [];
  const reader = new Reader(entries);
  const memories = new Bytes();
  for (let memory = 0; memory < count; memory++) {
    const { least, most = pages } = readLimits(reader);
    if (least > pages) throw refused('its memory is larger than the limit from the start');
    memories.byte(1);
    memories.unsigned(least);
    memories.unsigned(Math.min(most, pages));
  }
  return [[Section.Memory, vectorOf(count, memories.view())]];
}

function exportSection(
  parts: ModuleParts,
  wrapped: ReadonlyMap<string, number>,
  added: Added,
): Uint8Array {
  const section = new Bytes();
  const all = [
    ...parts.exports.map((each) => ({ ...each, index: wrapped.get(each.name) ?? each.index })),
    { name: 'platform_steps', kind: GLOBAL, index: added.steps },
    { name: 'platform_limit', kind: GLOBAL, index: added.limit },
    { name: 'platform_budget', kind: GLOBAL, index: added.budget },
    { name: 'platform_pages', kind: GLOBAL, index: added.pages },
  ];
  for (const { name, kind, index } of all) {
    section.text(name);
    section.byte(kind);
    section.unsigned(index);
  }
  return vectorOf(all.length, section.view());
}
