// Counts what each agent and each tenant does in the current minute, as policy limits it.

import type { Identity } from './caller.ts';
import type { KeyValue } from './keyvalue/keyvalue.ts';

/** An input of decisions; this call or operation included. */
export type CallCounts = { agent_minute: number; tenant_minute: number };

/** Twice the window, so that no count is lost while its minute lasts. */
const ttlSeconds = 120;

export class Counters {
  readonly #store: KeyValue;
  readonly #clock: () => Date;
  readonly #what: string;

  /** `what` is counted, apart from everything else in the same store. */
  constructor(store: KeyValue, clock: () => Date, what: 'calls' | 'secrets') {
    this.#store = store;
    this.#what = what;
    this.#clock = clock;
  }

  /**
   * Counts one call, whether or not it will be allowed. Rejects with `service_unavailable` when
   * nothing can be counted: then nothing may be called.
   */
  async count(identity: Identity): Promise<CallCounts> {
    const minute = Math.floor(this.#clock().getTime() / 60_000);
    const [agent, tenant] = await Promise.all([
      this.#store.increment(`${this.#what}:agent:${identity.spiffe_id}:${minute}`, ttlSeconds),
      this.#store.increment(
        `${this.#what}:tenant:${identity.trust_domain}:${identity.tenant}:${minute}`,
        ttlSeconds,
      ),
    ]);
    return { agent_minute: agent, tenant_minute: tenant };
  }
}
