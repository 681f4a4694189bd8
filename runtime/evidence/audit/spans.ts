// Finds members in canonical JSON bytes, for readers that need a few values of very many rows.
//
// The bytes must have been found to be canonical: nothing here checks what that check has shown.

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Where the members of one object are: of each the start and end of its key, without the quotes, and of its value. */
export type MemberSpans = number[];
/** Numbers that a member takes in `MemberSpans`. */
export const SPAN = 4;

/** Adds the members of the object at `at` to `spans`; returns the position behind it. */
export function memberSpans(bytes: Uint8Array, at: number, spans: MemberSpans): number {
  let from = at + 1;
  if (bytes[from] === CLOSE_OBJECT) return from + 1;
  for (;;) {
    const keyEnd = stringEnd(bytes, from);
    const end = valueEnd(bytes, keyEnd + 1);
    spans.push(from + 1, keyEnd - 1, keyEnd + 1, end);
    if (bytes[end] !== COMMA) return end + 1;
    from = end + 1;
  }
}

/** The index in `spans` of the member with this ASCII name, which no canonical key escapes; or -1. */
export function indexOfMember(bytes: Uint8Array, spans: MemberSpans, name: string): number {
  for (let index = 0; index < spans.length; index += SPAN) {
    if (isText(bytes, spans[index]!, spans[index + 1]!, name)) return index;
  }
  return -1;
}

/** Whether the bytes from `start` to `end` are this ASCII text. */
export function isText(bytes: Uint8Array, start: number, end: number, text: string): boolean {
  if (end - start !== text.length) return false;
  for (let i = 0; i < text.length; i++) {
    if (bytes[start + i] !== text.charCodeAt(i)) return false;
  }
  return true;
}

/** Where the value begins of the member with this ASCII name whose key begins at `at`; or -1 where it is another. */
export function valueOfKey(bytes: Uint8Array, at: number, name: string): number {
  const end = at + 1 + name.length;
  return bytes[end] === QUOTE && isText(bytes, at + 1, end, name) ? end + 2 : -1;
}

/** Whether an object begins here. */
export function isObjectAt(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === OPEN_OBJECT;
}

/** Whether an array begins here. */
export function isArrayAt(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === OPEN_ARRAY;
}

/** Whether an array or an object ends here. */
export function isEndAt(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === CLOSE_ARRAY || bytes[at] === CLOSE_OBJECT;
}

/** Whether another element or member follows. */
export function isCommaAt(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === COMMA;
}

/** Whether a string begins here. */
export function isStringAt(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === QUOTE;
}

/** The string from `start` to `end`, with its quotes. */
export function stringAt(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('utf8', start + 1, end - 1);
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
}

/** The position behind the string whose first quote is at `start`. */
export function stringEnd(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  for (;;) {
    const byte = bytes[at]!;
    if (byte === QUOTE) return at + 1;
    at += byte === BACKSLASH ? 2 : 1;
  }
}

/** The position behind the value at `start`. */
export function valueEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  let depth = 0;
  for (;;) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      at = stringEnd(bytes, at);
      if (depth === 0) return at;
      continue;
    }
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      // The end of what holds a number or a literal, or of the value itself.
      if (depth === 0) return at;
      if (--depth === 0) return at + 1;
    } else if (byte === COMMA && depth === 0) return at;
    at++;
  }
}
