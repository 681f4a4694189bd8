// The Merkle tree of RFC 6962 as it grows: a frontier of complete subtrees, and the root over it.
import type { RecordHashes } from './hashes.ts';

/**
 * A growing tree that keeps only the roots of its complete subtrees, at most one a level, so an
 * append costs amortised one hash and the state stays logarithmic.
 */
export class Frontier {
  readonly #record: RecordHashes;
  /** The complete subtree of 2^level leaves, present where that bit of `size` is set. */
  #levels: (Uint8Array | undefined)[];
  #size: number;

  constructor(record: RecordHashes, from?: Frontier) {
    this.#record = record;
    this.#levels = from ? [...from.#levels] : [];
    this.#size = from ? from.#size : 0;
  }

  /** The tree of this many leaves with these roots of complete subtrees, as `subtrees` gave them. */
  static of(record: RecordHashes, size: number, subtrees: readonly Uint8Array[]): Frontier {
    const frontier = new Frontier(record);
    let left = size;
    let next = 0;
    for (let level = 0; left > 0; level++) {
      frontier.#levels[level] = left % 2 === 1 ? subtrees[next++] : undefined;
      left = Math.floor(left / 2);
    }
    if (next !== subtrees.length) throw new Error('a tree has a subtree for each bit of its size');
    frontier.#size = size;
    return frontier;
  }

  /** The roots of the complete subtrees, the smallest first, 32 bytes each. */
  subtrees(): Uint8Array[] {
    return this.#levels.filter((hash) => hash !== undefined);
  }

  /** Number of leaves. */
  get size(): number {
    return this.#size;
  }

  /** An independent copy; hashes are shared, they never change. */
  copy(): Frontier {
    return new Frontier(this.#record, this);
  }

  /** Adds one leaf hash (32 bytes). */
  push(leafHash: Uint8Array): void {
    let hash = leafHash;
    let level = 0;
    for (; this.#levels[level] !== undefined; level++) {
      hash = this.#record.nodeHash(this.#levels[level]!, hash);
      this.#levels[level] = undefined;
    }
    this.#levels[level] = hash;
    this.#size++;
  }

  /** The tree's root, 32 bytes; of no leaves the hash of nothing (RFC 6962 section 2.1). */
  root(): Uint8Array {
    let root: Uint8Array | undefined;
    for (const hash of this.#levels) {
      if (hash === undefined) continue;
      root = root === undefined ? hash : this.#record.nodeHash(hash, root);
    }
    return root ?? this.#record.sha256(new Uint8Array(0));
  }
}
