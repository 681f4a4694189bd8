// The registration entries: written to the database first, looked up in memory.
import { codeOf, PlatformError } from '../../../runtime/errors.ts';
import type { Database } from '../../common/database/port.ts';
import { type Entry, type EntryChange, type EntryDraft, similarityKey } from './entry.ts';
import { EntryIndex } from './entry-index.ts';
import { deleteEntry, entriesSchema, insertEntry, readEntries, updateEntry } from './rows.ts';

/** What happened to an entry; `before` is what it was, `after` what it is. */
export interface EntryEvent {
  kind: 'created' | 'updated' | 'deleted';
  before?: Entry;
  after?: Entry;
}

export interface EntryStoreConfig {
  database: Database;
  /** The node whose workloads these are: entries below it, by `parentId`, count. */
  nodeId: string;
  clock: () => Date;
  /** Takes an identity away, for good, before its entry goes (see Authority.deny). */
  deny(spiffeId: string): Promise<unknown>;
}

/** As many entries as one server holds. */
const entriesMax = 200_000;

/**
 * The entries of one identity server, which alone writes the table. Writes come one after another;
 * after one whose outcome the database did not tell the table is read again before the next write,
 * and until then memory gives nothing that might have been taken away.
 */
export class EntryStore {
  readonly #config: EntryStoreConfig;
  readonly #listeners = new Set<(events: readonly EntryEvent[]) => void>();
  #index = new EntryIndex();
  #loading: Promise<void> | undefined;
  #isLoaded = false;
  #hasLoaded = false;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(config: EntryStoreConfig) {
    this.#config = config;
  }

  get size(): number {
    return this.#index.size;
  }

  /** Resolves when memory holds what the database does. Throws a DatabaseError while it is away. */
  ready(): Promise<void> {
    if (this.#isLoaded) return Promise.resolve();
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /**
   * Resolves when memory can be asked what workloads have: once it has been read, also while the
   * database is away, since memory then gives nothing that may have been taken away.
   */
  readable(): Promise<void> {
    if (!this.#hasLoaded) return this.ready();
    // Nobody waits for it: while it fails, what is in memory stands.
    if (!this.#isLoaded) this.ready().catch(() => {});
    return Promise.resolve();
  }

  /** Called after each change, with all that changed at once; returns how to stop listening. */
  onChange(listener: (events: readonly EntryEvent[]) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  get(id: string): Entry | undefined {
    return this.#index.get(id);
  }

  /** In the order of creation. */
  all(): IterableIterator<Entry> {
    return this.#index.all();
  }

  /** Every entry of a SPIFFE ID, also those that do not count here. */
  everyWithSpiffeId(spiffeId: string): Entry[] {
    return [...this.#index.withSpiffeId(spiffeId)].sort((a, b) => a.ordinal - b.ordinal);
  }

  /** The entries of this node with a SPIFFE ID, oldest first. */
  withSpiffeId(spiffeId: string): Entry[] {
    return this.everyWithSpiffeId(spiffeId).filter((each) => this.#counts(each));
  }

  /** The entries of this node that a workload with these selectors has, oldest first. */
  matching(selectors: ReadonlySet<string>): Entry[] {
    return this.#index.matching(selectors).filter((entry) => this.#counts(entry));
  }

  /** Whether this is what the store has under its id, and not an earlier state of it. */
  isCurrent({ id, revisionNumber, createdAt }: Entry): boolean {
    const now = this.#index.get(id);
    return now?.revisionNumber === revisionNumber && now.createdAt === createdAt;
  }

  /** The entries that this node may know: below it, directly or through other entries. */
  authorized(): Entry[] {
    return [...this.#index.all()].filter((entry) => this.#counts(entry));
  }

  /**
   * Creates an entry, or returns the similar one that exists: the same SPIFFE ID, parent and
   * selectors. Throws `entry_exists` for an id that is taken, `entry_invalid` when the store is full.
   */
  create(draft: EntryDraft): Promise<{ entry: Entry; existing: boolean }> {
    return this.#inTurn(async () => {
      const similar = this.#index.similarTo(draft);
      if (similar !== undefined) return { entry: similar, existing: true };
      if (draft.id !== '' && this.#index.get(draft.id) !== undefined) {
        throw new PlatformError('entry_exists', `there is an entry with the ID ${draft.id}`);
      }
      if (this.#index.size >= entriesMax) {
        throw new PlatformError('entry_invalid', `there are ${entriesMax} entries already`);
      }
      const seconds = Math.floor(this.#config.clock().getTime() / 1000);
      const entry = await insertEntry(this.#config.database, draft, seconds);
      this.#index.set(entry);
      this.#tell([{ kind: 'created', after: entry }]);
      return { entry, existing: false };
    });
  }

  /**
   * Changes an entry. What was issued under another identity, to other workloads or with other DNS
   * names is denied first. Throws `entry_unknown`.
   */
  update(id: string, change: EntryChange): Promise<Entry> {
    return this.#inTurn(async () => {
      const before = this.#index.get(id);
      if (before === undefined) throw unknown(id);
      const wanted = { ...before, ...change, revisionNumber: before.revisionNumber + 1 };
      // What it was is given no more from here on; whoever it is still for keeps its stream.
      this.#index.set(wanted);
      try {
        if (takesAway(before, wanted)) await this.#config.deny(before.spiffeId);
        const after = await updateEntry(this.#config.database, wanted);
        if (after === undefined) throw unknown(id);
        this.#index.set(after);
        this.#tell([{ kind: 'updated', before, after }]);
        return after;
      } catch (error) {
        // Neither of the two is given until the table has said which one it is.
        this.#index.delete(id);
        throw error;
      }
    });
  }

  /**
   * Deletes an entry. Nothing is issued for it from the first moment on, and what was is refused
   * before the database is asked: where that fails, the entry comes back and whoever has it gets a
   * new SVID. Throws `entry_unknown`.
   */
  delete(id: string): Promise<Entry> {
    return this.#inTurn(async () => {
      const entry = this.#index.get(id);
      if (entry === undefined) throw unknown(id);
      this.#index.delete(id);
      await this.#config.deny(entry.spiffeId);
      await deleteEntry(this.#config.database, id);
      this.#tell([{ kind: 'deleted', before: entry }]);
      return entry;
    });
  }

  /** Deletes the entries whose time has come. */
  async deleteExpired(): Promise<void> {
    if (!this.#hasLoaded) return;
    if (!this.#isLoaded) await this.ready();
    for (const { id } of this.#index.expired(this.#config.clock().getTime() / 1000)) {
      await this.delete(id).catch((error: unknown) => {
        if (codeOf(error) !== 'entry_unknown') throw error;
      });
    }
  }

  /** An entry counts when it has not expired and its parents lead to this node. */
  #counts(entry: Entry, seen = new Set<string>()): boolean {
    const seconds = this.#config.clock().getTime() / 1000;
    if (entry.expiresAt > 0 && entry.expiresAt <= seconds) return false;
    if (entry.parentId === this.#config.nodeId) return true;
    // Parents may form a ring, and many entries may share one: each is followed once.
    if (seen.has(entry.parentId) || seen.size >= parentsMax) return false;
    seen.add(entry.parentId);
    for (const parent of this.#index.withSpiffeId(entry.parentId)) {
      if (this.#counts(parent, seen)) return true;
    }
    return false;
  }

  async #load(): Promise<void> {
    const { database } = this.#config;
    await database.script(entriesSchema);
    const index = new EntryIndex();
    for await (const entry of readEntries(database)) index.set(entry);
    const events = differences(this.#index, index);
    this.#index = index;
    this.#isLoaded = true;
    this.#hasLoaded = true;
    if (events.length > 0) this.#tell(events);
  }

  #tell(events: readonly EntryEvent[]): void {
    for (const listener of this.#listeners) listener(events);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(async () => {
      await this.ready();
      try {
        return await work();
      } catch (error) {
        // Whether the statement took effect is not known: only the table can tell.
        if (!codeOf(error).startsWith('entry_')) this.#isLoaded = false;
        throw error;
      }
    });
    this.#queue = turn.catch(() => {});
    return turn;
  }
}

/** How many parents are followed from one entry. */
const parentsMax = 64;

function takesAway(before: Entry, after: Entry): boolean {
  if (similarityKey(before) !== similarityKey(after)) return true;
  return before.dnsNames.some((name) => !after.dnsNames.includes(name));
}

function differences(before: EntryIndex, after: EntryIndex): EntryEvent[] {
  const events: EntryEvent[] = [];
  for (const entry of before.all()) {
    const now = after.get(entry.id);
    if (now === undefined) events.push({ kind: 'deleted', before: entry });
    else if (now.revisionNumber !== entry.revisionNumber) {
      events.push({ kind: 'updated', before: entry, after: now });
    }
  }
  for (const entry of after.all()) {
    if (before.get(entry.id) === undefined) events.push({ kind: 'created', after: entry });
  }
  return events;
}

function unknown(id: string): PlatformError {
  return new PlatformError('entry_unknown', `there is no entry ${JSON.stringify(id.slice(0, 64))}`);
}
