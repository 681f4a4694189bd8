// The YAML text that is being read: the place in it, white space and comments, and what is wrong with it.

/** Where the text is read; `end` is behind it, `lineStart` where the line of `at` begins. */
export let at: u32 = 0;
export let end: u32 = 0;
let lineStart: u32 = 0;
/** Whether the text is not the YAML that is taken. */
export let faulty: bool = false;

/** Begins a text. */
export function openSource(pointer: u32, length: u32): void {
  at = pointer;
  end = pointer + length;
  lineStart = pointer;
  faulty = false;
  // A byte order mark.
  if (length >= 3 && load<u16>(at) == 0xbbef && load<u8>(at, 2) == 0xbf) moveTo(at + 3);
  if (at == pointer + 3) lineStart = at;
}

/** Gives the text up; returns nothing, for returning it. */
export function fault(): u32 {
  faulty = true;
  at = end;
  return 0;
}

/** Goes to a place on the same line. */
export function moveTo(place: u32): void {
  at = place;
}

/** Goes to the beginning of a line. */
export function moveToLine(place: u32): void {
  at = place;
  lineStart = place;
}

/** The byte at an offset from here, 0 behind the end. */
export function peek(offset: u32 = 0): u32 {
  return at + offset < end ? load<u8>(at + offset) : 0;
}

/** How far from the beginning of its line the place is. */
export function column(): i32 {
  return <i32>(at - lineStart);
}

/** Where the line begins on which the place is. */
export function lineBegin(): u32 {
  return lineStart;
}

export function isBreak(byte: u32): bool {
  return byte == 10 || byte == 13;
}

/** Space, tab, line break or the end of the text. */
export function isBlank(byte: u32): bool {
  return byte == 0x20 || byte == 9 || isBreak(byte) || byte == 0;
}

/** The characters that have a meaning inside brackets. */
export function isFlowMark(byte: u32): bool {
  return byte == 0x2c || byte == 0x5b || byte == 0x5d || byte == 0x7b || byte == 0x7d;
}

/** Reads one line break of one or two bytes. */
export function skipBreak(): void {
  const size: u32 = peek() == 13 && peek(1) == 10 ? 2 : 1;
  moveToLine(at + size);
}

/** Skips white space on the line, and a comment behind it. */
export function skipInLine(): void {
  while (peek() == 0x20 || peek() == 9) at++;
  if (peek() == 0x23) while (at < end && !isBreak(peek())) at++;
}

/** Skips white space, comments and line breaks; where `indents`, a tab that indents a line is a fault. */
export function skipToToken(indents: bool): void {
  while (at < end) {
    const begins = at == lineStart;
    skipInLine();
    if (!isBreak(peek())) {
      if (indents && begins && at < end) refuseTabs();
      return;
    }
    skipBreak();
  }
}

function refuseTabs(): void {
  for (let p = lineStart; p < at; p++) if (load<u8>(p) == 9) fault();
}

/** Whether a line begins here with `---` (0x2d) or `...` (0x2e). */
export function isMarker(byte: u32): bool {
  if (at != lineStart || peek() != byte || peek(1) != byte || peek(2) != byte) return false;
  return isBlank(peek(3));
}

/** Whether a document ends here. */
export function endsDocument(): bool {
  return at >= end || isMarker(0x2d) || isMarker(0x2e);
}
