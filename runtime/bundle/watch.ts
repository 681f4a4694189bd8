// Keeps the last good pair of bundles in force while their folder changes under it.
import { type FSWatcher, watch } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { JWK } from 'jose';
import { BundleError, PlatformError } from '../errors.ts';
import { type LoadOptions, loadPair } from './load.ts';
import type { BundleSource, LoadedPair } from './pair.ts';
import { FILES_MAX } from './reader.ts';

const INTERVAL_MS = 2000;
/** A writer touches several files; waiting a moment spares loads of half-written folders. */
const SETTLE_MS = 50;

export interface WatchOptions extends LoadOptions {
  /** How often the folder is looked at when the system reports no change; default 2,000. */
  intervalMs?: number;
  /** Called with the error that keeps a changed folder from being used; once for each change. */
  onError?: (error: PlatformError) => void;
}

/** Bundles that follow their folder. */
export interface BundleWatcher extends BundleSource {
  current(): LoadedPair;
  /** Calls back after each swap; returns the function that stops it. */
  onSwap(listener: (pair: LoadedPair) => void): () => void;
  /** The error of the last look, or undefined when the pair in force is what the folder holds. */
  lastError(): PlatformError | undefined;
  /** Looks now, and resolves when what is there is in force or refused. */
  refresh(): Promise<void>;
  close(): void;
}

/**
 * Loads the pair in `folder` and follows its changes, which are in force within `intervalMs`. A pair
 * is swapped whole between two decisions; a bad one is reported and the last good one stays.
 * @throws BundleError when there is no good pair to begin with
 */
export async function watchBundles(
  folder: string,
  keys: readonly JWK[],
  options: WatchOptions = {},
): Promise<BundleWatcher> {
  const watcher = new Watcher(folder, keys, options);
  await watcher.start();
  return watcher;
}

class Watcher implements BundleWatcher {
  readonly #folder: string;
  readonly #keys: readonly JWK[];
  readonly #options: WatchOptions;
  readonly #listeners = new Set<(pair: LoadedPair) => void>();
  readonly #notifiers: FSWatcher[] = [];
  #pair: LoadedPair | undefined;
  #error: PlatformError | undefined;
  /** Fingerprints of what is in force and of what was refused last. */
  #seen = '';
  #refused = '';
  #looking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #settle: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(folder: string, keys: readonly JWK[], options: WatchOptions) {
    this.#folder = folder;
    this.#keys = keys;
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#seen = await fingerprint(this.#folder);
    this.#pair = await loadPair(this.#folder, this.#keys, this.#options);
    this.#timer = setInterval(() => void this.refresh(), this.#options.intervalMs ?? INTERVAL_MS);
    this.#timer.unref();
    this.#notify();
  }

  current(): LoadedPair {
    return this.#pair!;
  }

  lastError(): PlatformError | undefined {
    return this.#error;
  }

  onSwap(listener: (pair: LoadedPair) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async refresh(): Promise<void> {
    // A look that began before this call may have missed what the caller just wrote.
    while (this.#looking !== undefined) await this.#looking;
    this.#looking = this.#look().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
    clearTimeout(this.#settle);
    for (const notifier of this.#notifiers) notifier.close();
    this.#listeners.clear();
  }

  async #look(): Promise<void> {
    if (this.#closed) return;
    const seen = await fingerprint(this.#folder);
    if (seen === this.#seen) this.#error = undefined;
    if (seen === this.#seen || seen === this.#refused) return;
    const outcome = await loadPair(this.#folder, this.#keys, this.#options).then(
      (pair) => () => this.#swap(pair, seen),
      (cause: unknown) => () => this.#refuse(cause, seen),
    );
    // What changed while it was read may be half of it: it is read again at the next look.
    if ((await fingerprint(this.#folder)) === seen) outcome();
    else this.#lookSoon();
  }

  #swap(pair: LoadedPair, seen: string): void {
    this.#seen = seen;
    this.#refused = '';
    this.#error = undefined;
    const before = this.#pair!;
    const samePolicy = before.policy.revision === pair.policy.revision;
    if (samePolicy && before.data.revision === pair.data.revision) return;
    this.#pair = samePolicy ? { ...pair, policy: before.policy } : pair;
    for (const listener of this.#listeners) listener(this.#pair);
  }

  #refuse(cause: unknown, seen: string): void {
    this.#refused = seen;
    this.#error =
      cause instanceof PlatformError
        ? cause
        : new BundleError('bundle_missing', 'the bundles cannot be read', { cause });
    if (!this.#closed) this.#options.onError?.(this.#error);
  }

  #lookSoon(): void {
    if (this.#closed) return;
    clearTimeout(this.#settle);
    this.#settle = setTimeout(() => void this.refresh(), SETTLE_MS);
    this.#settle.unref();
  }

  /** The system's notices only make it quicker: looking at intervals is what can be relied on. */
  #notify(): void {
    for (const path of [this.#folder, join(this.#folder, 'policy'), join(this.#folder, 'data')]) {
      try {
        const notifier = watch(path, { persistent: false }, () => this.#lookSoon());
        notifier.on('error', () => notifier.close());
        this.#notifiers.push(notifier);
      } catch {
        // Not every system and file system has notices, and an archive is no folder.
      }
    }
  }
}

const LINES_MAX = 4 * FILES_MAX;

/** Names, sizes, times and inode numbers of everything below a folder. */
async function fingerprint(folder: string): Promise<string> {
  const lines: string[] = [];
  for (const name of ['policy', 'policy.tar.gz', 'data', 'data.tar.gz']) {
    await describe(join(folder, name), lines);
  }
  return lines.join('\n');
}

/** What changes when a file or anything below a folder does: names, sizes, times, inode numbers. */
export async function fingerprintOf(path: string): Promise<string> {
  const lines: string[] = [];
  await describe(path, lines);
  return lines.join('\n');
}

async function describe(path: string, lines: string[]): Promise<void> {
  // Links that lead back make a folder endless; more than this is no bundle, and is refused when it is read.
  if (lines.length >= LINES_MAX) return;
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  if (found === undefined) return;
  lines.push(`${path} ${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`);
  if (!found.isDirectory()) return;
  const names = await readdir(path).catch(() => [] as string[]);
  for (const name of names.sort()) await describe(join(path, name), lines);
}
