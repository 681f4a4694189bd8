// Writes bytes as AssemblyScript code that stores them, so that they vanish with the code when nobody calls it.

/** What the reader of the table knows beside it. */
export interface Constants {
  /** From where the first transition of a zone counts, seconds since 1970. */
  readonly base: number;
  readonly names: number;
  readonly transitionsMax: number;
}

/** The source of wasm/engine/builtins/time-zone-data.ts. */
export function source(constants: Constants, table: ReadonlyMap<string, Uint8Array>): string {
  const bytes: number[] = [];
  const sections = [...table].map(([name, section]) => {
    const line = `export const ${name}: u32 = ${bytes.length};`;
    bytes.push(...section);
    return line;
  });
  while (bytes.length % 16 !== 0) bytes.push(0);
  const data = Buffer.from(bytes);
  const stores = Array.from({ length: data.length / 16 }, (_, i) => {
    const low = data.readBigInt64LE(16 * i);
    const high = data.readBigInt64LE(16 * i + 8);
    return `  v128.store(to, i64x2(${low}, ${high}), ${16 * i});`;
  });
  return `// The time zones of the IANA database, written by scripts/zones.ts: do not edit.
//
// Code and not data, so that a policy without time zones does not carry them.

/** Bytes of the table. */
export const ZONE_BYTES: u32 = ${data.length};
/** How many names there are. */
export const NAME_COUNT: u32 = ${constants.names};
/** From where the first transition of a zone counts, seconds since 1970. */
export const BASE: i64 = ${constants.base};
/** No zone has more transitions. */
export const TRANSITIONS_MAX: u32 = ${constants.transitionsMax};

// Where its sections begin.
${sections.join('\n')}

/** Writes the table. */
export function writeZones(to: u32): void {
${stores.join('\n')}
}
`;
}
