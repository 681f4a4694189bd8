// The port of what was spent by month, and its implementation on a key-value store.
import type { KeyValue } from '../common/keyvalue/keyvalue.ts';

/** Sums of money. Failures are `service_unavailable` or `database_unavailable`. */
export interface Spending {
  /**
   * Adds whole minor units, fewer than none to give back, to the sum of `subject` in `month`
   * (`2026-05`), and returns the new sum; additions at one time each see the others.
   */
  add(subject: string, month: string, minor: number): Promise<number>;
}

/** Longer than any month, so that no sum is lost while its month lasts. */
const ttlSeconds = 32 * 86_400;

/** Sums that last as long as the store: in the memory of a process, until it ends. */
export class KeyValueSpending implements Spending {
  readonly #store: Pick<KeyValue, 'increment'>;

  constructor(store: Pick<KeyValue, 'increment'>) {
    this.#store = store;
  }

  add(subject: string, month: string, minor: number): Promise<number> {
    return this.#store.increment(`spend:${month}:${subject}`, ttlSeconds, minor);
  }
}
