// Finds the keywords of all rules of a set in one pass (Aho and Corasick), overlapping ones as well.

import { Field, field, setField } from './context';
import { keywordEnds } from './runs';
import { BASE, setRecord } from './tables';

const CLASSES: usize = 8;
const SHIFT: usize = 12;
const FIRST_FOUND: usize = 20;
const NEXT: usize = 24;
const FOUND: usize = 28;
const BACK: usize = 32;

/** Goes on to `end`, and begins a run of each rule at its keywords. */
export function findKeywords(set: u32, end: usize): void {
  const record = setRecord(set);
  const classes = BASE + load<u32>(record, CLASSES);
  const next = BASE + load<u32>(record, NEXT);
  const shift = load<u32>(record, SHIFT);
  const firstFound = load<u32>(record, FIRST_FOUND);
  let state = field(Field.KeywordState);
  let p = <usize>field(Field.KeywordAt);
  while (p < end) {
    state = load<u16>(next + (((state << shift) + <u32>load<u8>(classes + load<u8>(p))) << 1));
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
