// Asks policy and the scope module about secrets; every answer is a decision with an id.
import type { Decider } from '../../runtime/decide/decide.ts';
import type { Decision } from '../../runtime/decide/decision.ts';
import type { JsonObject } from '../../runtime/json.ts';
import type { Caller } from '../common/caller.ts';

export type SecretAction = 'read' | 'write' | 'list' | 'delete' | 'restore' | 'rotate';

/** What a decision is about; without a key it is the vault as a whole. */
export interface SecretResource {
  key?: string;
  /** Named where something changes. */
  scope?: string;
}

export class Judge {
  readonly #decider: Decider;

  constructor(decider: Decider) {
    this.#decider = decider;
  }

  /** Whether the caller may do this at all. */
  authorize(caller: Caller, action: SecretAction, resource: SecretResource): Decision {
    const { identity, actor, context } = caller;
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
