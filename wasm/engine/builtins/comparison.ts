// Comparisons of values of any kind, in Rego's total order (OPA's v1/topdown/comparison.go).

import { compare, equal } from '../compare';
import { boolean } from '../value';

export function b_equal(a: u32, b: u32): u32 {
  return boolean(equal(a, b));
}

export function b_eq(a: u32, b: u32): u32 {
  return boolean(equal(a, b));
}

export function b_neq(a: u32, b: u32): u32 {
  return boolean(!equal(a, b));
}

export function b_lt(a: u32, b: u32): u32 {
  return boolean(compare(a, b) < 0);
}

export function b_lte(a: u32, b: u32): u32 {
  return boolean(compare(a, b) <= 0);
}

export function b_gt(a: u32, b: u32): u32 {
  return boolean(compare(a, b) > 0);
}

export function b_gte(a: u32, b: u32): u32 {
  return boolean(compare(a, b) >= 0);
}
