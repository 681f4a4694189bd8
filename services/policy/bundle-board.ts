// What became of each bundle: what is in force, when it came, and why a newer one was refused.
import { codeOf, PlatformError } from '../../runtime/errors.ts';
import type { JsonObject } from '../../runtime/json.ts';

export type BundleKind = 'policy' | 'data';

interface Entry {
  revision?: string;
  lastRequest?: Date;
  lastDownload?: Date;
  lastActivation?: Date;
  error?: { code: string; message: string };
}

/** One entry a bundle that is configured. */
export class BundleBoard {
  readonly #entries = new Map<string, Entry>();
  readonly #clock: () => Date;

  constructor(names: readonly string[], clock: () => Date) {
    this.#clock = clock;
    for (const name of names) this.#entries.set(name, {});
  }

  asked(name: string): void {
    this.#entry(name).lastRequest = this.#clock();
  }

  /** It was asked for and has not changed, or is what is in force. */
  unchanged(name: string): void {
    const entry = this.#entry(name);
    entry.lastDownload = this.#clock();
    entry.error = undefined;
  }

  activated(name: string, revision: string): void {
    const entry = this.#entry(name);
    const now = this.#clock();
    Object.assign(entry, { revision, lastDownload: now, lastActivation: now, error: undefined });
  }

  /** The last good one stays in force. */
  refused(name: string, error: unknown): void {
    const message = error instanceof PlatformError ? error.message : 'something unexpected failed';
    this.#entry(name).error = { code: codeOf(error), message };
  }

  /** False until every bundle has been in force once. */
  get isActivated(): boolean {
    return [...this.#entries.values()].every(({ revision }) => revision !== undefined);
  }

  /** Why what is in force is not the newest, by bundle. */
  problems(): string[] {
    return [...this.#entries].flatMap(([name, { error }]) =>
      error === undefined ? [] : [`bundle ${name}: ${error.code}: ${error.message}`],
    );
  }

  /** OPA's bundle status, by name. */
  status(): JsonObject {
    return Object.fromEntries(
      [...this.#entries].map(([name, entry]) => [
        name,
        {
          name,
          ...(entry.revision === undefined ? {} : { active_revision: entry.revision }),
          ...time('last_request', entry.lastRequest),
          ...time('last_successful_request', entry.lastDownload),
          ...time('last_successful_download', entry.lastDownload),
          ...time('last_successful_activation', entry.lastActivation),
          ...(entry.error === undefined ? {} : entry.error),
        },
      ]),
    );
  }

  #entry(name: string): Entry {
    const entry = this.#entries.get(name);
    if (entry === undefined) throw new PlatformError('internal', `there is no bundle ${name}`);
    return entry;
  }
}

function time(name: string, at: Date | undefined): JsonObject {
  return at === undefined ? {} : { [name]: at.toISOString() };
}
