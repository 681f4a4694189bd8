// What the servers of workload identity need of an authority; see authority/ for the one that there is.
import type { JSONWebKeySet, JWTPayload } from 'jose';
import type { DenyView, X509Svid } from '../../runtime/identity/workload/x509.ts';

/** Issues identity documents, publishes trust bundles and takes identities away. */
export interface Issuer {
  readonly trustDomain: string;
  readonly denied: DenyView;
  issueX509(request: {
    spiffeId: string;
    dnsNames?: readonly string[];
    ttlSeconds?: number;
    hint?: string;
  }): Promise<X509Svid>;
  issueJwt(request: {
    spiffeId: string;
    audience: readonly string[];
    ttlSeconds?: number;
  }): Promise<{ token: string; issuedAt: Date; expiresAt: Date }>;
  issueWit(request: {
    spiffeId: string;
    ttlSeconds?: number;
  }): Promise<{ token: string; privateKeyJwk: string; issuedAt: Date; expiresAt: Date }>;
  validateJwt(token: string, audience: string): Promise<{ spiffeId: string; claims: JWTPayload }>;
  /** CA certificates, DER. */
  x509Bundle(): readonly Uint8Array[];
  jwtBundle(): JSONWebKeySet;
  witBundle(): JSONWebKeySet;
  deny(spiffeId: string): Promise<unknown>;
  /** The signed list as it is now. */
  denyList(): string;
  onBundleChange(listener: () => void): () => void;
  onDenyChange(listener: () => void): () => void;
}
