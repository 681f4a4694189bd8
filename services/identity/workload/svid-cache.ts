// The identity documents of entries, issued once and shared by all that ask until half their life.
import { PlatformError } from '../../../runtime/errors.ts';
import { backdateSeconds, type X509Svid } from '../../../runtime/identity/workload/x509.ts';
import type { Entry } from '../entries/entry.ts';
import type { EntryStore } from '../entries/store.ts';
import type { OnIdentityEvent } from '../events.ts';
import type { Issuer } from '../issuer.ts';
import { LruMap } from './lru.ts';

export interface SvidCacheConfig {
  issuer: Issuer;
  store: Pick<EntryStore, 'isCurrent'>;
  clock: () => Date;
  onEvent: OnIdentityEvent;
  /** Left out: 20,000 X.509-SVIDs and as many tokens, some 60 MB. */
  sizeMax?: number;
}

interface Kept<Value> {
  value: Value;
  /** Seconds since 1970; what the deny-list goes by. */
  issuedAt: number;
  /** Milliseconds since 1970. */
  renewAt: number;
  generation: number;
}

export interface Token {
  token: string;
  /** The private key that a WIT-SVID is bound to, as a JWK. */
  privateKeyJwk?: string;
}

const defaultSizeMax = 20_000;
/** Renewal comes at half of the life, give or take this share of it, so that not all come at once. */
const jitterShare = 0.05;
const attempts = 3;

export class SvidCache {
  readonly #config: SvidCacheConfig;
  readonly #x509: LruMap<Kept<X509Svid>>;
  readonly #tokens: LruMap<Kept<Token>>;
  readonly #issuing = new Map<string, Promise<Kept<unknown>>>();
  #generation = 0;

  constructor(config: SvidCacheConfig) {
    this.#config = config;
    this.#x509 = new LruMap(config.sizeMax ?? defaultSizeMax);
    this.#tokens = new LruMap(config.sizeMax ?? defaultSizeMax);
  }

  /** Everything is issued anew when it is next asked for. */
  renewAll(): void {
    this.#generation += 1;
  }

  /** How much is kept, and how many are being issued. */
  sizes(): { x509: number; tokens: number; issuing: number } {
    return { x509: this.#x509.size, tokens: this.#tokens.size, issuing: this.#issuing.size };
  }

  /** The X.509-SVID of an entry. Throws what the issuer throws, `svid_denied` when it cannot catch up. */
  x509(entry: Entry): Promise<X509Svid> {
    return this.#kept(this.#x509, keyOf(entry), entry, async () => {
      const { spiffeId, dnsNames, hint, x509SvidTtl } = entry;
      const ttl = x509SvidTtl === 0 ? {} : { ttlSeconds: x509SvidTtl };
      const svid = await this.#config.issuer.issueX509({ spiffeId, dnsNames, hint, ...ttl });
      this.#tell('x509_svid_issued', entry);
      const issuedAt = Math.floor(svid.notBefore.getTime() / 1000) + backdateSeconds;
      return { value: svid, issuedAt, expiresAt: svid.notAfter.getTime() };
    });
  }

  /** The JWT-SVID of an entry for an audience; the order in the audience does not count. */
  async jwt(entry: Entry, audience: readonly string[]): Promise<string> {
    const sorted = [...new Set(audience)].sort();
    const key = `jwt ${keyOf(entry)} ${JSON.stringify(sorted)}`;
    const found = await this.#kept(this.#tokens, key, entry, async () => {
      const ttl = entry.jwtSvidTtl === 0 ? {} : { ttlSeconds: entry.jwtSvidTtl };
      const request = { spiffeId: entry.spiffeId, audience: sorted, ...ttl };
      const issued = await this.#config.issuer.issueJwt(request);
      this.#tell('jwt_svid_issued', entry);
      return tokenOf(issued);
    });
    return found.token;
  }

  /** The WIT-SVID of an entry, with the key that it is bound to. */
  wit(entry: Entry): Promise<Token> {
    return this.#kept(this.#tokens, `wit ${keyOf(entry)}`, entry, async () => {
      const ttl = entry.jwtSvidTtl === 0 ? {} : { ttlSeconds: entry.jwtSvidTtl };
      const issued = await this.#config.issuer.issueWit({ spiffeId: entry.spiffeId, ...ttl });
      this.#tell('wit_svid_issued', entry);
      return tokenOf(issued);
    });
  }

  async #kept<Value>(
    kept: LruMap<Kept<Value>>,
    key: string,
    entry: Entry,
    issue: () => Promise<{ value: Value; issuedAt: number; expiresAt: number }>,
  ): Promise<Value> {
    const found = kept.get(key);
    if (found !== undefined && this.#isFresh(entry.spiffeId, found)) return found.value;
    const slot = `${this.#generation} ${key}`;
    const running = this.#issuing.get(slot) as Promise<Kept<Value>> | undefined;
    const work = running ?? this.#issue(entry, issue);
    if (running === undefined) {
      this.#issuing.set(slot, work);
      work
        .then((fresh) => kept.set(key, fresh))
        .catch(() => {})
        .finally(() => this.#issuing.delete(slot));
    }
    return (await work).value;
  }

  /** An identity may be taken away while its document is being made: nobody must get that one. */
  async #issue<Value>(
    entry: Entry,
    issue: () => Promise<{ value: Value; issuedAt: number; expiresAt: number }>,
  ): Promise<Kept<Value>> {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const generation = this.#generation;
      const { value, issuedAt, expiresAt } = await issue();
      if (!this.#config.store.isCurrent(entry)) break;
      if (this.#config.issuer.denied.isDenied(entry.spiffeId, issuedAt)) continue;
      const life = expiresAt - issuedAt * 1000;
      const share = 0.5 + (Math.random() * 2 - 1) * jitterShare;
      return { value, issuedAt, renewAt: issuedAt * 1000 + life * share, generation };
    }
    throw new PlatformError('svid_denied', 'the identity was taken away while it was being issued');
  }

  #isFresh(spiffeId: string, kept: Kept<unknown>): boolean {
    if (kept.generation !== this.#generation) return false;
    if (this.#config.clock().getTime() >= kept.renewAt) return false;
    return !this.#config.issuer.denied.isDenied(spiffeId, kept.issuedAt);
  }

  #tell(kind: Parameters<OnIdentityEvent>[0]['kind'], { id, spiffeId }: Entry): void {
    this.#config.onEvent({ kind, entryId: id, spiffeId });
  }
}

function tokenOf(issued: {
  token: string;
  privateKeyJwk?: string;
  issuedAt: Date;
  expiresAt: Date;
}) {
  const { token, privateKeyJwk, issuedAt, expiresAt } = issued;
  return {
    value: privateKeyJwk === undefined ? { token } : { token, privateKeyJwk },
    issuedAt: Math.floor(issuedAt.getTime() / 1000),
    expiresAt: expiresAt.getTime(),
  };
}

/** Another revision of an entry may have other names and lifetimes. */
function keyOf({ id, revisionNumber, createdAt }: Entry): string {
  return `${id}@${createdAt}.${revisionNumber}`;
}
