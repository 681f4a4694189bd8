// How sections lie side by side in the tables: a magic number, their count, tag, offset and length of each, then they.

/** "ATG1", as wasm/guard/tables.ts expects it. */
const MAGIC = 0x31475441;
const ALIGNMENT = 16;
const HEADER_BYTES = 8;
const ENTRY_BYTES = 12;

export interface SectionBytes {
  tag: number;
  bytes: Uint8Array;
}

/** The tables of these sections, each aligned to 16 bytes. */
export function joinSections(sections: readonly SectionBytes[]): Uint8Array {
  let end = aligned(HEADER_BYTES + sections.length * ENTRY_BYTES);
  const placed = sections.map((section) => {
    const offset = end;
    end = aligned(end + section.bytes.length);
    return { ...section, offset };
  });
  const tables = new Uint8Array(end);
  const view = new DataView(tables.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, placed.length, true);
  placed.forEach(({ tag, bytes, offset }, index) => {
    const entry = HEADER_BYTES + index * ENTRY_BYTES;
    view.setUint32(entry, tag, true);
    view.setUint32(entry + 4, offset, true);
    view.setUint32(entry + 8, bytes.length, true);
    tables.set(bytes, offset);
  });
  return tables;
}

/** The sections of tables. @throws Error when they are none */
export function splitSections(tables: Uint8Array): SectionBytes[] {
  const view = new DataView(tables.buffer, tables.byteOffset, tables.length);
  if (tables.length < HEADER_BYTES || view.getUint32(0, true) !== MAGIC) {
    throw new Error('these are no tables of the guard');
  }
  return Array.from({ length: view.getUint32(4, true) }, (_, index) => {
    const entry = HEADER_BYTES + index * ENTRY_BYTES;
    const offset = view.getUint32(entry + 4, true);
    const length = view.getUint32(entry + 8, true);
    return { tag: view.getUint32(entry, true), bytes: tables.subarray(offset, offset + length) };
  });
}

function aligned(offset: number): number {
  return Math.ceil(offset / ALIGNMENT) * ALIGNMENT;
}
