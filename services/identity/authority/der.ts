// Writes the few forms of DER (ITU-T X.690) that certificates are made of.

const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Tag, length in its shortest form, contents. */
export function element(tag: number, ...contents: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of contents) length += part.byteLength;
  const header = headerOf(tag, length);
  return Buffer.concat([header, ...contents], header.byteLength + length);
}

function headerOf(tag: number, length: number): Uint8Array {
  if (length < 0x80) return Uint8Array.of(tag, length);
  if (length < 0x100) return Uint8Array.of(tag, 0x81, length);
  if (length < 0x10000) return Uint8Array.of(tag, 0x82, length >> 8, length & 0xff);
  throw new RangeError('a certificate is far smaller than this');
}

export const sequence = (...parts: Uint8Array[]) => element(tags.sequence, ...parts);
export const set = (...parts: Uint8Array[]) => element(tags.set, ...parts);
export const octetString = (bytes: Uint8Array) => element(tags.octetString, bytes);
export const yes = element(tags.boolean, Uint8Array.of(0xff));

/** A whole number of octets, or with `unused` bits at the end. */
export const bitString = (bytes: Uint8Array, unused = 0) =>
  element(tags.bitString, Uint8Array.of(unused), bytes);

export const utf8String = (text: string) => element(tags.utf8String, Buffer.from(text));
/** Only for text within the PrintableString alphabet. */
export const printableString = (text: string) => element(tags.printableString, Buffer.from(text));

/** A positive integer, big-endian, in its shortest form. */
export function positiveInteger(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < bytes.byteLength - 1 && bytes[start] === 0) start += 1;
  const digits = bytes.subarray(start);
  const signed = (digits[0] ?? 0) >= 0x80;
  return element(tags.integer, ...(signed ? [Uint8Array.of(0)] : []), digits);
}

/** An object identifier from its dotted form. */
export function objectIdentifier(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const groups = [arc & 0x7f];
    for (let high = arc >>> 7; high > 0; high >>>= 7) groups.unshift((high & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return element(tags.objectIdentifier, Uint8Array.from(bytes));
}

/** Whole seconds; UTCTime through 2049 and GeneralizedTime after (RFC 5280, section 4.1.2.5). */
export function time(at: Date): Uint8Array {
  const digits = `${at.toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`;
  const isShort = at.getUTCFullYear() >= 1950 && at.getUTCFullYear() < 2050;
  return isShort
    ? element(tags.utcTime, Buffer.from(digits.slice(2)))
    : element(tags.generalizedTime, Buffer.from(digits));
}
