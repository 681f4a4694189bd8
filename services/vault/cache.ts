// Remembers sealed secrets in memory, for a process that is the only writer of its database.
import type { StoredVersion } from './schema.ts';
import type { SecretReader } from './store.ts';

/** A scope's current version of a key, or that it has none; undefined while it is being read. */
interface Entry {
  version: StoredVersion | null | undefined;
}

/**
 * Answers from memory what it has read before, ciphertext only. Entries are kept by scope and key,
 * never by key alone, so that a change in one scope costs no reader of another scope any time.
 */
export class SecretCache implements SecretReader {
  readonly #reader: SecretReader;
  readonly #entriesMax: number;
  /** In the order of use, the oldest first. */
  readonly #entries = new Map<string, Entry>();

  constructor(reader: SecretReader, entriesMax: number) {
    this.#reader = reader;
    this.#entriesMax = entriesMax;
  }

  async find(
    scopes: readonly string[],
    keys: readonly string[],
    version?: number,
  ): Promise<StoredVersion[]> {
    if (version !== undefined) return this.#reader.find(scopes, keys, version);
    const known: StoredVersion[] = [];
    const missing = keys.filter((key) => !this.#collect(scopes, key, known));
    if (missing.length === 0) return known;
    const pending = new Map<string, Entry>();
    for (const scope of scopes) {
      for (const key of missing) pending.set(nameOf(scope, key), { version: undefined });
    }
    for (const [name, entry] of pending) this.#keep(name, entry);
    const found = await this.#reader.find(scopes, missing).catch((error: unknown) => {
      for (const [name, entry] of pending) this.#dropSame(name, entry);
      throw error;
    });
    const byName = new Map(found.map((row) => [nameOf(row.scope, row.key), row]));
    // Whoever wrote in the meantime has taken the entry out, and what is put in here is not seen.
    for (const [name, entry] of pending) entry.version = byName.get(name) ?? null;
    return [...known, ...found];
  }

  /** To be called before and after a change, whatever became of it. */
  forget(scope: string, key: string): void {
    this.#entries.delete(nameOf(scope, key));
  }

  /** Adds what all scopes hold of a key; false, and nothing added, where one is not known. */
  #collect(scopes: readonly string[], key: string, into: StoredVersion[]): boolean {
    const names = scopes.map((scope) => nameOf(scope, key));
    const entries = names.map((name) => this.#entries.get(name));
    if (entries.some((entry) => entry?.version === undefined)) return false;
    names.forEach((name, index) => {
      const entry = entries[index]!;
      this.#keep(name, entry);
      if (entry.version) into.push(entry.version);
    });
    return true;
  }

  #keep(name: string, entry: Entry): void {
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    if (this.#entries.size <= this.#entriesMax) return;
    const [oldest] = this.#entries.keys();
    this.#entries.delete(oldest!);
  }

  #dropSame(name: string, entry: Entry): void {
    if (this.#entries.get(name) === entry) this.#entries.delete(name);
  }
}

// A scope holds no space.
function nameOf(scope: string, key: string): string {
  return `${scope} ${key}`;
}
