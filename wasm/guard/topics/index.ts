// The TopicBoundary scanner: whether a window of the text is about a topic that is forbidden, or about none of those
// that are allowed.

import {
  childCount,
  firstChild,
  nextSibling,
  stringLength,
  stringPointer,
} from '../../common/json';
import { report } from '../findings';
import { FORBIDDEN_TOPIC, OFF_TOPIC } from '../kinds';
import {
  blockBegin,
  blocksClosed,
  closeBlock,
  openBlocks,
  shiftBlocks,
  windowSubject,
} from '../relevance/blocks';
import {
  addText,
  closeSubject,
  knownOf,
  likeness,
  openSubject,
  similarityOf,
  wordsOf,
} from '../relevance/subject';
import { topicsAllowed, topicsForbidden } from '../request';
import { TOPIC_BOUNDARY } from '../scanners';

/** Topics of each list (wasm/guard/request.ts). */
const TOPICS: u32 = 64;
/** Different words of a description that are compared. */
const TOPIC_WORDS: u32 = 64;
const TOPIC: usize = 720;
/** Words of all descriptions of a list: what bounds the work for each window. */
const LIST_WORDS: u32 = 512;
/** Fewest words, known to the table, of a window that is judged to be about nothing that is allowed. */
const KNOWN: u32 = 8;
/** The likeness, in thousandths, that scores 500 (scripts/guard/relevance-eval.ts). */
const FORBIDDEN_HALF: u32 = 1000;
const ALLOWED_HALF: u32 = 240;

const cutter: usize = memory.data(4688);
const window: usize = memory.data(208);
const forbidden: usize = memory.data(46080);
const allowed: usize = memory.data(46080);
let forbiddenCount: u32 = 0;
let allowedCount: u32 = 0;
let isOpen: bool = false;

/** Forgets the last text and reads the topics. */
export function resetTopics(): void {
  isOpen = false;
  forbiddenCount = readTopics(topicsForbidden, forbidden);
  allowedCount = readTopics(topicsAllowed, allowed);
}

function readTopics(list: u32, topics: usize): u32 {
  if (list == 0) return 0;
  let topic = topics;
  let left = LIST_WORDS;
  for (let child = firstChild(list); child != 0; child = nextSibling(child)) {
    const begin = <usize>stringPointer(child);
    openSubject(topic);
    addText(topic, begin, begin + stringLength(child), min(TOPIC_WORDS, left));
    closeSubject(topic);
    left -= wordsOf(topic);
    topic += TOPIC;
  }
  return min(childCount(list), TOPICS);
}

/** The text has moved down by `delta`. */
export function shiftTopics(delta: usize): void {
  if (isOpen) shiftBlocks(cutter, delta);
}

/** Judges each window of four blocks at its last one; see scan.ts for the contract. */
export function advanceTopics(begin: usize, end: usize, last: bool): usize {
  if (!isOpen) {
    openBlocks(cutter, begin);
    isOpen = true;
  }
  while (true) {
    const from = blockBegin(cutter);
    const stop = closeBlock(cutter, end, last);
    if (stop == 0) return from;
    judge(from, stop, last && stop == end);
  }
}

function judge(from: usize, to: usize, isEnd: bool): void {
  windowSubject(cutter, window);
  const near = similarityOf(best(forbidden, forbiddenCount), FORBIDDEN_HALF);
  if (forbiddenCount > 0) report(<u32>from, <u32>to, TOPIC_BOUNDARY, FORBIDDEN_TOPIC, near);
  if (allowedCount == 0 || knownOf(window) < KNOWN) return;
  // What is off topic is told by a whole window: fewer words say too little.
  if (blocksClosed(cutter) < 4 && !isEnd) return;
  const on = similarityOf(best(allowed, allowedCount), ALLOWED_HALF);
  report(<u32>from, <u32>to, TOPIC_BOUNDARY, OFF_TOPIC, 1000 - on);
}

/** The likeness of the window to the topic that is most like it. */
function best(topics: usize, count: u32): u32 {
  let most: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    most = max(most, likeness(topics + <usize>i * TOPIC, window));
  }
  return most;
}
