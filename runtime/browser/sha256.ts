// SHA-256 (FIPS 180-4) where a digest is needed at once: WebCrypto only gives it later.

const BLOCK_BYTES = 64;
const ROUNDS = 64;

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes (section 4.2.2). */
const CONSTANTS = Uint32Array.from(primes(ROUNDS), (prime) => fraction(Math.cbrt(prime)));
/** The same of the square roots of the first eight (section 5.3.3). */
const INITIAL = Uint32Array.from(primes(8), (prime) => fraction(Math.sqrt(prime)));

function primes(count: number): number[] {
  const found: number[] = [];
  for (let candidate = 2; found.length < count; candidate++) {
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate);
  }
  return found;
}

function fraction(root: number): number {
  return Math.floor((root - Math.floor(root)) * 2 ** 32);
}

/** A digest in the making. */
export class Sha256 {
  readonly #state = Uint32Array.from(INITIAL);
  readonly #words = new Uint32Array(ROUNDS);
  readonly #block = new Uint8Array(BLOCK_BYTES);
  #pending = 0;
  #length = 0;

  /** Takes more bytes. */
  update(bytes: Uint8Array): this {
    this.#length += bytes.length;
    let at = 0;
    if (this.#pending > 0) {
      at = Math.min(BLOCK_BYTES - this.#pending, bytes.length);
      this.#block.set(bytes.subarray(0, at), this.#pending);
      this.#pending += at;
      if (this.#pending < BLOCK_BYTES) return this;
      this.#compress(this.#block, 0);
    }
    for (; at + BLOCK_BYTES <= bytes.length; at += BLOCK_BYTES) this.#compress(bytes, at);
    this.#pending = bytes.length - at;
    this.#block.set(bytes.subarray(at), 0);
    return this;
  }

  /** The 32 bytes; nothing can be added any more. */
  digest(): Uint8Array {
    const bits = this.#length * 8;
    const block = this.#block;
    block[this.#pending] = 0x80;
    block.fill(0, this.#pending + 1);
    if (this.#pending >= BLOCK_BYTES - 8) {
      this.#compress(block, 0);
      block.fill(0);
    }
    const view = new DataView(block.buffer);
    view.setUint32(BLOCK_BYTES - 8, Math.floor(bits / 2 ** 32));
    view.setUint32(BLOCK_BYTES - 4, bits >>> 0);
    this.#compress(block, 0);
    const digest = new Uint8Array(32);
    const words = new DataView(digest.buffer);
    this.#state.forEach((word, index) => {
      words.setUint32(index * 4, word);
    });
    return digest;
  }

  /** One block (section 6.2.2). */
  #compress(bytes: Uint8Array, start: number): void {
    const words = this.#words;
    for (let index = 0, at = start; index < 16; index++, at += 4) {
      words[index] =
        (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
    }
    for (let index = 16; index < ROUNDS; index++) {
      const early = words[index - 15]!;
      const late = words[index - 2]!;
      const first = ((early >>> 7) | (early << 25)) ^ ((early >>> 18) | (early << 14));
      const second = ((late >>> 17) | (late << 15)) ^ ((late >>> 19) | (late << 13));
      words[index] =
        words[index - 16]! + (first ^ (early >>> 3)) + words[index - 7]! + (second ^ (late >>> 10));
    }
    const state = this.#state;
    let [a, b, c, d, e, f, g, h] = state as unknown as [number, ...number[]];
    for (let index = 0; index < ROUNDS; index++) {
      const sumOfE =
        ((e! >>> 6) | (e! << 26)) ^ ((e! >>> 11) | (e! << 21)) ^ ((e! >>> 25) | (e! << 7));
      const sumOfA = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const choice = (e! & f!) ^ (~e! & g!);
      const majority = (a & b!) ^ (a & c!) ^ (b! & c!);
      const one = (h! + sumOfE + choice + CONSTANTS[index]! + words[index]!) | 0;
      h = g;
      g = f;
      f = e;
      e = (d! + one) | 0;
      d = c;
      c = b;
      b = a;
      a = (one + sumOfA + majority) | 0;
    }
    [a, b, c, d, e, f, g, h].forEach((word, index) => {
      state[index] = state[index]! + word!;
    });
  }
}
