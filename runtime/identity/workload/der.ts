// Reads DER, strictly: whatever two parsers could read differently is refused (ITU-T X.690, section 10).
import { IdentityError } from '../../errors.ts';

/** One element of a DER encoding. */
export interface DerElement {
  /** The identifier octet: class, constructed bit and number. */
  tag: number;
  /** The content octets, a view on the input. */
  content: Uint8Array;
  /** Identifier, length and content together. */
  encoded: Uint8Array;
}

/** The identifier octets that certificates use. */
export const derTag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
} as const;

const lengthOctetsMax = 4;

/** Walks the elements of one constructed value, each exactly once. */
export class DerReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** The tag of the next element; undefined at the end. */
  peekTag(): number | undefined {
    return this.#bytes[this.#at];
  }

  /** The next element. Throws `svid_invalid` when it is cut short, or not as DER wants it. */
  next(): DerElement {
    const start = this.#at;
    const tag = this.#octet();
    if ((tag & 0x1f) === 0x1f) throw malformed('it has a tag of more than one octet');
    const length = this.#length();
    if (length > this.#bytes.length - this.#at) throw malformed('it is cut short');
    const content = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return { tag, content, encoded: this.#bytes.subarray(start, this.#at) };
  }

  /** The content of the next element, which must have this tag. Throws `svid_invalid`. */
  read(tag: number): Uint8Array {
    const element = this.next();
    if (element.tag !== tag) throw malformed('it has another structure than a certificate');
    return element.content;
  }

  /** Throws `svid_invalid` when something follows. */
  end(): void {
    if (!this.isAtEnd) throw malformed('it has bytes after its end');
  }

  #octet(): number {
    const octet = this.#bytes[this.#at];
    if (octet === undefined) throw malformed('it is cut short');
    this.#at += 1;
    return octet;
  }

  #length(): number {
    const first = this.#octet();
    if (first < 0x80) return first;
    const octets = first & 0x7f;
    if (octets === 0) throw malformed('it has an indefinite length');
    if (octets > lengthOctetsMax) throw malformed('it has a length of too many octets');
    let length = 0;
    for (let i = 0; i < octets; i += 1) length = length * 256 + this.#octet();
    if (length < 0x80 || length < 256 ** (octets - 1)) {
      throw malformed('it has a length that is longer than it needs to be');
    }
    return length;
  }
}

/** An object identifier as dotted decimals. Throws `svid_invalid`. */
export function objectIdentifier(content: Uint8Array): string {
  const parts: number[] = [];
  let value = 0;
  let isInside = false;
  for (const octet of content) {
    if (!isInside && octet === 0x80) throw malformed('an object identifier is padded');
    value = value * 128 + (octet & 0x7f);
    if (value > Number.MAX_SAFE_INTEGER) throw malformed('an object identifier is too large');
    isInside = octet >= 0x80;
    if (isInside) continue;
    parts.push(value);
    value = 0;
  }
  const [first, ...rest] = parts;
  if (first === undefined || isInside) throw malformed('an object identifier is cut short');
  const root = Math.min(2, Math.floor(first / 40));
  return [root, first - root * 40, ...rest].join('.');
}

export function malformed(why: string, cause?: unknown): IdentityError {
  return new IdentityError('svid_invalid', `the certificate cannot be read: ${why}`, { cause });
}
