// Sessions of agents: which prompt an agent works on, what it has seen since, and how often it asked.
import type { JsonObject, JsonValue } from '../../runtime/json.ts';

/** Follows values from a prompt and from tool results into the arguments of later calls. */
export interface Trace {
  recordResult(tool: string, result: JsonValue, args?: JsonObject): void;
  /** By JSON Pointer of each leaf of the arguments, where its value was seen. */
  provenanceOf(args: JsonObject): { [pointer: string]: readonly object[] };
}

export type NewTrace = (prompt: string | null) => Trace;

/** What policies learn of a session. */
export type SessionFacts = { id: string; calls: number; asked: number };

export interface Session {
  id: string;
  /** False for what an agent does before anyone has opened a session for it. */
  opened: boolean;
  calls: number;
  asked: number;
  trace: Trace;
}

/** The sessions of all agents; in this process only, the least recently used go first. */
export class Sessions {
  readonly #newTrace: NewTrace;
  readonly #countMax: number;
  readonly #byAgent = new Map<string, Session>();

  constructor(newTrace: NewTrace, countMax: number) {
    this.#newTrace = newTrace;
    this.#countMax = countMax;
  }

  /** Begins a session: what the agent saw before no longer counts. */
  open(spiffeId: string, prompt: string, id: string): Session {
    return this.#keep(spiffeId, {
      id,
      opened: true,
      calls: 0,
      asked: 0,
      trace: this.#newTrace(prompt),
    });
  }

  /** The agent's session; where none was opened, one without a prompt, so that results are followed. */
  of(spiffeId: string): Session {
    const session = this.#byAgent.get(spiffeId);
    if (session !== undefined) return this.#keep(spiffeId, session);
    const trace = this.#newTrace(null);
    return this.#keep(spiffeId, { id: '', opened: false, calls: 0, asked: 0, trace });
  }

  #keep(spiffeId: string, session: Session): Session {
    this.#byAgent.delete(spiffeId);
    this.#byAgent.set(spiffeId, session);
    if (this.#byAgent.size > this.#countMax) {
      const oldest = this.#byAgent.keys().next().value;
      if (oldest !== undefined) this.#byAgent.delete(oldest);
    }
    return session;
  }
}

/** What a decision's input says of the session; null outside of one. */
export function sessionFacts(session: Session): SessionFacts | null {
  const { id, calls, asked } = session;
  return session.opened ? { id, calls, asked } : null;
}
