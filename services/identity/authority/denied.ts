// The deny-list: identities that were taken away while SVIDs of theirs are still within their time.
import { sign } from 'node:crypto';
import { PlatformError } from '../../../runtime/errors.ts';
import { deniedKey } from '../../../runtime/identity/workload/denied-key.ts';
import type { DenyView } from '../../../runtime/identity/workload/x509.ts';
import type { SigningKey } from './signing-key.ts';
import type { Denied } from './store.ts';

/** Bounds of the list, so that every proxy can hold it and each message stays small. */
export const denyLimits = { entries: 20_000, nameBytes: 2 * 1024 * 1024 };

/** The longest SPIFFE ID (SPIFFE-ID standard, section 2.3). */
const idBytesMax = 2048;

/** The list as last read from the database. */
export class DenyList implements DenyView {
  readonly #trustDomain: string;
  readonly #clock: () => Date;
  readonly #listeners = new Set<() => void>();
  #denied = new Map<string, Denied & { key: string }>();
  #nameBytes = 0;
  #sequence = 0;
  #heardAt = 0;
  #signed: { jws: string; at: number; kid: string; sequence: number } | undefined;

  constructor(trustDomain: string, clock: () => Date) {
    this.#trustDomain = trustDomain;
    this.#clock = clock;
  }

  isDenied(spiffeId: string, issuedAt: number): boolean {
    return issuedAt < this.issuedBefore(spiffeId);
  }

  /** The second from which on SVIDs of the id are good; 0 when it is not on the list. */
  issuedBefore(spiffeId: string): number {
    return this.#denied.get(spiffeId)?.issuedBefore ?? 0;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  staleForMs(): number {
    return Math.max(0, this.#clock().getTime() - this.#heardAt);
  }

  /** The database was asked and the list at hand is the one in force. */
  heard(): void {
    this.#heardAt = this.#clock().getTime();
  }

  /** True when no further identity fits, so that none could be taken away any more. */
  isFull(): boolean {
    return isFull(this.#denied.size, this.#nameBytes);
  }

  /** Whether somebody on the list need not be there any more. */
  isPruneDue(now: number): boolean {
    for (const { forgetAt } of this.#denied.values()) if (forgetAt <= now) return true;
    return false;
  }

  /** Takes over the list of the database. */
  replace(sequence: number, denied: readonly Denied[]): void {
    if (sequence === this.#sequence && denied.length === this.#denied.size) return;
    this.#denied = new Map(denied.map((each) => [each.spiffeId, withKey(each)]));
    this.#nameBytes = denied.reduce((sum, { spiffeId }) => sum + spiffeId.length, 0);
    this.#tell(sequence);
  }

  /** Takes over one entry that was just written. */
  add(sequence: number, denied: Denied): void {
    if (!this.#denied.has(denied.spiffeId)) this.#nameBytes += denied.spiffeId.length;
    this.#denied.set(denied.spiffeId, withKey(denied));
    this.#tell(sequence);
  }

  #tell(sequence: number): void {
    this.#sequence = sequence;
    for (const listener of [...this.#listeners]) listener();
  }

  facts(): { entries: number; sequence: number; isFull: boolean } {
    return { entries: this.#denied.size, sequence: this.#sequence, isFull: this.isFull() };
  }

  /**
   * The list now as a JWS in compact form (RFC 7515), RS256; made anew when the list, the key or the
   * second changed. Every attested caller reads it, so it holds hashes and no names.
   */
  signedWith(key: SigningKey): string {
    const at = Math.floor(this.#clock().getTime() / 1000);
    const last = this.#signed;
    if (last?.at === at && last.kid === key.id && last.sequence === this.#sequence) return last.jws;
    const header = { alg: 'RS256', kid: key.id, typ: 'platform-deny-list' };
    const denied = Object.fromEntries(
      [...this.#denied.values()].map(({ key, issuedBefore }) => [key, issuedBefore]),
    );
    const payload = {
      ...{ trust_domain: this.#trustDomain, sequence: this.#sequence, issued_at: at },
      denied,
    };
    const input = `${base64url(header)}.${base64url(payload)}`;
    const signature = sign('sha256', Buffer.from(input), key.privateKey).toString('base64url');
    const jws = `${input}.${signature}`;
    this.#signed = { jws, at, kid: key.id, sequence: this.#sequence };
    return jws;
  }
}

/** Hashed once, since the list is signed anew every few seconds. */
function withKey(denied: Denied): Denied & { key: string } {
  return { ...denied, key: deniedKey(denied.spiffeId) };
}

/** Throws `identity_unavailable` when a list of so many entries takes no further one. */
export function requireRoom(entries: number, nameBytes: number): void {
  if (!isFull(entries, nameBytes)) return;
  throw new PlatformError('identity_unavailable', 'the deny-list is full', {
    hint: 'nothing is issued until the oldest entries have run out',
  });
}

function isFull(entries: number, nameBytes: number): boolean {
  return entries >= denyLimits.entries || nameBytes > denyLimits.nameBytes - idBytesMax;
}

function base64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
