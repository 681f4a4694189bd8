// The key-value port (counters, short-lived state) and its in-process implementation.
import { PlatformError } from '../../../runtime/errors.ts';

/** Keys and values are text; every entry expires. Failures are `service_unavailable`. */
export interface KeyValue {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string, ttlSeconds: number): Promise<void>;
  /** Sets the key only where it is absent; true when it was set. */
  setIfAbsent(key: string, value: string, ttlSeconds: number): Promise<boolean>;
  delete(key: string): Promise<void>;
  /**
   * Adds one, or `by`, which is whole, and returns the new count; the first count of a key starts its
   * time to live.
   */
  increment(key: string, ttlSeconds: number, by?: number): Promise<number>;
  close(): Promise<void>;
}

const entriesMax = 100_000;

/** Keeps everything in this process, at most 100,000 entries; the expired go first. */
export class MemoryKeyValue implements KeyValue {
  readonly #entries = new Map<string, { value: string; expiresAt: number }>();
  readonly #clock: () => Date;

  constructor(clock: () => Date = () => new Date()) {
    this.#clock = clock;
  }

  async get(key: string): Promise<string | undefined> {
    return this.#live(key)?.value;
  }

  async set(key: string, value: string, ttlSeconds: number): Promise<void> {
    if (!this.#entries.has(key)) this.#makeRoom();
    this.#entries.set(key, { value, expiresAt: this.#clock().getTime() + ttlSeconds * 1000 });
  }

  async setIfAbsent(key: string, value: string, ttlSeconds: number): Promise<boolean> {
    if (this.#live(key) !== undefined) return false;
    await this.set(key, value, ttlSeconds);
    return true;
  }

  async delete(key: string): Promise<void> {
    this.#entries.delete(key);
  }

  async increment(key: string, ttlSeconds: number, by = 1): Promise<number> {
    const entry = this.#live(key);
    if (entry === undefined) {
      await this.set(key, String(by), ttlSeconds);
      return by;
    }
    const count = Number(entry.value) + by;
    entry.value = String(count);
    return count;
  }

  async close(): Promise<void> {
    this.#entries.clear();
  }

  #live(key: string): { value: string; expiresAt: number } | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.expiresAt > this.#clock().getTime()) return entry;
    this.#entries.delete(key);
    return undefined;
  }

  /** Evicting a live counter would reset a limit, so a full store refuses instead. */
  #makeRoom(): void {
    if (this.#entries.size < entriesMax) return;
    const now = this.#clock().getTime();
    for (const [key, { expiresAt }] of this.#entries) {
      if (expiresAt <= now) this.#entries.delete(key);
    }
    if (this.#entries.size >= entriesMax) {
      throw new PlatformError('service_unavailable', 'the key-value store is full');
    }
  }
}
