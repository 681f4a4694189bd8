// Puts tables into the guard module as a data segment, takes them out, and reads them.

/** Where the tables begin in the module's memory; wasm/guard/tables.ts reads them there. */
export const TABLES_ADDRESS = 1024;
/** Where the module's own data begins: `memoryBase` of asconfig.json. */
export const TABLES_END = 3 * 1024 * 1024;
const CODE = 10;
const DATA = 11;
const DATA_COUNT = 12;
const HEADER_BYTES = 8;
const I32_CONST = 0x41;
const END = 0x0b;

/** The tables that were linked into a module. */
export function tablesOf(wasm: Uint8Array): Uint8Array {
  const data = sectionsOf(wasm).find(({ id }) => id === DATA);
  const segment = segmentsOf(data?.body ?? unsigned(0)).find(
    ({ address }) => address === TABLES_ADDRESS,
  );
  if (segment === undefined) throw new Error('the module has no tables');
  return segment.content;
}

interface Section {
  id: number;
  body: Uint8Array;
}

interface Segment {
  address: number;
  /** All of it, as it stands in the section. */
  bytes: Uint8Array;
  /** What it puts into memory. */
  content: Uint8Array;
}

/**
 * The module with the tables at address 1024; tables that were linked before are replaced. A metered module stays
 * metered. Equal input gives equal bytes.
 * @throws RangeError when the tables do not fit, Error when the module is none that asc writes
 */
export function linkTables(wasm: Uint8Array, tables: Uint8Array): Uint8Array {
  if (tables.length > TABLES_END - TABLES_ADDRESS) {
    throw new RangeError(`the tables take ${tables.length} bytes, more than their place has`);
  }
  return withSegments(wasm, [segmentOf(tables)]);
}

/** The module as it was before tables were linked into it. */
export function withoutTables(wasm: Uint8Array): Uint8Array {
  return withSegments(wasm, []);
}

/** The module with these segments in the place of its tables. */
function withSegments(wasm: Uint8Array, added: readonly Uint8Array[]): Uint8Array {
  const sections = sectionsOf(wasm);
  const data = dataSection(sections);
  const others = segmentsOf(data.body).filter(({ address }) => address !== TABLES_ADDRESS);
  const segments = [...others.map(({ bytes }) => bytes), ...added];
  data.body = concat([unsigned(segments.length), ...segments]);
  const count = sections.find(({ id }) => id === DATA_COUNT);
  if (count !== undefined) count.body = unsigned(segments.length);
  return concat([
    wasm.subarray(0, HEADER_BYTES),
    ...sections.flatMap(({ id, body }) => [Uint8Array.of(id), unsigned(body.length), body]),
  ]);
}

/** The data section; a module without one gets one, behind its code as the format asks for. */
function dataSection(sections: Section[]): Section {
  const present = sections.find(({ id }) => id === DATA);
  if (present !== undefined) return present;
  const added = { id: DATA, body: unsigned(0) };
  sections.splice(sections.findIndex(({ id }) => id === CODE) + 1, 0, added);
  return added;
}

function sectionsOf(wasm: Uint8Array): Section[] {
  const sections: Section[] = [];
  let at = HEADER_BYTES;
  while (at < wasm.length) {
    const id = wasm[at]!;
    const size = readUnsigned(wasm, at + 1);
    sections.push({ id, body: wasm.subarray(size.next, size.next + size.value) });
    at = size.next + size.value;
  }
  return sections;
}

/** The active segments of a data section, each with its address. */
function segmentsOf(body: Uint8Array): Segment[] {
  const { value: count, next } = readUnsigned(body, 0);
  const segments: Segment[] = [];
  let at = next;
  for (let index = 0; index < count; index++) {
    const start = at;
    if (body[at] !== 0 || body[at + 1] !== I32_CONST) throw new Error('a segment is not active');
    // Addresses are positive and below 2^31: the signed number reads as an unsigned one.
    const address = readUnsigned(body, at + 2);
    if (body[address.next] !== END) throw new Error('the address of a segment is no constant');
    const size = readUnsigned(body, address.next + 1);
    at = size.next + size.value;
    segments.push({
      address: address.value,
      bytes: body.subarray(start, at),
      content: body.subarray(size.next, at),
    });
  }
  return segments;
}

function segmentOf(tables: Uint8Array): Uint8Array {
  // 1024 as a signed LEB128 number.
  const header = Uint8Array.of(0, I32_CONST, 0x80, 0x08, END);
  return concat([header, unsigned(tables.length), tables]);
}

function unsigned(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  do {
    bytes.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
    rest >>>= 7;
  } while (rest > 0);
  return Uint8Array.from(bytes);
}

function readUnsigned(bytes: Uint8Array, from: number): { value: number; next: number } {
  let value = 0;
  for (let at = from, shift = 0; shift < 35; at++, shift += 7) {
    const byte = bytes[at];
    if (byte === undefined) break;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return { value, next: at + 1 };
  }
  throw new Error('the module ends too early');
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
