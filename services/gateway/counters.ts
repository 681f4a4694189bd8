// Counts the calls of each agent and each tenant in the current minute, as policy limits them.

import type { Identity } from '../common/caller.ts';
import type { KeyValue } from '../common/keyvalue/keyvalue.ts';

/** An input of every decision; this call included. */
export type CallCounts = { agent_minute: number; tenant_minute: number };

/** Twice the window, so that no count is lost while its minute lasts. */
const ttlSeconds = 120;

export class Counters {
  readonly #store: KeyValue;
  readonly #clock: () => Date;

  constructor(store: KeyValue, clock: () => Date) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Counts one call, whether or not it will be allowed. Rejects with `service_unavailable` when
   * nothing can be counted: then nothing may be called.
   */
  async count(identity: Identity): Promise<CallCounts> {
    const minute = Math.floor(this.#clock().getTime() / 60_000);
    const [agent, tenant] = await Promise.all([
      this.#store.increment(`calls:agent:${identity.spiffe_id}:${minute}`, ttlSeconds),
      this.#store.increment(
        `calls:tenant:${identity.trust_domain}:${identity.tenant}:${minute}`,
        ttlSeconds,
      ),
    ]);
    return { agent_minute: agent, tenant_minute: tenant };
  }
}
