// One instance of `decisions.wasm`: its exports, its memory as a host sees it, and what goes in and out.
import { InputError, ModuleError } from '../errors.ts';
import type { MeterExports } from '../metering/exhausted.ts';
import { type Answer, answerOf } from './answer.ts';
import type { InputMemory, ReadMember } from './decision-input.ts';
import { inputError } from './error-numbers.ts';
import type { Projection } from './projection.ts';

const INPUT_BYTES_MAX = 1 << 20;
/** How much of the data is loaded at a time: about a millisecond. */
const PIECE_BYTES = 256 * 1024;
const MORE = -1;
const ANSWERS_KEPT = 32;
const UNDEFINED_INPUT = 0;
// Offsets of wasm/engine/value.ts.
const LENGTH = 8;
const TEXT = 12;
const ELEMENTS = 16;

/** The exports of the module (docs/evaluation.md). */
export interface DecisionExports extends MeterExports {
  memory: WebAssembly.Memory;
  start(): void;
  entrypoints(): number;
  begin(bytes: number): number;
  intern(pointer: number, length: number): number;
  loadBegin(pointer: number, length: number): void;
  loadNext(bytes: number): number;
  parse(pointer: number, length: number): number;
  jsonError(): number;
  evaluate(entrypoint: number, input: number): number;
  answerText(answer: number): number;
  failureOf(): number;
}

/** An entrypoint, and what of an input its rules may read. */
export interface Entrypoint {
  number: number;
  members: ReadMember[] | undefined;
  project: Projection | undefined;
}

/** What a host keeps of an instance. */
export interface Instance {
  exports: DecisionExports;
  memory: InputMemory;
  entrypoints: Map<string, Entrypoint>;
  /** By number modulo their count; the module never gives a number twice. */
  answers: ({ number: number; answer: Answer } | undefined)[];
}

/** An instance that has been started, without data or entrypoints yet. */
export function opened(exports: DecisionExports): Instance {
  const instance: Instance = {
    exports,
    memory: {
      ...{ words: new Int32Array(0), bytes: new Uint8Array(0), floats: new Float64Array(0) },
      ...{ null: 0, false: 0, true: 0 },
    },
    entrypoints: new Map(),
    answers: new Array(ANSWERS_KEPT).fill(undefined),
  };
  const { memory } = instance;
  for (const name of ['null', 'false', 'true'] as const) {
    memory[name] = parsed(instance, Buffer.from(name));
  }
  return instance;
}

/** The views of the memory as it is now: growing it detaches the old ones. */
export function viewed({ exports, memory }: Instance): InputMemory {
  if (memory.bytes.length === 0) {
    const { buffer } = exports.memory;
    memory.words = new Int32Array(buffer);
    memory.bytes = new Uint8Array(buffer);
    memory.floats = new Float64Array(buffer);
  }
  return memory;
}

function place(instance: Instance, bytes: Uint8Array): number {
  const pointer = instance.exports.begin(bytes.length);
  if (pointer === 0) throw new InputError('input_too_large', 'the input is larger than 1 MiB');
  viewed(instance).bytes.set(bytes, pointer);
  return pointer;
}

/** The value of a JSON text; of no text, no input. */
export function parsed(instance: Instance, text: Uint8Array): number {
  if (text.length === 0) {
    instance.exports.begin(0);
    return UNDEFINED_INPUT;
  }
  if (text.length > INPUT_BYTES_MAX) {
    throw new InputError('input_too_large', 'the input is larger than 1 MiB');
  }
  return rooted(instance, place(instance, text), text.length);
}

/** The value of the text that is in the memory. */
export function rooted({ exports }: Instance, pointer: number, length: number): number {
  const root = exports.parse(pointer, length);
  if (root === 0) throw inputError(exports.jsonError());
  return root;
}

/** Loads the data in pieces, between which the caller may do something else. */
export function* loading(instance: Instance, data: Uint8Array): Generator<void> {
  const { exports } = instance;
  let state = MORE;
  try {
    const pointer = exports.begin(data.length);
    if (pointer === 0) throw new RangeError('more than a module takes');
    for (let at = 0; at < data.length; at += PIECE_BYTES) {
      viewed(instance).bytes.set(data.subarray(at, at + PIECE_BYTES), pointer + at);
      yield;
    }
    exports.loadBegin(pointer, data.length);
    while (state === MORE) {
      state = exports.loadNext(PIECE_BYTES);
      yield;
    }
  } catch (cause) {
    throw new ModuleError('module_trapped', 'the data bundle does not fit the policy module', {
      cause,
    });
  }
  if (state !== 0) throw inputError(state);
}

/** The place of a key that the host will write. */
export function intern(instance: Instance, name: string): number {
  const bytes = Buffer.from(name);
  return instance.exports.intern(place(instance, bytes), bytes.length);
}

/** The answer of a number; its text is read once while it is among the latest. */
export function answered(instance: Instance, number: number): Answer {
  const known = instance.answers[number % ANSWERS_KEPT];
  return known?.number === number ? known.answer : remembered(instance, number);
}

function remembered(instance: Instance, number: number): Answer {
  const answer = answerOf(textOf(instance, instance.exports.answerText(number)).slice());
  instance.answers[number % ANSWERS_KEPT] = { number, answer };
  return answer;
}

function textOf(instance: Instance, pointer: number): Uint8Array {
  const { words, bytes } = viewed(instance);
  const start = pointer + TEXT;
  return bytes.subarray(start, start + words[(pointer + LENGTH) >> 2]!);
}

/** The texts of an array of strings. */
export function textsOf(instance: Instance, pointer: number): string[] {
  const { words } = viewed(instance);
  const elements = words[(pointer + ELEMENTS) >> 2]!;
  return Array.from({ length: words[(pointer + LENGTH) >> 2]! }, (_, index) =>
    Buffer.from(textOf(instance, words[(elements >> 2) + index]!)).toString(),
  );
}
