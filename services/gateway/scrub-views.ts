// Readings of a text that echoes something encoded: decoded and normalized bytes, each with its place in the text.

/** Bytes of one reading; byte `i` came from the text's bytes `from[i]` to `to[i]`, the latter not included. */
export interface View {
  bytes: Uint8Array;
  from: Uint32Array;
  to: Uint32Array;
}

/** Stands between the texts of a result; no byte of UTF-8 has this value. */
export const boundary = 0xff;

/** The text as it is. */
export function plainView(bytes: Uint8Array): View {
  const from = new Uint32Array(bytes.length);
  const to = new Uint32Array(bytes.length);
  for (let at = 0; at < bytes.length; at++) {
    from[at] = at;
    to[at] = at + 1;
  }
  return { bytes, from, to };
}

/**
 * One byte of a view replaced by another, or dropped where `table` has -1. Each byte is judged alone, so
 * what stands around an echo cannot hide it.
 */
export function mapped({ bytes, from, to }: View, table: Int16Array): View {
  const kept = emptyView(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = table[bytes[at]!]!;
    if (byte < 0) continue;
    kept.bytes[length] = byte;
    kept.from[length] = from[at]!;
    kept.to[length] = to[at]!;
    length++;
  }
  return cut(kept, length);
}

/** One escape at the beginning of `bytes` from `at`: how long it is and what it stands for. */
export interface Escape {
  length: number;
  code: number;
  /** Whether `code` is a character, to be written as UTF-8, rather than a byte. */
  isCharacter: boolean;
}

export type Decoder = (bytes: Uint8Array, at: number) => Escape | undefined;

/** Every escape that one of the decoders knows replaced by what it stands for, in one pass. */
export function decoded({ bytes, from, to }: View, decoders: readonly Decoder[]): View {
  const result = emptyView(bytes.length);
  let length = 0;
  let at = 0;
  while (at < bytes.length) {
    const found = escapeAt(bytes, at, decoders);
    const end = at + (found?.length ?? 1);
    const written = found === undefined ? undefined : bytesOf(found);
    for (let index = 0; index < (written?.length ?? 1); index++) {
      result.bytes[length] = written === undefined ? bytes[at]! : written[index]!;
      result.from[length] = from[at]!;
      result.to[length] = to[end - 1]!;
      length++;
    }
    at = end;
  }
  return cut(result, length);
}

const percent = 0x25;
const backslash = 0x5c;
const ampersand = 0x26;

/** The bytes that begin an escape. */
export const escapeStarts: readonly number[] = [percent, backslash, ampersand];

function escapeAt(bytes: Uint8Array, at: number, decoders: readonly Decoder[]): Escape | undefined {
  const byte = bytes[at]!;
  if (byte !== percent && byte !== backslash && byte !== ampersand) return undefined;
  for (const decode of decoders) {
    const found = decode(bytes, at);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `%41` (RFC 3986, section 2.1), and `%u0041` of JavaScript's `escape`. */
export const percentEscape: Decoder = (bytes, at) => {
  if (bytes[at] !== percent) return undefined;
  const byte = hexAt(bytes, at + 1, 2);
  if (byte !== undefined) return { length: 3, code: byte, isCharacter: false };
  return letterAt(bytes, at + 1) === 'u' ? unitEscape(bytes, at) : undefined;
};

/** `\n`, `\"`, `\x41`, `\101` and `\u0041` of JSON, JavaScript, Python, C and shells. */
export const backslashEscape: Decoder = (bytes, at) => {
  if (bytes[at] !== backslash || at + 1 >= bytes.length) return undefined;
  const letter = letterAt(bytes, at + 1);
  const unit = letter === 'u' ? unitEscape(bytes, at) : undefined;
  if (unit !== undefined) return unit;
  const byte = letter === 'x' ? hexAt(bytes, at + 2, 2) : undefined;
  if (byte !== undefined) return { length: 4, code: byte, isCharacter: false };
  const octal = numberAt(bytes, at + 1, 3, 8);
  if (octal !== undefined && octal < 256) return { length: 4, code: octal, isCharacter: false };
  const control = 'abtnvfr'.indexOf(letter);
  const code = control >= 0 ? control + 7 : letter === '0' ? 0 : bytes[at + 1]!;
  return { length: 2, code, isCharacter: false };
};

const entities: Readonly<Record<string, number>> = {
  ...{ amp: 38, lt: 60, gt: 62, quot: 34, apos: 39, nbsp: 32, sol: 47, plus: 43, equals: 61 },
};
const entityMax = 10;

/** `&amp;`, `&#38;` and `&#x26;` of HTML and XML. */
export const htmlEscape: Decoder = (bytes, at) => {
  if (bytes[at] !== ampersand) return undefined;
  let end = at + 1;
  while (end < bytes.length && end - at < entityMax && bytes[end] !== 0x3b) end++;
  if (bytes[end] !== 0x3b) return undefined;
  const name = String.fromCharCode(...bytes.subarray(at + 1, end));
  const length = end + 1 - at;
  const [, decimal, hex] = /^#(?:(\d{1,7})|[xX]([0-9a-fA-F]{1,6}))$/.exec(name) ?? [];
  const code =
    decimal !== undefined
      ? Number(decimal)
      : hex !== undefined
        ? Number.parseInt(hex, 16)
        : Object.hasOwn(entities, name)
          ? entities[name]!
          : -1;
  return code >= 0 && code <= 0x10ffff ? { length, code, isCharacter: true } : undefined;
};

/** Six bytes with four hexadecimal digits: one UTF-16 code unit, or two of them for one character. */
function unitEscape(bytes: Uint8Array, at: number): Escape | undefined {
  const code = hexAt(bytes, at + 2, 4);
  if (code === undefined) return undefined;
  const next = at + 6;
  const isPair = code >= 0xd800 && code < 0xdc00 && bytes[next] === bytes[at];
  const low = isPair && letterAt(bytes, next + 1) === 'u' ? hexAt(bytes, next + 2, 4) : undefined;
  if (low === undefined || low < 0xdc00 || low > 0xdfff) {
    return { length: 6, code, isCharacter: true };
  }
  const character = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  return { length: 12, code: character, isCharacter: true };
}

function letterAt(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(bytes[at] ?? 0);
}

function hexAt(bytes: Uint8Array, at: number, digits: number): number | undefined {
  return numberAt(bytes, at, digits, 16);
}

function numberAt(bytes: Uint8Array, at: number, digits: number, base: number): number | undefined {
  let number = 0;
  for (let index = at; index < at + digits; index++) {
    const digit = '0123456789abcdef'.indexOf(letterAt(bytes, index).toLowerCase());
    if (digit < 0 || digit >= base) return undefined;
    number = number * base + digit;
  }
  return number;
}

function bytesOf({ code, isCharacter }: Escape): ArrayLike<number> {
  if (!isCharacter || code < 0x80) return [code];
  return Buffer.from(String.fromCodePoint(code));
}

function emptyView(length: number): View {
  return {
    bytes: new Uint8Array(length),
    from: new Uint32Array(length),
    to: new Uint32Array(length),
  };
}

function cut({ bytes, from, to }: View, length: number): View {
  return {
    bytes: bytes.subarray(0, length),
    from: from.subarray(0, length),
    to: to.subarray(0, length),
  };
}
