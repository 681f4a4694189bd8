// The sections of the tables and who builds each; wasm/guard/tables.ts has the same tags.

import { build as buildFolds } from './folds.ts';
import { buildInjectionModel, buildToxicityModel, buildWordVectors } from './models.ts';
import { build as buildPhones } from './phones.ts';
import { build as buildPiiWords } from './pii-words.ts';
import type { RuleSource } from './rules.ts';
import { build as buildRules, shippedRules } from './rules-section.ts';

/** One section: its number, and what makes its bytes; undefined leaves it out. */
export interface TableSection {
  tag: number;
  build(options: TableOptions): Uint8Array | undefined;
}

export interface TableOptions {
  /** Rule files of users, compiled with those of the guard. */
  rules?: readonly RuleSource[];
  /** False leaves the guard's own rules out. */
  shipped?: boolean;
}

export const SECTIONS: readonly TableSection[] = [
  {
    tag: 1,
    build: ({ rules = [], shipped = true }) =>
      buildRules([...(shipped ? shippedRules() : []), ...rules]),
  },

  { tag: 2, build: buildPhones },
  { tag: 3, build: buildFolds },
  { tag: 4, build: buildInjectionModel },
  { tag: 5, build: buildToxicityModel },
  { tag: 16, build: buildPiiWords },
  { tag: 20, build: buildWordVectors },
];
