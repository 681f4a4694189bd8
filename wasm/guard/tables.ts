// The tables that the build links into the module: rules, models and folding data, each a section with a tag.

/** Where the tables begin in memory; the module's own data begins at `memoryBase` of asconfig.json. */
const TABLES: usize = 1024;
/** "ATG1": says that tables were linked in. */
const MAGIC: u32 = 0x31475441;
const ENTRY: usize = 12;

export const RULES: u32 = 1;
export const PHONES: u32 = 2;
export const FOLDS: u32 = 3;
export const INJECTION_MODEL: u32 = 4;
export const TOXICITY_MODEL: u32 = 5;
export const WORDS: u32 = 6;
export const PII_WORDS: u32 = 16;
export const WORD_VECTORS: u32 = 20;

function entryOf(tag: u32): usize {
  if (load<u32>(TABLES) != MAGIC) return 0;
  const count = load<u32>(TABLES, 4);
  for (let index: u32 = 0; index < count; index++) {
    const entry = TABLES + 8 + <usize>index * ENTRY;
    if (load<u32>(entry) == tag) return entry;
  }
  return 0;
}

/** Where a section begins, 16-byte aligned; 0 when there is none. */
export function section(tag: u32): usize {
  const entry = entryOf(tag);
  return entry == 0 ? 0 : TABLES + <usize>load<u32>(entry, 4);
}

/** How many bytes a section has. */
export function sectionBytes(tag: u32): u32 {
  const entry = entryOf(tag);
  return entry == 0 ? 0 : load<u32>(entry, 8);
}
