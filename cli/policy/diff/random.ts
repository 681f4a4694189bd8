// Random numbers that a seed repeats, so that a finding can be found again.

/** Small and fast; good enough to choose test inputs, and for nothing else (sfc32). */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: string) {
    let hash = 2166136261;
    for (const character of seed) hash = Math.imul(hash ^ character.codePointAt(0)!, 16777619);
    this.#a = hash;
    this.#b = Math.imul(hash, 2654435761);
    this.#c = ~hash;
    for (let round = 0; round < 12; round++) this.#next();
  }

  /** A whole number from 0 to below `bound`, which is at least 1. */
  below(bound: number): number {
    return Math.floor((this.#next() / 4294967296) * bound);
  }

  chance(share: number): boolean {
    return this.#next() / 4294967296 < share;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  /** One of the list, an early one more likely than a late one. */
  pickEarly<T>(list: readonly T[]): T {
    return list[Math.min(this.below(list.length), this.below(list.length))]!;
  }

  #next(): number {
    const sum = (this.#a + this.#b + this.#counter++) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return sum >>> 0;
  }
}
