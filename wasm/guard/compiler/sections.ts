// The sections of the tables and who builds each; wasm/guard/tables.ts has the same tags.

import { build as buildFolds } from './folds.ts';

/** One section: its number, and what makes its bytes; undefined leaves it out. */
export interface TableSection {
  tag: number;
  build(): Uint8Array | undefined;
}

export const SECTIONS: readonly TableSection[] = [{ tag: 3, build: buildFolds }];
