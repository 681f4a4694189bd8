// The framing under every hash of the platform: each field as a 32-bit big-endian length and its bytes.

const encoder = new TextEncoder();

/** Concatenates fields so that no two different lists give the same bytes; text is UTF-8. */
export function frame(fields: readonly (string | Uint8Array)[]): Uint8Array {
  const parts = fields.map((field) => (typeof field === 'string' ? encoder.encode(field) : field));
  const total = parts.reduce((sum, part) => sum + 4 + part.length, 0);
  const framed = new Uint8Array(total);
  const view = new DataView(framed.buffer);
  let at = 0;
  for (const part of parts) {
    view.setUint32(at, part.length);
    framed.set(part, at + 4);
    at += 4 + part.length;
  }
  return framed;
}
