// The TokenLimit scanner: whether the text has more tokens than it may; the host has counted them with wasm/tokens.

import { report } from '../findings';
import { TOO_MANY_TOKENS } from '../kinds';
import { observedTokens, tokensMax } from '../request';
import { TOKEN_LIMIT } from '../scanners';

let isJudged: bool = false;

/** Forgets the last text. */
export function resetLimit(): void {
  isJudged = false;
}

/**
 * Judges the text once, when its first bytes come: the count was known before. What is reported is the text's
 * beginning, since the end of a text that comes in pieces is not known then. Holds nothing.
 */
export function advanceLimit(begin: usize, end: usize): usize {
  if (!isJudged && observedTokens > tokensMax) {
    report(<u32>begin, <u32>begin, TOKEN_LIMIT, TOO_MANY_TOKENS, 1000);
  }
  isJudged = true;
  return end;
}
