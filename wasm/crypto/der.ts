// Reads DER (X.690), as strictly as Go's cryptobyte: low tags, definite and shortest lengths, exact bounds.

import { alloc } from '../common/arena';

export const enum Tag {
  Boolean = 1,
  Integer = 2,
  BitString = 3,
  OctetString = 4,
  Null = 5,
  Oid = 6,
  Utf8String = 12,
  NumericString = 18,
  PrintableString = 19,
  T61String = 20,
  Ia5String = 22,
  UtcTime = 23,
  GeneralizedTime = 24,
  BmpString = 30,
  Sequence = 0x30,
  Set = 0x31,
  /** [0], primitive; other numbers are added. */
  Context = 0x80,
  /** [0], constructed. */
  ContextConstructed = 0xa0,
}

// A cursor: where it stands and where its bytes end.
const AT: u32 = 0;
const END: u32 = 4;

/** Of the element that was read last: its tag, its content, and the whole of it. */
export let tag: u32 = 0;
export let content: u32 = 0;
export let contentLength: u32 = 0;
export let element: u32 = 0;
export let elementLength: u32 = 0;

/** A cursor over so many bytes. */
export function openDer(pointer: u32, length: u32): u32 {
  const cursor = alloc(8);
  store<u32>(cursor, pointer, AT);
  store<u32>(cursor, pointer + length, END);
  return cursor;
}

/** A cursor over the content that was read last. */
export function enter(): u32 {
  return openDer(content, contentLength);
}

/** Whether nothing is left to read. */
export function atEnd(cursor: u32): bool {
  return load<u32>(cursor, AT) == load<u32>(cursor, END);
}

/** Where the cursor stands. */
export function position(cursor: u32): u32 {
  return load<u32>(cursor, AT);
}

/** The next element's tag, 0 at the end. */
export function peek(cursor: u32): u32 {
  return atEnd(cursor) ? 0 : load<u8>(load<u32>(cursor, AT));
}

/** Reads one element of any tag; false when there is none or its head is not DER. */
export function readAny(cursor: u32): bool {
  const start = load<u32>(cursor, AT);
  const rest = load<u32>(cursor, END) - start;
  if (rest < 2) return false;
  const first = <u32>load<u8>(start);
  if ((first & 0x1f) == 0x1f) return false;
  let length: u32 = load<u8>(start, 1);
  let head: u32 = 2;
  if ((length & 0x80) != 0) {
    const digits = length & 0x7f;
    if (digits == 0 || digits > 4 || rest < 2 + digits) return false;
    length = 0;
    for (let i: u32 = 0; i < digits; i++) length = (length << 8) | load<u8>(start + 2 + i);
    if (length < 128 || length >> ((digits - 1) << 3) == 0) return false;
    head += digits;
  }
  if (length > rest - head) return false;
  tag = first;
  element = start;
  elementLength = head + length;
  content = start + head;
  contentLength = length;
  store<u32>(cursor, start + elementLength, AT);
  return true;
}

/** Reads one element of this tag. */
export function read(cursor: u32, wanted: u32): bool {
  return peek(cursor) == wanted && readAny(cursor);
}

/** Reads one element of this tag where there is one; false when it is broken. `present` says which. */
export let present: bool = false;
export function readOptional(cursor: u32, wanted: u32): bool {
  present = peek(cursor) == wanted;
  return !present || readAny(cursor);
}

/** Reads an INTEGER in its shortest form. */
export function readInteger(cursor: u32): bool {
  return read(cursor, Tag.Integer) && isInteger();
}

/** Whether the content is an INTEGER in its shortest form. */
export function isInteger(): bool {
  if (contentLength == 0) return false;
  if (contentLength == 1) return true;
  const first = <u32>load<u8>(content);
  const sign = <u32>load<u8>(content, 1) >> 7;
  return !(first == 0 && sign == 0) && !(first == 0xff && sign == 1);
}

/** Whether the INTEGER that was read last is negative. */
export function isNegative(): bool {
  return (load<u8>(content) & 0x80) != 0;
}

/** The INTEGER that was read last; `fits64` says whether 64 bits hold it. */
export let fits64: bool = false;
export function toInteger(): i64 {
  fits64 = contentLength <= 8;
  let value: i64 = isNegative() ? -1 : 0;
  for (let i: u32 = 0; i < contentLength; i++) value = (value << 8) | load<u8>(content + i);
  return value;
}

/** Reads a BOOLEAN, FALSE or TRUE as DER writes them; `truth` is its value. */
export let truth: bool = false;
export function readBoolean(cursor: u32): bool {
  if (!read(cursor, Tag.Boolean) || contentLength != 1) return false;
  const byte = <u32>load<u8>(content);
  truth = byte == 0xff;
  return truth || byte == 0;
}

/** Reads a BIT STRING: the content is its bytes, of which the last has `unusedBits` zero bits. */
export let unusedBits: u32 = 0;
export function readBitString(cursor: u32): bool {
  if (!read(cursor, Tag.BitString) || contentLength == 0) return false;
  unusedBits = load<u8>(content);
  content += 1;
  contentLength -= 1;
  if (unusedBits > 7) return false;
  if (contentLength == 0) return unusedBits == 0;
  return (load<u8>(content + contentLength - 1) & ((1 << unusedBits) - 1)) == 0;
}

/** Moves the bits of the BIT STRING that was read last to the right, so that it is whole bytes. */
export function alignRight(): void {
  if (unusedBits == 0) return;
  const moved = alloc(contentLength);
  let carry: u32 = 0;
  for (let i: u32 = 0; i < contentLength; i++) {
    const byte = <u32>load<u8>(content + i);
    store<u8>(moved + i, (carry << (8 - unusedBits)) | (byte >> unusedBits));
    carry = byte;
  }
  content = moved;
}

/** Reads an OBJECT IDENTIFIER whose numbers are below 2^31. */
export function readOid(cursor: u32): bool {
  if (!read(cursor, Tag.Oid) || contentLength == 0) return false;
  const end = content + contentLength;
  for (let p = content; p < end; ) {
    p = skipNumber(p, end);
    if (p == 0) return false;
  }
  return true;
}

/** The number that was skipped last. */
export let number: u32 = 0;

/** Skips a number in base 128; 0 when it is too large, not shortest or not ended. */
export function skipNumber(start: u32, end: u32): u32 {
  number = 0;
  for (let p = start; p < end; p++) {
    if (number >= 1 << 24) return 0;
    const byte = <u32>load<u8>(p);
    if (p == start && byte == 0x80) return 0;
    number = (number << 7) | (byte & 0x7f);
    if ((byte & 0x80) == 0) return p + 1;
  }
  return 0;
}

function digitOf(code: u32): u32 {
  return code < 0x3a ? code - 0x30 : code - 0x57;
}

/** Whether bytes are those of a literal in lower-case hexadecimal. */
export function isBytes(pointer: u32, length: u32, hex: string): bool {
  if (<u32>hex.length != length << 1) return false;
  const source = changetype<usize>(hex);
  for (let i: u32 = 0; i < length; i++) {
    const high = digitOf(load<u8>(source + (i << 2)));
    if (load<u8>(pointer + i) != ((high << 4) | digitOf(load<u8>(source + (i << 2), 2)))) {
      return false;
    }
  }
  return true;
}

/** Whether the content that was read last is a literal in hexadecimal. */
export function isContent(hex: string): bool {
  return isBytes(content, contentLength, hex);
}
