// The rules as wasm/guard/compiler/rules-pack.ts wrote them: where each table is and what a record holds.

import { RULES, section } from '../tables';

export const NONE: u32 = 0xffff;
/** What a rule is: gives way to others, is searched for everywhere, start by start, its finding is a group. */
export namespace Flag {
  export const Generic: u32 = 1;
  export const Whole: u32 = 2;
  export const Direct: u32 = 4;
  export const Captures: u32 = 8;
  /** Matches that begin in the middle of a word are none. */
  export const Word: u32 = 16;
}

/** Where the section begins; all offsets in it are relative to this. 0 when there are no rules. */
export const BASE: usize = section(RULES);

const HEADER_COUNT: usize = 4;
const RULE_BYTES: u32 = 40;
const SET_BYTES: u32 = 48;

export const RULE_COUNT: u32 = header(HEADER_COUNT);
const RULE_RECORDS: usize = BASE + header(8);
export const PROGRAM_COUNT: u32 = header(12);
const PROGRAMS: usize = BASE + header(16);
/** Sets of bytes: 32 bytes each, a bit for each byte. */
export const BYTE_SETS: usize = BASE + header(20);
export const KIND_COUNT: u32 = header(24);
/** For each kind where its name is, and how many bytes it has. */
export const KINDS: usize = BASE + header(28);
/** n times the binary logarithm of n, in parts of 4096, for n up to ENTROPY_BYTES. */
export const ENTROPIES: usize = BASE + header(32);
export const ENTROPY_BYTES: u32 = 1024;
export const SET_COUNT: u32 = header(36);
const SETS: usize = BASE + header(40);

function header(offset: usize): u32 {
  return BASE == 0 ? 0 : load<u32>(BASE + offset);
}

/** The record of a rule. */
export function ruleRecord(rule: u32): usize {
  return RULE_RECORDS + rule * RULE_BYTES;
}

export function ruleFlags(rule: u32): u32 {
  return load<u16>(ruleRecord(rule), 6);
}

/** Most bytes of a match. */
export function ruleMax(rule: u32): u32 {
  return load<u32>(ruleRecord(rule), 12);
}

/** Most bytes from the beginning of a match to the end of the first keyword in it. */
export function ruleReach(rule: u32): u32 {
  return load<u32>(ruleRecord(rule), 16);
}

/** Fewest bytes from the beginning of a match to the end of the first keyword in it. */
export function ruleLeast(rule: u32): u32 {
  return load<u32>(ruleRecord(rule), 20);
}

/** The number of the program that matches exactly what the rule does. */
export function ruleProgram(rule: u32): u32 {
  return load<u16>(ruleRecord(rule), 8);
}

/** The number of the program that says where to look closer; NONE for direct rules. */
export function ruleFilter(rule: u32): u32 {
  return load<u16>(ruleRecord(rule), 10);
}

/** Where the short form of a program begins; see compiler/program-pack.ts. */
export function packedProgram(program: u32): usize {
  return BASE + load<u32>(PROGRAMS + (program << 2));
}

/** The record of a set. */
export function setRecord(set: u32): usize {
  return SETS + set * SET_BYTES;
}
