// What is remembered of the text of one set of rules from one push to the next.

import { take } from './memory';
import { RULE_COUNT, SET_COUNT } from './tables';

/** Fields of a context, 32 bits each. */
export namespace Field {
  /** Whether the text has begun. */
  export const Begun: usize = 0;
  /** Where the text begins, 0 when that is no longer in the buffer. */
  export const TextStart: usize = 4;
  /** How far keywords have been looked for. */
  export const KeywordAt: usize = 8;
  /** The state of the keywords' automaton there. */
  export const KeywordState: usize = 12;
  /** Nothing found later begins before this. */
  export const Held: usize = 16;
  /** How many rules have a run. */
  export const Touched: usize = 20;
  /** How many generic findings wait for what overlaps them. */
  export const Waiting: usize = 24;
  /** How many stretches of text are covered by other findings. */
  export const Covered: usize = 28;
}

/** Most generic findings that wait, and stretches that are remembered. */
export const WAITING_MAX: u32 = 4096;
export const COVERED_MAX: u32 = 8192;
/** A generic finding that waits: where it starts, where it ends, its rule. */
export const WAITING_BYTES: u32 = 12;
/** A stretch: where it starts and where it ends. */
export const COVERED_BYTES: u32 = 8;

const FIELDS: u32 = 32;
const WAITING_AT: u32 = FIELDS + RULE_COUNT * 2 + 8;
const COVERED_AT: u32 = WAITING_AT + WAITING_MAX * WAITING_BYTES;
const CONTEXT_BYTES: u32 = (COVERED_AT + COVERED_MAX * COVERED_BYTES + 7) & ~7;
const contexts: usize = take(SET_COUNT * CONTEXT_BYTES);

/** The context of the set that is judged now. */
export let context: usize = contexts;

export function useContext(set: u32): void {
  context = contexts + set * CONTEXT_BYTES;
}

export function field(offset: usize): u32 {
  return load<u32>(context + offset);
}

export function setField(offset: usize, value: usize): void {
  store<u32>(context + offset, <u32>value);
}

/** The rules that have a run, 16 bits each. */
export function touchedRules(): usize {
  return context + FIELDS;
}

/** The generic findings that wait, by start, then rule. */
export function waitingFindings(): usize {
  return context + WAITING_AT;
}

/** The stretches, by place; none overlap. */
export function coveredStretches(): usize {
  return context + COVERED_AT;
}
