// What a rule is once it was read: checked, with its patterns parsed; see rules-read.ts for the files.
import type { Pattern } from './re2.ts';
import type { Place } from './rules-error.ts';

/** The sets of rules, in the order of their numbers. */
export const SETS = ['secrets', 'injection', 'injection_wide'] as const;
export type SetName = (typeof SETS)[number];

/** A file of rules: its name is for messages only. */
export interface RuleSource {
  file: string;
  text: string;
}

export interface Rule {
  set: SetName;
  id: string;
  /** What findings are called. */
  kind: string;
  /** What a reader is told that it finds. */
  title: string;
  /** Where the format is described. */
  docs?: string;
  keywords: readonly string[];
  pattern: Pattern;
  /** Where the pattern stands. */
  place: Place;
  /** The group that is the finding; 0 for the whole match. */
  group: number;
  /** Most bytes of a match. */
  max: number;
  /** Least entropy of a finding in bits a byte; 0 for any. */
  entropy: number;
  /** The number of the function in wasm/guard/engine/checks; 0 for none. */
  check: number;
  stopwords: readonly string[];
  allow: readonly Pattern[];
  /** Excuse a finding as `allow` does, but only near its beginning unless the rule is generic. */
  placeholders: readonly Pattern[];
  generic: boolean;
  /** Thousandths. */
  score: number;
}
