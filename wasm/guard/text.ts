// The text under scan, and the work done on it.

/** First byte of the text. */
export let begin: u32 = 0;
/** One past its last byte. */
export let end: u32 = 0;
/** Work done on this text, in bytes looked at; tests show with it that the scan is linear. */
export let work: u32 = 0;

/** Sets the text that all matchers look at. */
export function openText(pointer: u32, length: u32): void {
  begin = pointer;
  end = pointer + length;
}

/** Begins to count the work on a new text. */
export function resetWork(): void {
  work = 0;
}

/** Counts `steps` of work that a matcher does in a loop of its own. */
export function count(steps: u32): void {
  work += steps;
}
