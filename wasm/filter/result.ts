// Values that the policy leaves in its own memory, in the layout of wasm/engine/value.ts.

import { alloc } from '../common/arena';
import { ELEMENTS, LENGTH, TEXT } from '../engine/value';
import { policyCopyOut, policyLoadWord } from './bridge';

/** Length of the last text that was read. */
export let textLength: u32 = 0;

/** A copy of a string's text in the filter's memory. */
export function textOf(value: u32): u32 {
  textLength = policyLoadWord(value + LENGTH);
  const copy = alloc(textLength);
  policyCopyOut(copy, value + TEXT, textLength);
  return copy;
}

/** How many elements an array has. */
export function countOf(array: u32): u32 {
  return policyLoadWord(array + LENGTH);
}

/** An element of an array. */
export function elementOf(array: u32, index: u32): u32 {
  return policyLoadWord(policyLoadWord(array + ELEMENTS) + (index << 2));
}
