// What the decision modules' hosts use of Node's Buffer, in a browser: bytes with texts and numbers in them.

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
/** How many characters a call takes as arguments. */
const ARGUMENTS_MAX = 8192;

/** The static methods have other signatures than those of the class below them. */
const Bytes = Uint8Array as unknown as new (
  source: number | ArrayBufferLike | ArrayLike<number>,
  offset?: number,
  length?: number,
) => Uint8Array<ArrayBuffer>;

/** Node's Buffer as far as runtime/ goes; what is missing here fails where it is called. */
export class Buffer extends Bytes {
  static from(
    source: string | ArrayBufferLike | ArrayLike<number>,
    encodingOrOffset?: string | number,
    length?: number,
  ): Buffer {
    if (typeof source === 'string') return encoded(source, String(encodingOrOffset ?? 'utf8'));
    if (source instanceof ArrayBuffer || !('length' in source)) {
      return new Buffer(source as ArrayBuffer, encodingOrOffset as number | undefined, length);
    }
    return new Buffer(source);
  }

  static alloc(size: number): Buffer {
    return new Buffer(size);
  }

  static allocUnsafe(size: number): Buffer {
    return new Buffer(size);
  }

  static allocUnsafeSlow(size: number): Buffer {
    return new Buffer(size);
  }

  static of(...bytes: number[]): Buffer {
    return new Buffer(bytes);
  }

  static byteLength(text: string): number {
    return encoder.encode(text).length;
  }

  static isBuffer(value: unknown): boolean {
    return value instanceof Buffer;
  }

  static concat(parts: readonly Uint8Array[]): Buffer {
    const whole = new Buffer(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }

  /** Compares as Node does: byte by byte, then the shorter one is first. */
  static compare(left: Uint8Array, right: Uint8Array): number {
    const shared = Math.min(left.length, right.length);
    for (let index = 0; index < shared; index++) {
      if (left[index] !== right[index]) return left[index]! < right[index]! ? -1 : 1;
    }
    return Math.sign(left.length - right.length);
  }

  override toString(encoding = 'utf8', start = 0, end = this.length): string {
    const bytes = this.subarray(start, end);
    if (encoding === 'hex') {
      let digits = '';
      for (const byte of bytes) digits += HEX[byte];
      return digits;
    }
    if (encoding === 'utf8' || encoding === 'utf-8') return decoder.decode(bytes);
    const text = latin1(bytes);
    if (encoding === 'latin1' || encoding === 'binary') return text;
    if (encoding === 'base64') return btoa(text);
    if (encoding === 'base64url') {
      return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
    }
    throw new Error(`there is no encoding ${encoding} in a browser`);
  }

  compare(
    other: Uint8Array,
    otherStart = 0,
    otherEnd = other.length,
    start = 0,
    end = this.length,
  ): number {
    return Buffer.compare(this.subarray(start, end), other.subarray(otherStart, otherEnd));
  }

  equals(other: Uint8Array): boolean {
    return Buffer.compare(this, other) === 0;
  }

  /** Shares the memory, as Node's does. */
  override slice(start?: number, end?: number): Uint8Array<ArrayBuffer> {
    return this.subarray(start, end);
  }

  copy(target: Uint8Array, targetStart = 0, start = 0, end = this.length): number {
    target.set(this.subarray(start, end), targetStart);
    return end - start;
  }

  /** Writes UTF-8 that is known to fit; returns how many bytes it took. */
  write(text: string, start = 0): number {
    return encoder.encodeInto(text, this.subarray(start)).written;
  }

  writeUInt32BE(value: number, at = 0): number {
    new DataView(this.buffer, this.byteOffset).setUint32(at, value);
    return at + 4;
  }

  readUInt32BE(at = 0): number {
    return new DataView(this.buffer, this.byteOffset).getUint32(at);
  }
}

/** Whether the bytes are UTF-8 (node:buffer). */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    strict.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function encoded(text: string, encoding: string): Buffer {
  if (encoding === 'utf8' || encoding === 'utf-8') return new Buffer(encoder.encode(text));
  if (encoding === 'latin1' || encoding === 'binary') {
    return new Buffer(Array.from({ length: text.length }, (_, at) => text.charCodeAt(at)));
  }
  if (encoding === 'hex') return fromHex(text);
  if (encoding === 'base64' || encoding === 'base64url') return fromBase64(text);
  throw new Error(`there is no encoding ${encoding} in a browser`);
}

/** Up to the first pair that is no hex digits, as Node reads it. */
function fromHex(text: string): Buffer {
  const bytes = new Uint8Array(text.length >> 1);
  for (let index = 0; index < bytes.length; index++) {
    const pair = text.slice(index * 2, index * 2 + 2);
    if (!/^[0-9a-fA-F]{2}$/.test(pair)) return new Buffer(bytes.slice(0, index));
    bytes[index] = Number.parseInt(pair, 16);
  }
  return new Buffer(bytes);
}

/** Either alphabet, with or without its end, and nothing of what is in neither, as Node reads it. */
function fromBase64(text: string): Buffer {
  const [data = ''] = text.split('=', 1);
  const plain = data
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/[^A-Za-z0-9+/]/g, '');
  const whole = plain.length % 4 === 1 ? plain.slice(0, -1) : plain;
  const binary = atob(whole);
  const bytes = new Buffer(binary.length);
  for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

function latin1(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += ARGUMENTS_MAX) {
    text += String.fromCharCode(...bytes.subarray(at, at + ARGUMENTS_MAX));
  }
  return text;
}
