// Holds the authority's keys and rotates them in the database, whoever else rotates there too.
import { PlatformError } from '../../../runtime/errors.ts';
import { backdateSeconds } from '../../../runtime/identity/workload/x509.ts';
import { activeOf, nextOf, ordinaryActivation, planOf } from './schedule.ts';
import type { Sealer } from './seal.ts';
import { makeSigningKey, openSigningKey, type SigningKey } from './signing-key.ts';
import type { AuthorityStore, KeyChange, KeyKind, StoredKey } from './store.ts';

export const keyKinds: readonly KeyKind[] = ['x509', 'jwt', 'wit'];

/** How often a change of the keys is tried when others keep changing them. */
const attemptsMax = 8;

/** How many keys of a kind may be published at a time; three are, where nobody rotates by hand. */
const publishedMax = 32;

/**
 * How long a key's row outlives it: another authority's clock may be five minutes behind, and ours
 * five ahead.
 */
const rowGraceMs = 2 * backdateSeconds * 1000;

/** What happened to a key: it was published, it signs, it is gone. */
export interface KeyEvent {
  kind: KeyKind;
  id: string;
  change: 'published' | 'activated' | 'expired';
}

export interface KeyringConfig {
  trustDomain: string;
  store: AuthorityStore;
  sealer: Sealer;
  clock: () => Date;
  ttlMs: number;
  publishAheadMs: number;
  /** The version of what was last read. */
  version: () => number;
  /** Reads everything again; calls `replace`. */
  reload: () => Promise<void>;
  onEvent: (event: KeyEvent) => void;
}

/** The keys as last read; those expired by the clock are as if they were not there. */
export class Keyring {
  readonly #config: KeyringConfig;
  #keys = new Map<string, SigningKey>();
  #active = new Map<KeyKind, string>();
  /** Every row of the database, also those that the clock has passed. */
  #rows: readonly StoredKey[] = [];

  constructor(config: KeyringConfig) {
    this.#config = config;
  }

  /** The key of the kind that signs now. */
  active(kind: KeyKind): SigningKey | undefined {
    return activeOf(this.#of(kind), this.#now());
  }

  /** Every key of the kind that is to be trusted now, oldest first. */
  published(kind: KeyKind): SigningKey[] {
    const now = this.#now();
    return this.#of(kind)
      .filter((key) => now < key.expiresAt)
      .sort((a, b) => a.preparedAt - b.preparedAt || (a.id < b.id ? -1 : 1));
  }

  find(kind: KeyKind, id: string): SigningKey | undefined {
    return this.published(kind).find((key) => key.id === id);
  }

  /** Takes over what the database holds; throws when a key of it is damaged, and then changes nothing. */
  replace(stored: readonly StoredKey[]): void {
    const keys = new Map<string, SigningKey>();
    const now = this.#now();
    for (const each of stored) {
      if (now >= each.expiresAt) continue;
      const name = `${each.kind} ${each.id}`;
      const known = this.#keys.get(name);
      const { trustDomain, sealer } = this.#config;
      const opened = known ?? openSigningKey(each, trustDomain, sealer);
      keys.set(name, { ...opened, activatesAt: each.activatesAt });
    }
    this.#rows = stored;
    this.#take(keys);
  }

  /** Makes, publishes and drops what the clock asks for. Database errors leave everything as it was. */
  async maintain(): Promise<void> {
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const change = await this.#due();
      if (change === undefined) return this.#dropExpired();
      await this.#apply(change);
    }
    throw contended();
  }

  /** The id of the kind's next key, which is made and published where there is none yet. */
  async publishNext(kind: KeyKind): Promise<{ id: string; isNew: boolean }> {
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const next = nextOf(this.#of(kind), this.#now());
      if (next !== undefined) return { id: next.id, isNew: false };
      if (this.published(kind).length >= publishedMax) {
        const message = `${publishedMax} keys of kind ${kind} are published already`;
        throw new PlatformError('identity_unavailable', message, {
          hint: 'rotate again when the oldest has expired',
        });
      }
      const made = await this.#makeNext(kind);
      const done = await this.#apply({ add: [made], remove: [], activate: [] });
      if (done) return { id: made.id, isNew: true };
    }
    throw contended();
  }

  /** Has a published key of the kind sign from now on; the others stay published. */
  async activate(kind: KeyKind, id: string): Promise<void> {
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const active = this.active(kind);
      if (active?.id === id) return;
      if (this.find(kind, id) === undefined) break;
      const now = this.#now();
      const activate = [{ kind, id, activatesAt: now }];
      // Of two that sign from the same time on it must be plain which one does.
      if (active !== undefined && active.activatesAt >= now) {
        activate.push({ kind, id: active.id, activatesAt: now - 1 });
      }
      await this.#apply({ add: [], remove: [], activate });
    }
    throw contended();
  }

  #makeNext(kind: KeyKind): Promise<StoredKey> {
    const now = this.#now();
    const { trustDomain, sealer, ttlMs, publishAheadMs } = this.#config;
    const active = this.active(kind);
    // Should nobody come back to have it sign, it does so when its turn comes.
    const activatesAt = active ? ordinaryActivation(active, now, publishAheadMs) : now;
    const lifetime = { preparedAt: now, activatesAt, expiresAt: now + ttlMs };
    return makeSigningKey(kind, trustDomain, lifetime, sealer);
  }

  async #due(): Promise<KeyChange | undefined> {
    const { trustDomain, sealer, ttlMs, publishAheadMs } = this.#config;
    const now = this.#now();
    const add: StoredKey[] = [];
    for (const kind of keyKinds) {
      const lifetime = planOf(this.#of(kind), now, ttlMs, publishAheadMs);
      if (lifetime) add.push(await makeSigningKey(kind, trustDomain, lifetime, sealer));
    }
    const remove = this.#rows.filter(({ expiresAt }) => now >= expiresAt + rowGraceMs);
    return add.length + remove.length === 0 ? undefined : { add, remove, activate: [] };
  }

  /** False when somebody else changed something first; either way all is read again. */
  async #apply(change: KeyChange): Promise<boolean> {
    const done = await this.#config.store.changeKeys(this.#config.version(), change);
    await this.#config.reload();
    return done;
  }

  #of(kind: KeyKind): SigningKey[] {
    return [...this.#keys.values()].filter((key) => key.kind === kind);
  }

  #now(): number {
    return this.#config.clock().getTime();
  }

  #dropExpired(): void {
    const now = this.#now();
    this.#take(new Map([...this.#keys].filter(([, key]) => now < key.expiresAt)));
  }

  /** Has these keys and no others, and tells what that changed. */
  #take(keys: Map<string, SigningKey>): void {
    const before = this.#keys;
    this.#keys = keys;
    for (const [name, key] of keys) if (!before.has(name)) this.#tell(key, 'published');
    for (const [name, key] of before) if (!keys.has(name)) this.#tell(key, 'expired');
    for (const kind of keyKinds) {
      const key = this.active(kind);
      if (key === undefined || this.#active.get(kind) === key.id) continue;
      this.#active.set(kind, key.id);
      this.#tell(key, 'activated');
    }
  }

  #tell(key: SigningKey, change: KeyEvent['change']): void {
    this.#config.onEvent({ kind: key.kind, id: key.id, change });
  }
}

function contended(): PlatformError {
  return new PlatformError('identity_unavailable', 'others keep changing the signing keys');
}
