// The findings of one scan: the first 256 by start, end, scanner and kind, kept sorted as they come.

/** More findings than this are counted as `truncated`; the answer is a denial either way. */
export const FINDINGS_MAX: u32 = 256;

const ENTRY: u32 = 12;
const entries: u32 = <u32>memory.data(3072);

export let found: u32 = 0;
export let truncated: bool = false;

/** Forgets the findings of the last scan. */
export function resetFindings(): void {
  found = 0;
  truncated = false;
}

export function findingStart(index: u32): u32 {
  return load<u32>(entries + index * ENTRY);
}

export function findingEnd(index: u32): u32 {
  return load<u32>(entries + index * ENTRY, 4);
}

/** The kind number, see kinds.ts; its order is the order of scanner name, then kind name. */
export function findingKind(index: u32): u32 {
  return load<u32>(entries + index * ENTRY, 8);
}

function precedes(start: u32, end: u32, kind: u32, index: u32): bool {
  const otherStart = findingStart(index);
  if (start != otherStart) return start < otherStart;
  const otherEnd = findingEnd(index);
  if (end != otherEnd) return end < otherEnd;
  return kind < findingKind(index);
}

/**
 * Adds the finding of `kind` at the pointers `[start, end)`. Matchers report nearly in order, so the
 * insertion is short; once full, a later finding costs one comparison.
 */
export function report(start: u32, end: u32, kind: u32): void {
  let index = found;
  if (found == FINDINGS_MAX) {
    truncated = true;
    index = FINDINGS_MAX - 1;
    if (!precedes(start, end, kind, index)) return;
  } else {
    found++;
  }
  while (index > 0 && precedes(start, end, kind, index - 1)) {
    memory.copy(entries + index * ENTRY, entries + (index - 1) * ENTRY, ENTRY);
    index--;
  }
  store<u32>(entries + index * ENTRY, start);
  store<u32>(entries + index * ENTRY, end, 4);
  store<u32>(entries + index * ENTRY, kind, 8);
}
