// Where approvals are kept: in memory, with limits on how many may be pending.
import { PlatformError } from '../../runtime/errors.ts';
import type { JsonObject } from '../../runtime/json.ts';

export type ApprovalState = 'pending' | 'allowed' | 'denied' | 'expired' | 'used';

export interface ApprovalRecord {
  id: string;
  spiffe_id: string;
  tool: string;
  /** Shown to the person who is asked; kept out of evidence. */
  arguments: JsonObject;
  question: string;
  /** `sha256:<hex>` of the canonical call, see `callDigest`. */
  call_digest: string;
  created_at: string;
  expires_at: string;
  state: ApprovalState;
  approver?: string;
  /** The answer, signed: a compact JWS (RFC 7515) with EdDSA. */
  token?: string;
}

/** Keeps approvals. Implementations return copies; `update` is atomic. */
export interface ApprovalStore {
  /**
   * Keeps the record and returns it; or returns the agent's pending one that asks the same about the
   * same call. Atomic. Rejects with `service_unavailable` when too many are pending.
   */
  create(record: ApprovalRecord): Promise<ApprovalRecord>;
  get(id: string): Promise<ApprovalRecord | undefined>;
  /** Newest first. */
  list(): Promise<ApprovalRecord[]>;
  /** Changes the record only while it is in state `from`; true when it did. */
  update(id: string, from: ApprovalState, change: Partial<ApprovalRecord>): Promise<boolean>;
}

export class MemoryApprovalStore implements ApprovalStore {
  readonly #records = new Map<string, ApprovalRecord>();
  readonly #pendingMax: number;
  readonly #agentPendingMax: number;

  /** One agent alone may have `agentPendingMax` pending: a person reads each, and others ask too. */
  constructor(pendingMax: number, agentPendingMax = 20) {
    this.#pendingMax = pendingMax;
    this.#agentPendingMax = agentPendingMax;
  }

  async create(record: ApprovalRecord): Promise<ApprovalRecord> {
    const pending = [...this.#records.values()].filter(({ state }) => state === 'pending');
    const ofAgent = pending.filter(({ spiffe_id }) => spiffe_id === record.spiffe_id);
    const same = ofAgent.find(
      ({ call_digest, question }) =>
        call_digest === record.call_digest && question === record.question,
    );
    if (same !== undefined) return structuredClone(same);
    if (ofAgent.length >= this.#agentPendingMax) {
      const message = `${ofAgent.length} calls of this agent wait for an approval already`;
      throw new PlatformError('service_unavailable', message);
    }
    for (const [id, { state }] of this.#records) {
      if (this.#records.size < this.#pendingMax * 2) break;
      if (state !== 'pending' && state !== 'allowed') this.#records.delete(id);
    }
    if (pending.length >= this.#pendingMax || this.#records.size >= this.#pendingMax * 2) {
      throw new PlatformError('service_unavailable', 'too many calls wait for an approval');
    }
    this.#records.set(record.id, structuredClone(record));
    return structuredClone(record);
  }

  async get(id: string): Promise<ApprovalRecord | undefined> {
    return structuredClone(this.#records.get(id));
  }

  async list(): Promise<ApprovalRecord[]> {
    return [...this.#records.values()].reverse().map((record) => structuredClone(record));
  }

  async update(id: string, from: ApprovalState, change: Partial<ApprovalRecord>): Promise<boolean> {
    const record = this.#records.get(id);
    if (record?.state !== from) return false;
    this.#records.set(id, { ...record, ...structuredClone(change) });
    return true;
  }
}
