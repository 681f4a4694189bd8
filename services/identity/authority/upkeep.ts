// Keeps what the authority holds in memory and what the database holds the same, one change at a time.
import { codeOf } from '../../../runtime/errors.ts';
import type { DenyList } from './denied.ts';
import { Keyring, type KeyringConfig } from './keyring.ts';
import type { AuthorityEvent } from './port.ts';
import type { AuthorityStore } from './store.ts';

export interface UpkeepConfig extends Omit<KeyringConfig, 'reload' | 'version'> {
  store: AuthorityStore;
  denied: DenyList;
  pollMs: number;
  emit: (event: AuthorityEvent) => void;
}

/** Owns the keyring; every write goes through `change`. */
export class Upkeep {
  readonly keyring: Keyring;
  readonly #config: UpkeepConfig;
  #version = -1;
  #last: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #seenAt = new Date(0);
  #isInTrouble = false;

  constructor(config: UpkeepConfig) {
    this.#config = config;
    this.keyring = new Keyring({
      ...config,
      version: () => this.#version,
      reload: () => this.#reload(),
    });
  }

  /** Refreshes every `pollMs` from now on; a refresh that fails is tried again at the next. */
  start(): void {
    if (this.#config.pollMs === 0) return;
    let isRunning = false;
    this.#timer = setInterval(async () => {
      if (isRunning) return;
      isRunning = true;
      await this.refresh().catch(() => {});
      isRunning = false;
    }, this.#config.pollMs).unref();
  }

  /** Takes over what others changed, then makes and drops what the clock asks for. */
  async refresh(): Promise<void> {
    try {
      await this.#refresh();
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  #refresh(): Promise<void> {
    return this.change(async () => {
      const { store, denied, clock } = this.#config;
      if ((await store.version()) !== this.#version) await this.#reload();
      this.#heard();
      await this.keyring.maintain();
      if (denied.isPruneDue(clock().getTime())) {
        await store.forgetDenied(clock().getTime());
        await this.#reload();
      }
      this.#recover();
    });
  }

  /**
   * Runs one change after the others. Whether the database took one that failed is not known; the
   * version then tells the next refresh to read everything again.
   */
  change<Result>(work: () => Promise<Result>): Promise<Result> {
    const running = this.#last.then(work);
    this.#last = running.catch((error) => {
      if (codeOf(error).startsWith('database_')) this.#fail(error);
    });
    return running;
  }

  /** Takes note of a change that this authority made itself; another's in between is read later. */
  wrote(version: number): void {
    this.#version = version === this.#version + 1 ? version : -1;
    this.#heard();
  }

  state(): { databaseSeenAt: Date; isInTrouble: boolean } {
    return { databaseSeenAt: this.#seenAt, isInTrouble: this.#isInTrouble };
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#last;
  }

  async #reload(): Promise<void> {
    const stored = await this.#config.store.read();
    // First, so that a damaged key keeps no denial from being in force.
    this.#config.denied.replace(stored.denySequence, stored.denied);
    this.keyring.replace(stored.keys);
    this.#version = stored.version;
    this.#heard();
  }

  #heard(): void {
    this.#seenAt = this.#config.clock();
    this.#config.denied.heard();
  }

  #fail(error: unknown): void {
    if (!this.#isInTrouble) this.#config.emit({ type: 'trouble', error });
    this.#isInTrouble = true;
  }

  #recover(): void {
    if (this.#isInTrouble) this.#config.emit({ type: 'recovered' });
    this.#isInTrouble = false;
  }
}
