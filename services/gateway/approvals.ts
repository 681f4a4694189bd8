// Approvals: a parked call waits for a person, whose signed answer counts once, for that call only.
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { type ErrorCode, PlatformError } from '../../runtime/errors.ts';
import type { JsonObject, JsonValue } from '../../runtime/json.ts';
import type { Record as RecordModule } from '../../runtime/modules/record.ts';
import type { ApprovalRecord, ApprovalStore } from './approval-store.ts';
import type { ApprovalKey } from './gateway.ts';
import type { ToolRecord } from './tools.ts';

/** What an approval is bound to: exactly this call of this agent, in this session. */
export interface BoundCall {
  spiffe_id: string;
  /** Id of the session; empty outside of one. */
  session: string;
  /** The tool as it is registered: under its name another one may stand tomorrow. */
  tool: ToolRecord;
  arguments: JsonObject;
}

/** A verified answer as the decision that it changes reads it. */
export type VerifiedApproval = {
  id: string;
  call_digest: string;
  verdict: 'allow' | 'deny';
  approver: string;
  expires_at: string;
};

export interface ApprovalsConfig {
  store: ApprovalStore;
  key: ApprovalKey;
  record: RecordModule;
  ttlMs: number;
  clock: () => Date;
}

const issuer = 'platform/approvals';
const algorithm = 'EdDSA';

export class Approvals {
  readonly #config: ApprovalsConfig;
  /** Called when an approval is answered or the gateway closes. */
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(config: ApprovalsConfig) {
    this.#config = config;
  }

  /**
   * `sha256:<hex>` over the canonical JSON of who calls, in which session, with which arguments, and
   * of all that says what the tool does with them and where.
   */
  callDigest({ spiffe_id, session, tool: registered, arguments: args }: BoundCall): string {
    const { tool, binding, credential, registeredBy } = registered;
    const { name, service, action, tags, schema_digest, cost } = tool;
    return this.#digest({
      ...{ spiffe_id, session, arguments: args, tool: name },
      ...{ service, action, tags, schema_digest },
      binding: this.#digest(plain(binding)),
      credential: plain(credential ?? null),
      registered_by: registeredBy,
      cost: plain(cost ?? null),
    });
  }

  #digest(value: JsonValue): string {
    const { record } = this.#config;
    const bytes = record.canonicalizeValue(value);
    return `sha256:${Buffer.from(record.sha256(bytes)).toString('hex')}`;
  }

  /** Parks a call, or returns the approval that the same call waits for already. */
  async ask(
    call: BoundCall,
    question: string,
  ): Promise<{ approval: ApprovalRecord; isNew: boolean }> {
    await this.#expireAll();
    const now = this.#config.clock();
    const record: ApprovalRecord = {
      id: randomUUID(),
      spiffe_id: call.spiffe_id,
      tool: call.tool.tool.name,
      arguments: call.arguments,
      question,
      call_digest: this.callDigest(call),
      created_at: now.toISOString(),
      expires_at: new Date(now.getTime() + this.#config.ttlMs).toISOString(),
      state: 'pending',
    };
    const approval = await this.#config.store.create(record);
    return { approval, isNew: approval.id === record.id };
  }

  async list(): Promise<ApprovalRecord[]> {
    await this.#expireAll();
    return this.#config.store.list();
  }

  /** The approval, expired by now if it is. Throws `approval_unknown`. */
  async get(id: string): Promise<ApprovalRecord> {
    const record = await this.#config.store.get(id);
    if (record === undefined) throw error('approval_unknown', 'there is no such approval');
    return (await this.#expire(record)) ? { ...record, state: 'expired' } : record;
  }

  /**
   * Signs and keeps a person's answer. Throws `approval_unknown`, `approval_expired`, or
   * `approval_used` when it was answered before.
   */
  async answer(id: string, verdict: 'allow' | 'deny', approver: string): Promise<ApprovalRecord> {
    const record = await this.get(id);
    requirePending(record);
    const token = await new SignJWT({ call_digest: record.call_digest, verdict, approver })
      .setProtectedHeader({ alg: algorithm, typ: 'approval+jwt' })
      .setIssuer(issuer)
      .setSubject(record.spiffe_id)
      .setJti(id)
      .setIssuedAt(this.#config.clock())
      .setExpirationTime(new Date(record.expires_at))
      .sign(this.#config.key.privateKey);
    const state = verdict === 'allow' ? 'allowed' : 'denied';
    const change = { state, approver, token } as const;
    if (!(await this.#config.store.update(id, 'pending', change))) {
      requirePending(await this.get(id));
    }
    this.#wake(id);
    return { ...record, ...change };
  }

  /** Waits until the approval is answered or expires, at most `waitMs`; returns it as it is then. */
  async wait(id: string, waitMs: number, signal: AbortSignal): Promise<ApprovalRecord> {
    const record = await this.get(id);
    const leftMs = new Date(record.expires_at).getTime() - this.#config.clock().getTime();
    const timeoutMs = Math.min(waitMs, leftMs);
    if (record.state !== 'pending' || timeoutMs <= 0 || signal.aborted) return record;
    await new Promise<void>((resolve) => {
      const waiters = this.#waiting.get(id) ?? new Set();
      this.#waiting.set(id, waiters);
      const timer = setTimeout(done, timeoutMs);
      signal.addEventListener('abort', done);
      waiters.add(done);
      function done(): void {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        waiters.delete(done);
        resolve();
      }
    });
    if (this.#waiting.get(id)?.size === 0) this.#waiting.delete(id);
    return this.get(id);
  }

  /**
   * Takes an answered approval for the call that it was given for; an allowed one is used up by
   * this. Throws `approval_unknown`, `approval_required` while it is unanswered,
   * `approval_expired`, `approval_used`, or `approval_mismatch` for any other call.
   */
  async present(id: string, call: BoundCall): Promise<VerifiedApproval> {
    const record = await this.get(id);
    const digest = this.callDigest(call);
    if (record.call_digest !== digest || record.spiffe_id !== call.spiffe_id) {
      throw error('approval_mismatch', 'the approval is for another call');
    }
    if (record.state === 'pending') throw error('approval_required', 'nobody has answered yet');
    if (record.state === 'expired') throw error('approval_expired', 'the approval has expired');
    if (record.state === 'used') throw error('approval_used', 'the approval was used already');
    const verified = await this.#verify(record, digest);
    if (verified.verdict === 'allow') {
      const taken = await this.#config.store.update(id, 'allowed', { state: 'used' });
      if (!taken) throw error('approval_used', 'the approval was used already');
    }
    return verified;
  }

  /** Ends every wait. */
  close(): void {
    for (const id of [...this.#waiting.keys()]) this.#wake(id);
  }

  async #verify(record: ApprovalRecord, digest: string): Promise<VerifiedApproval> {
    const { payload } = await jwtVerify(record.token ?? '', this.#config.key.publicKey, {
      algorithms: [algorithm],
      typ: 'approval+jwt',
      issuer,
      subject: record.spiffe_id,
      requiredClaims: ['jti', 'exp', 'call_digest', 'verdict', 'approver'],
      currentDate: this.#config.clock(),
    }).catch((cause: unknown) => {
      throw new PlatformError('approval_mismatch', 'the approval is not signed by this platform', {
        cause,
      });
    });
    const { verdict, approver } = payload;
    const bound = payload.jti === record.id && payload.call_digest === digest;
    if (!bound || (verdict !== 'allow' && verdict !== 'deny') || typeof approver !== 'string') {
      throw error('approval_mismatch', 'the approval is for another call');
    }
    const expires_at = new Date((payload.exp ?? 0) * 1000).toISOString();
    return { id: record.id, call_digest: digest, verdict, approver, expires_at };
  }

  async #expire(record: ApprovalRecord): Promise<boolean> {
    const isOpen = record.state === 'pending' || record.state === 'allowed';
    if (!isOpen || new Date(record.expires_at) > this.#config.clock()) return false;
    return this.#config.store.update(record.id, record.state, { state: 'expired' });
  }

  async #expireAll(): Promise<void> {
    for (const record of await this.#config.store.list()) await this.#expire(record);
  }

  #wake(id: string): void {
    for (const done of [...(this.#waiting.get(id) ?? [])]) done();
  }
}

/** A fresh Ed25519 pair. */
export function newApprovalKey(): ApprovalKey {
  return generateKeyPairSync('ed25519');
}

/** The members that are set, as JSON has them. */
function plain(value: object | null): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

function requirePending(record: ApprovalRecord): void {
  if (record.state === 'expired') throw error('approval_expired', 'the approval has expired');
  if (record.state !== 'pending') throw error('approval_used', 'the approval is answered already');
}

function error(code: ErrorCode, message: string): PlatformError {
  return new PlatformError(code, message);
}
