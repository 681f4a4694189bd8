// The nodes of a log's Merkle tree in a file of their own, so that proofs of any row take constant memory.
import { EvidenceError } from '../../errors.ts';
import { Recent } from '../audit/recent.ts';
import type { ByteSource } from '../frame.ts';
import type { RecordHashes } from '../hashes.ts';

const HASH_BYTES = 32;
const BUFFER_HASHES = 2048;
/** Hashes are read by the page; those of rows that follow each other are on few pages. */
const PAGE_BYTES = 1024 * HASH_BYTES;
const PAGES_KEPT = 128;

/** Where nodes are kept: a file that is read and written at positions. */
export interface NodeFile extends ByteSource {
  write(bytes: Uint8Array, position: number): Promise<void>;
}

/**
 * Complete subtrees in the order in which they become complete: a leaf, then each parent that it
 * completes. A tree of n leaves has fewer than 2n of them, 32 bytes each.
 */
export class ProofTree {
  readonly #record: RecordHashes;
  readonly #file: NodeFile;
  /** Roots of the complete subtrees of which no parent is complete, by level. */
  readonly #open: (Uint8Array | undefined)[] = [];
  #size = 0;
  #written = 0;
  #buffer: Uint8Array[] = [];
  /** Roots of what is to the right of complete subtrees; they are the same in every proof. */
  readonly #edges = new Map<string, Uint8Array>();
  readonly #pages = new Recent<Promise<Uint8Array>>(PAGES_KEPT);

  constructor(record: RecordHashes, file: NodeFile) {
    this.#record = record;
    this.#file = file;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds the next leaf hash. */
  async push(leaf: Uint8Array): Promise<void> {
    let hash = leaf;
    await this.#keep(hash);
    let level = 0;
    for (; this.#open[level] !== undefined; level++) {
      hash = this.#record.nodeHash(this.#open[level]!, hash);
      this.#open[level] = undefined;
      await this.#keep(hash);
    }
    this.#open[level] = hash;
    this.#size++;
  }

  /** Everything is in the file; no leaf may follow. The root over all (RFC 6962 section 2.1). */
  async close(): Promise<Uint8Array> {
    await this.#flush();
    return this.#root(0, this.#size);
  }

  /** The audit path of leaf `index` after `close` (RFC 6962 section 2.1.1), from the leaf upwards. */
  async inclusionProof(index: number): Promise<Uint8Array[]> {
    if (index < 0 || index >= this.#size) {
      throw new EvidenceError('input_invalid', `row ${index} is not among ${this.#size} rows`);
    }
    const path: Uint8Array[] = [];
    let start = 0;
    let end = this.#size;
    while (end - start > 1) {
      const middle = start + splitPoint(end - start);
      const isLeft = index < middle;
      path.unshift(isLeft ? await this.#root(middle, end) : await this.#root(start, middle));
      if (isLeft) end = middle;
      else start = middle;
    }
    return path;
  }

  async #root(start: number, end: number): Promise<Uint8Array> {
    const count = end - start;
    if (count === 0) return this.#record.sha256(new Uint8Array(0));
    const level = Math.log2(count);
    if (Number.isInteger(level)) return this.#node(level, end);
    const name = `${start} ${end}`;
    let root = this.#edges.get(name);
    if (root === undefined) {
      const middle = start + splitPoint(count);
      const left = await this.#root(start, middle);
      root = this.#record.nodeHash(left, await this.#root(middle, end));
      this.#edges.set(name, root);
    }
    return root;
  }

  /** The complete subtree of that level that ends before leaf `end`. */
  async #node(level: number, end: number): Promise<Uint8Array> {
    const position = (nodesOf(end - 1) + level) * HASH_BYTES;
    const start = position - (position % PAGE_BYTES);
    const page = await this.#pages.get(String(start), () => this.#file.read(start, PAGE_BYTES));
    const bytes = page.subarray(position - start, position - start + HASH_BYTES);
    if (bytes.byteLength === HASH_BYTES) return bytes;
    throw new EvidenceError('evidence_unavailable', 'the file of hashes is cut off');
  }

  async #keep(hash: Uint8Array): Promise<void> {
    this.#buffer.push(hash.slice());
    if (this.#buffer.length >= BUFFER_HASHES) await this.#flush();
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#buffer);
    this.#buffer = [];
    await this.#file.write(bytes, this.#written);
    this.#written += bytes.byteLength;
  }
}

/** How many complete subtrees so many leaves have: twice the leaves, less a bit for each one in it. */
function nodesOf(leaves: number): number {
  let ones = 0;
  for (let left = leaves; left > 0; left = Math.floor(left / 2)) ones += left % 2;
  return 2 * leaves - ones;
}

// Counts stay far below 2^53, so no bit tricks that would wrap at 2^31.
function splitPoint(count: number): number {
  let split = 1;
  while (split * 2 < count) split *= 2;
  return split;
}
