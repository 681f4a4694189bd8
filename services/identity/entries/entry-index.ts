// Finds the entries of a workload by its selectors without looking at all entries.
import { type Entry, selectorKey, similarityKey } from './entry.ts';

type Buckets = Map<string, Map<string, Entry>>;

const noEntries: ReadonlyMap<string, Entry> = new Map();

/**
 * The entries in memory. Each entry lies in the bucket of one of its selectors, the one with the
 * fewest entries when it came: a look-up goes through the buckets of the caller's selectors only.
 */
export class EntryIndex {
  readonly #byId = new Map<string, Entry>();
  readonly #anchorOf = new Map<string, string>();
  readonly #byAnchor: Buckets = new Map();
  readonly #bySpiffeId: Buckets = new Map();
  readonly #similar: Buckets = new Map();
  /** Ids of the entries that expire some time. */
  readonly #expiring = new Set<string>();

  get size(): number {
    return this.#byId.size;
  }

  get(id: string): Entry | undefined {
    return this.#byId.get(id);
  }

  /** In the order of creation. */
  all(): IterableIterator<Entry> {
    return this.#byId.values();
  }

  withSpiffeId(spiffeId: string): IterableIterator<Entry> {
    return (this.#bySpiffeId.get(spiffeId) ?? noEntries).values() as IterableIterator<Entry>;
  }

  similarTo(entry: Pick<Entry, 'spiffeId' | 'parentId' | 'selectors'>): Entry | undefined {
    for (const found of this.#similar.get(similarityKey(entry))?.values() ?? []) return found;
    return undefined;
  }

  /** The entries whose `expiresAt` is not after `seconds`. */
  expired(seconds: number): Entry[] {
    return [...this.#expiring].flatMap((id) => {
      const entry = this.#byId.get(id);
      return entry !== undefined && entry.expiresAt <= seconds ? [entry] : [];
    });
  }

  /** Adds an entry or puts it in the place of the one with its id. */
  set(entry: Entry): void {
    const before = this.#byId.get(entry.id);
    if (before !== undefined) this.#unlink(before);
    this.#byId.set(entry.id, entry);
    const anchor = this.#rarest(entry);
    this.#anchorOf.set(entry.id, anchor);
    add(this.#byAnchor, anchor, entry);
    add(this.#bySpiffeId, entry.spiffeId, entry);
    add(this.#similar, similarityKey(entry), entry);
    if (entry.expiresAt > 0) this.#expiring.add(entry.id);
  }

  delete(id: string): Entry | undefined {
    const entry = this.#byId.get(id);
    if (entry === undefined) return undefined;
    this.#unlink(entry);
    this.#byId.delete(id);
    return entry;
  }

  /** The entries all of whose selectors are in `selectors` (see `selectorKey`), oldest first. */
  matching(selectors: ReadonlySet<string>): Entry[] {
    const found: Entry[] = [];
    for (const anchor of selectors) {
      for (const entry of this.#byAnchor.get(anchor)?.values() ?? []) {
        if (entry.selectors.every((each) => selectors.has(selectorKey(each)))) found.push(entry);
      }
    }
    return found.sort((a, b) => a.ordinal - b.ordinal);
  }

  #rarest(entry: Entry): string {
    let rarest = '';
    let fewest = Number.POSITIVE_INFINITY;
    for (const selector of entry.selectors) {
      const key = selectorKey(selector);
      const size = this.#byAnchor.get(key)?.size ?? 0;
      if (size < fewest) [rarest, fewest] = [key, size];
    }
    return rarest;
  }

  #unlink(entry: Entry): void {
    remove(this.#byAnchor, this.#anchorOf.get(entry.id) ?? '', entry.id);
    this.#anchorOf.delete(entry.id);
    remove(this.#bySpiffeId, entry.spiffeId, entry.id);
    remove(this.#similar, similarityKey(entry), entry.id);
    this.#expiring.delete(entry.id);
  }
}

function add(buckets: Buckets, key: string, entry: Entry): void {
  const bucket = buckets.get(key);
  if (bucket === undefined) buckets.set(key, new Map([[entry.id, entry]]));
  else bucket.set(entry.id, entry);
}

function remove(buckets: Buckets, key: string, id: string): void {
  const bucket = buckets.get(key);
  bucket?.delete(id);
  if (bucket?.size === 0) buckets.delete(key);
}
