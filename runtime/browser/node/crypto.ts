// What the decision modules' hosts use of node:crypto, in a browser.
import { Sha256 } from '../sha256.ts';
import { Buffer } from './buffer.ts';

/** The most that a browser gives of random bytes at once. */
const RANDOM_BYTES_MAX = 65_536;
const encoder = new TextEncoder();

function bytesOf(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? encoder.encode(data) : data;
}

class Hash {
  readonly #hash = new Sha256();

  update(data: string | Uint8Array): this {
    this.#hash.update(bytesOf(data));
    return this;
  }

  digest(encoding?: string): Uint8Array | string {
    const digest = Buffer.from(this.#hash.digest());
    return encoding === undefined ? digest : digest.toString(encoding);
  }
}

/** SHA-256 in the making; there is no other here. */
export function createHash(algorithm: string): Hash {
  if (algorithm !== 'sha256') throw new Error(`there is no ${algorithm} in a browser`);
  return new Hash();
}

/** The digest of one piece of data. */
export function hash(
  algorithm: string,
  data: string | Uint8Array,
  encoding = 'hex',
): Uint8Array | string {
  return createHash(algorithm).update(data).digest(encoding);
}

export function randomFillSync(bytes: Uint8Array): Uint8Array {
  for (let at = 0; at < bytes.length; at += RANDOM_BYTES_MAX) {
    crypto.getRandomValues(bytes.subarray(at, at + RANDOM_BYTES_MAX) as Uint8Array<ArrayBuffer>);
  }
  return bytes;
}

export function randomBytes(count: number): Uint8Array {
  return randomFillSync(Buffer.alloc(count));
}

export function timingSafeEqual(left: Uint8Array, right: Uint8Array): boolean {
  let difference = left.length ^ right.length;
  for (let index = 0; index < left.length; index++) difference |= left[index]! ^ right[index]!;
  return difference === 0;
}
