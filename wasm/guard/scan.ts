// Runs the scanners over a text or over the pieces of one.

import { resetFindings } from './findings';
import { advanceInjection, resetInjection, shiftInjection } from './injection/index';
import { advanceInvisible, resetInvisible, shiftInvisible } from './invisible/index';
import { advanceLimit, resetLimit } from './limit/index';
import { advancePii, resetPii, shiftPii } from './pii/index';
import { advanceRelevance, resetRelevance, shiftRelevance } from './relevance/index';
import { scanners } from './request';
import {
  INVISIBLE_TEXT,
  PII,
  PROMPT_INJECTION,
  RELEVANCE,
  SECRETS,
  TOKEN_LIMIT,
  TOPIC_BOUNDARY,
  TOXICITY,
} from './scanners';
import { advanceSecrets, resetSecrets, shiftSecrets } from './secrets/index';
import { count, resetWork } from './text';
import { advanceTopics, resetTopics, shiftTopics } from './topics/index';
import { advanceToxicity, resetToxicity, shiftToxicity } from './toxicity/index';

/** Forgets the last text. */
export function resetScan(): void {
  resetFindings();
  resetWork();
  resetInvisible();
  resetInjection();
  resetPii();
  resetSecrets();
  resetToxicity();
  if ((scanners & (1 << RELEVANCE)) != 0) resetRelevance();
  if ((scanners & (1 << TOPIC_BOUNDARY)) != 0) resetTopics();
  resetLimit();
}

/**
 * Lets every scanner that was asked for judge `[begin, end)`, of which what they hold back from is new; returns the
 * least of what they hold: nothing reported later begins before. With `last` the text ends at `end`.
 */
export function advanceAll(begin: usize, end: usize, last: bool): usize {
  count(<u32>(end - begin));
  let held = end;
  if ((scanners & (1 << INVISIBLE_TEXT)) != 0) held = advanceInvisible(begin, end, last);
  if ((scanners & (1 << PROMPT_INJECTION)) != 0) {
    held = min(held, advanceInjection(begin, end, last));
  }
  if ((scanners & (1 << PII)) != 0) held = min(held, advancePii(begin, end, last));
  if ((scanners & (1 << SECRETS)) != 0) held = min(held, advanceSecrets(begin, end, last));
  if ((scanners & (1 << RELEVANCE)) != 0) held = min(held, advanceRelevance(begin, end, last));
  if ((scanners & (1 << TOPIC_BOUNDARY)) != 0) held = min(held, advanceTopics(begin, end, last));
  if ((scanners & (1 << TOXICITY)) != 0) held = min(held, advanceToxicity(begin, end, last));
  if ((scanners & (1 << TOKEN_LIMIT)) != 0) held = min(held, advanceLimit(begin, end));
  return held;
}

/** Says that the text has moved down by `delta` bytes. */
export function shiftAll(delta: usize): void {
  if ((scanners & (1 << INVISIBLE_TEXT)) != 0) shiftInvisible(delta);
  if ((scanners & (1 << PROMPT_INJECTION)) != 0) shiftInjection(delta);
  if ((scanners & (1 << PII)) != 0) shiftPii(delta);
  if ((scanners & (1 << SECRETS)) != 0) shiftSecrets(delta);
  if ((scanners & (1 << RELEVANCE)) != 0) shiftRelevance(delta);
  if ((scanners & (1 << TOPIC_BOUNDARY)) != 0) shiftTopics(delta);
  if ((scanners & (1 << TOXICITY)) != 0) shiftToxicity(delta);
}
