// Finds the keywords of all rules of a set in one pass (Aho and Corasick), overlapping ones as well.

import { Field, field, setField } from './context';
import { take } from './memory';
import { keywordEnds } from './runs';
import { BASE, SET_COUNT, setRecord } from './tables';

const CLASSES: usize = 8;
const CLASS_COUNT: usize = 12;
const STATES: usize = 16;
const FIRST_FOUND: usize = 20;
const TRANSITIONS: usize = 24;
const FOUND: usize = 28;
const BACK: usize = 32;

/** For each set its transitions: 16 bits for each state and class of bytes. */
const expanded: usize = expandAll();

function expandAll(): usize {
  const pointers = take(SET_COUNT * 4);
  for (let set: u32 = 0; set < SET_COUNT; set++) {
    store<u32>(pointers + (set << 2), <u32>expand(setRecord(set)));
  }
  return pointers;
}

/** Writes out the transitions, of which the tables only have where a state differs from one before. */
function expand(record: usize): usize {
  const states = load<u32>(record, STATES);
  const row = load<u32>(record, CLASS_COUNT) * 2;
  const next = take(states * row);
  let at = BASE + load<u32>(record, TRANSITIONS);
  for (let index: u32 = 0; index < states; index++) {
    const target = next + <u32>load<u16>(at) * row;
    const like = next + <u32>load<u16>(at, 2) * row;
    if (target != like) memory.copy(target, like, row);
    let left = <u32>load<u16>(at, 4);
    at += 6;
    for (; left > 0; left--) {
      store<u16>(target + ((<u32>load<u16>(at)) << 1), load<u16>(at, 2));
      at += 4;
    }
  }
  return next;
}

/** Goes on to `end`, and begins a run of each rule at its keywords. */
export function findKeywords(set: u32, end: usize): void {
  const record = setRecord(set);
  const classes = BASE + load<u32>(record, CLASSES);
  const next = <usize>load<u32>(expanded + (set << 2));
  const count = load<u32>(record, CLASS_COUNT);
  const firstFound = load<u32>(record, FIRST_FOUND);
  let state = field(Field.KeywordState);
  let p = <usize>field(Field.KeywordAt);
  while (p < end) {
    state = load<u16>(next + ((state * count + <u32>load<u8>(classes + load<u8>(p))) << 1));
    p++;
    if (state >= firstFound) {
      const found = BASE + load<u32>(BASE + load<u32>(record, FOUND) + ((state - firstFound) << 2));
      const count = <u32>load<u16>(found);
      for (let index: u32 = 1; index <= count; index++) {
        keywordEnds(load<u16>(found + (index << 1)), p);
      }
    }
  }
  setField(Field.KeywordAt, p);
  setField(Field.KeywordState, state);
}

/** Before which place no match begins whose keyword has not ended before `at`. */
export function keywordsHeld(set: u32, at: usize): usize {
  const back = BASE + load<u32>(setRecord(set), BACK);
  const most = <usize>load<u16>(back + (field(Field.KeywordState) << 1));
  return at > most ? at - most : 0;
}
