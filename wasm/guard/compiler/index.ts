// Compiles the data of the guard (rules, models, folding) to the tables that are linked into the module.
import { SECTIONS, type TableOptions } from './sections.ts';

export type { RuleSource } from './rules.ts';
export { RuleError } from './rules-error.ts';
export type { TableOptions };

/** "ATG1", as wasm/guard/tables.ts expects it. */
const MAGIC = 0x31475441;
const ALIGNMENT = 16;
const ENTRY_BYTES = 12;

/**
 * The tables: a magic number, the count, tag, offset and length of each section, then the sections, aligned.
 * @throws RuleError for the first mistake in a rule file
 */
export function compileTables(options: TableOptions = {}): Uint8Array {
  const sections = SECTIONS.flatMap(({ tag, build }) => {
    const bytes = build(options);
    return bytes === undefined ? [] : [{ tag, bytes }];
  });
  let end = aligned(8 + sections.length * ENTRY_BYTES);
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
    const entry = 8 + index * ENTRY_BYTES;
    view.setUint32(entry, tag, true);
    view.setUint32(entry + 4, offset, true);
    view.setUint32(entry + 8, bytes.length, true);
    tables.set(bytes, offset);
  });
  return tables;
}

function aligned(offset: number): number {
  return Math.ceil(offset / ALIGNMENT) * ALIGNMENT;
}
