// Counts what each agent and each tenant does with a service: its calls by window, and what they cost.
import type { Identity } from '../common/caller.ts';
import type { KeyValue } from '../common/keyvalue/keyvalue.ts';
import type { Spending } from './spending.ts';
import type { Cost, Tool } from './tools.ts';

/** Calls of one service in the current UTC minute, hour and day. */
type Calls = { minute: number; hour: number; day: number };

/** An input of decisions about a call; that call included. */
export type ServiceCounts = {
  calls: { agent: Calls; tenant: Calls };
  /**
   * Minor units spent on the service in the current UTC month, in the currency of the tool's cost; 0
   * for a tool whose cost nobody said.
   */
  spend: { agent: number; tenant: number };
};

/** What was counted for one call, and how to take its cost back. */
export interface Counted {
  counts: ServiceCounts;
  /** For a call that was never sent. It counts as a call all the same. */
  giveBack(): Promise<void>;
}

const windows = { minute: 60, hour: 3600, day: 86_400 } as const;

export class Usage {
  readonly #store: Pick<KeyValue, 'increment'>;
  readonly #spending: Spending;
  readonly #clock: () => Date;

  constructor(store: Pick<KeyValue, 'increment'>, spending: Spending, clock: () => Date) {
    this.#store = store;
    this.#spending = spending;
    this.#clock = clock;
  }

  /**
   * Counts one call of the tool's service and adds its cost, whether or not it will be allowed, so that
   * of calls at one time each sees the others. Rejects with `service_unavailable` or
   * `database_unavailable` when nothing can be counted: then nothing may be called.
   */
  async count(identity: Identity, { service, cost }: Tool): Promise<Counted> {
    const now = this.#clock();
    const subjects = {
      agent: `agent:${identity.spiffe_id}:${service}`,
      tenant: `tenant:${identity.trust_domain}:${identity.tenant}:${service}`,
    };
    const [agent, tenant, spentByAgent, spentByTenant] = await Promise.all([
      this.#calls(subjects.agent, now),
      this.#calls(subjects.tenant, now),
      this.#spend(subjects.agent, now, cost, 1),
      this.#spend(subjects.tenant, now, cost, 1),
    ]);
    return {
      counts: { calls: { agent, tenant }, spend: { agent: spentByAgent, tenant: spentByTenant } },
      giveBack: async () => {
        await Promise.all([
          this.#spend(subjects.agent, now, cost, -1),
          this.#spend(subjects.tenant, now, cost, -1),
        ]);
      },
    };
  }

  async #calls(subject: string, now: Date): Promise<Calls> {
    const count = (window: keyof typeof windows) => {
      const seconds = windows[window];
      const number = Math.floor(now.getTime() / 1000 / seconds);
      return this.#store.increment(`calls:${window}:${subject}:${number}`, 2 * seconds);
    };
    const [minute, hour, day] = await Promise.all([count('minute'), count('hour'), count('day')]);
    return { minute, hour, day };
  }

  async #spend(subject: string, now: Date, cost: Cost | undefined, sign: 1 | -1): Promise<number> {
    if (cost === undefined) return 0;
    const month = now.toISOString().slice(0, 7);
    return this.#spending.add(`${cost.currency}:${subject}`, month, sign * cost.minor);
  }
}
