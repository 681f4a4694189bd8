// SHA-256 over bytes that are put together, above all fields with their lengths, by Node's own code.
//
// The record module computes the same in hosts without such code; a test holds both to each other.
import { hash } from 'node:crypto';
import { InputError } from '../errors.ts';

const LENGTH_BYTES = 4;
const SCRATCH_BYTES = 64 * 1024;
const NOTHING = new Uint8Array(0);

/** Collects fields and hashes them; used again and again, for one list at a time. */
export class Frames {
  #bytes = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  #at = 0;

  /** Begins a new list, with the bytes that `framed` gave for its first fields. */
  begin(prefix: Uint8Array = NOTHING): this {
    this.#at = 0;
    return this.append(prefix);
  }

  /** Adds a field; text is UTF-8, and half a surrogate pair is refused (`input_lone_surrogate`). */
  add(field: string | Uint8Array): this {
    this.#reserve(LENGTH_BYTES + (typeof field === 'string' ? field.length * 3 : field.length));
    const start = this.#at + LENGTH_BYTES;
    let { length } = field;
    if (typeof field === 'string') {
      if (!field.isWellFormed()) {
        throw new InputError('input_lone_surrogate', 'a field holds half of a surrogate pair');
      }
      length = this.#bytes.write(field, start, 'utf8');
    } else {
      this.#bytes.set(field, start);
    }
    this.#bytes.writeUInt32BE(length, this.#at);
    this.#at = start + length;
    return this;
  }

  /** Adds bytes without their length. */
  append(bytes: Uint8Array): this {
    this.#reserve(bytes.length);
    if (bytes.length > 0) this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
    return this;
  }

  /** A copy of what was collected. */
  framed(): Uint8Array {
    return new Uint8Array(this.#bytes.subarray(0, this.#at));
  }

  /** 64 hex digits. */
  hex(): string {
    return hash('sha256', this.#bytes.subarray(0, this.#at), 'hex');
  }

  #reserve(bytes: number): void {
    const needed = this.#at + bytes;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(grown, 0, 0, this.#at);
    this.#bytes = grown;
  }
}
