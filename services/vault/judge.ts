// Asks policy and the scope module about secrets; every answer is a decision with an id.
import type { Decider } from '../../runtime/decide/decide.ts';
import type { Decision } from '../../runtime/decide/decision.ts';
import type { JsonObject } from '../../runtime/json.ts';
import type { Caller } from '../common/caller.ts';
import type { Counters } from '../common/counters.ts';

export type SecretAction = 'read' | 'write' | 'list' | 'delete' | 'restore' | 'rotate';

/** What a decision is about; without a key it is the vault as a whole. */
export interface SecretResource {
  key?: string;
  /** Named where something changes. */
  scope?: string;
}

export class Judge {
  readonly #decider: Decider;

  readonly #counters: Counters;

  constructor(decider: Decider, counters: Counters) {
    this.#decider = decider;
    this.#counters = counters;
  }

  /**
   * Whether the caller may do this at all. Each asking counts once for an agent and its tenant, also
   * where a service acts for it; nothing of an operator is counted. Rejects with
   * `service_unavailable` when nothing can be counted.
   */
  async authorize(
    caller: Caller,
    action: SecretAction,
    resource: SecretResource,
  ): Promise<Decision> {
    const { identity, actor, context } = caller;
    const counters =
      identity.tenant === ''
        ? { agent_minute: 0, tenant_minute: 0 }
        : await this.#counters.count(identity);
    const { key, scope } = resource;
    const input: JsonObject = {
      action,
      identity,
      ...(actor === undefined ? {} : { actor }),
      resource: {
        kind: key === undefined ? 'vault' : 'secret',
        ...(key === undefined ? {} : { key }),
        ...(scope === undefined ? {} : { scope }),
      },
      counters,
      context: { time: context.time, request_id: context.requestId },
    };
    const { salt } = context;
    return this.#decider.decide({ boundary: 'secret', module: 'authorization', input, salt });
  }

  /** Whether a scope covers a SPIFFE ID. */
  covers(caller: Caller, scope: string, spiffeId: string): Decision {
    const input = { scope, spiffe_id: spiffeId };
    const { salt } = caller.context;
    return this.#decider.decide({ boundary: 'secret', module: 'scope', input, salt });
  }
}
