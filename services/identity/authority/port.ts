// What the signing authority of a trust domain does for the identity server, and what it needs.
import type { DenyView, X509Svid } from '../../../runtime/identity/workload/x509.ts';
import type { JsonObject } from '../../../runtime/json.ts';
import type { Scope } from '../../../runtime/modules/scope.ts';
import type { Database } from '../../common/database/port.ts';
import type { Route } from '../../common/http/port.ts';
import type { KeyEvent } from './keyring.ts';
import type { KeyKind } from './store.ts';

export interface AuthorityConfig {
  /** A name such as `platform.local`, without `spiffe://`. */
  trustDomain: string;
  database: Database;
  /** 32 bytes; without it no key of the database can be read. */
  keyEncryptionKey: Uint8Array;
  /** The `scope` module; read from the built modules when left out. */
  scope?: Pick<Scope, 'parse'>;
  clock?: () => Date;
  /** How long a signing key and its CA certificate live; 24 h. */
  caTtlMs?: number;
  /** How long an X.509-SVID or WIT-SVID lives where nobody asks for less or more; 1 h. */
  svidTtlMs?: number;
  /** How long a JWT-SVID lives where nobody asks for less or more; 5 min. */
  jwtTtlMs?: number;
  /** How often the database is asked for what another authority changed; 500, and 0 for never. */
  pollMs?: number;
  /** How long `rotateNow` publishes a new key before it signs; 1000. */
  publishAheadMs?: number;
  onEvent?: (event: AuthorityEvent) => void;
}

export type AuthorityEvent =
  | { type: 'key'; kind: KeyKind; id: string; change: KeyEvent['change'] }
  | { type: 'denied'; spiffeId: string; issuedBefore: number }
  | { type: 'deny_list_full' }
  /** The database could not be used, or holds a damaged key; the authority goes on with what it knows. */
  | { type: 'trouble'; error: unknown }
  | { type: 'recovered' };

/** A signing key as status pages show it. */
export interface KeyFacts {
  id: string;
  isActive: boolean;
  preparedAt: Date;
  activatesAt: Date;
  expiresAt: Date;
}

export interface AuthorityState {
  trustDomain: string;
  keys: Record<KeyKind, KeyFacts[]>;
  denied: { entries: number; sequence: number; isFull: boolean };
  /** When the database last answered. */
  databaseSeenAt: Date;
  isInTrouble: boolean;
}

export interface IssuedToken {
  token: string;
  issuedAt: Date;
  expiresAt: Date;
}

/** A JWK Set (RFC 7517). */
export type Jwks = { keys: JsonObject[] };

/**
 * Signs for one trust domain. Every method that takes a SPIFFE ID refuses what breaks the SPIFFE-ID
 * standard (`spiffe_*`), another trust domain (`svid_foreign`) and an ID without a path
 * (`spiffe_id_invalid`). Whether the ID may be issued at all is the caller's to know.
 */
export interface Authority {
  readonly trustDomain: string;
  /**
   * An X.509-SVID with a fresh P-256 key, never longer than its CA. Waits for the second from which
   * on an identity taken away may be issued again. `input_invalid` for DNS names or a time to live
   * (1 s to 24 h) out of bounds, `identity_unavailable` when no CA is within its time.
   */
  issueX509(request: {
    spiffeId: string;
    dnsNames?: readonly string[];
    ttlSeconds?: number;
    hint?: string;
  }): Promise<X509Svid>;
  /** A JWT-SVID, RS256, for 1 to 16 audiences; never longer than its key is published. */
  issueJwt(request: {
    spiffeId: string;
    audience: readonly string[];
    ttlSeconds?: number;
  }): Promise<IssuedToken>;
  /** A WIT-SVID, ES256, with its private key as a JWK. */
  issueWit(request: {
    spiffeId: string;
    ttlSeconds?: number;
  }): Promise<IssuedToken & { privateKeyJwk: string }>;
  /** See `validateJwtSvid`. */
  validateJwt(token: string, audience: string): Promise<{ spiffeId: string; claims: JsonObject }>;
  /** The CA certificates to trust, DER, oldest first. */
  x509Bundle(): Uint8Array[];
  jwtBundle(): Jwks;
  witBundle(): Jwks;
  /**
   * The routes of OpenID Connect discovery, relative to the issuer's URL. From then on JWT-SVIDs name
   * the issuer, of which there is one: `configuration_invalid` for another.
   */
  oidcRoutes(options: { issuer: string }): Route[];
  /**
   * Refuses every SVID of the id that was issued until now; those issued from the second returned on
   * are good. `identity_unavailable` when the list is full, a database error when it cannot be
   * written; then nothing has changed.
   */
  deny(spiffeId: string): Promise<{ issuedBefore: number }>;
  /** The signed deny-list now: a JWS in compact form, see docs/identity.md. */
  denyList(): string;
  readonly denied: DenyView;
  /** Called after each change of what signs or is published; returns how to stop listening. */
  onBundleChange(listener: (event: KeyEvent) => void): () => void;
  onDenyChange(listener: () => void): () => void;
  /**
   * Makes the next key sign, now or once it has been published for a moment; `jwt` means the keys of
   * both kinds of token. What the old ones signed stays valid.
   */
  rotateNow(kind: 'x509' | 'jwt'): Promise<void>;
  /** Brings keys and deny-list up to the clock and the database; also done by itself. */
  refresh(): Promise<void>;
  state(): AuthorityState;
  close(): Promise<void>;
}
