// Holds each agent to its share of a service, so that one that never ends its requests keeps nobody else waiting.
import { PlatformError } from '../../runtime/errors.ts';
import { isServiceSpiffeId } from '../../runtime/identity/spiffe-id.ts';

/** The streams that are under way, by agent. */
export class StreamShare {
  readonly #most: number;
  readonly #open = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Counts a stream of this peer until the function that it returns is called. Throws
   * `service_unavailable` when the agent has its share already. Services act for many agents and
   * have no bound but that of the service they call.
   */
  begin(spiffeId: string): () => void {
    const agent = agentOf(spiffeId);
    if (agent === undefined) return () => {};
    const open = this.#open.get(agent) ?? 0;
    if (open >= this.#most) {
      throw new PlatformError('service_unavailable', 'this agent has too many requests under way', {
        hint: 'wait for some of them to end',
      });
    }
    this.#open.set(agent, open + 1);
    return () => {
      const left = (this.#open.get(agent) ?? 1) - 1;
      if (left === 0) this.#open.delete(agent);
      else this.#open.set(agent, left);
    };
  }
}

/** All roles of an agent share: it could have many. Undefined for services. */
export function agentOf(spiffeId: string): string | undefined {
  return isServiceSpiffeId(spiffeId) ? undefined : spiffeId.split('/').slice(0, 6).join('/');
}
