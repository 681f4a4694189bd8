// Judges the X.509-SVID that a peer presents, after TLS has verified its chain and its key.
import { IdentityError } from '../../errors.ts';
import type { Scope, SpiffeId } from '../../modules/scope.ts';
import {
  type CertificateFacts,
  clientAuthentication,
  readCertificate,
  serverAuthentication,
} from './certificate.ts';
import { backdateSeconds, type DenyView } from './x509.ts';

export interface PeerSvidRules {
  /** The module that judges SPIFFE IDs. */
  scope: Scope;
  /** The only trust domain whose SVIDs are taken. */
  trustDomain: string;
  now: Date;
  denied: Pick<DenyView, 'isDenied'>;
  /** How far the two clocks may be apart before an SVID counts as expired or from the future. */
  skewMs?: number;
}

export interface PeerSvid {
  spiffeId: string;
  notBefore: Date;
  notAfter: Date;
  /** Seconds since 1970; what the deny-list compares. */
  issuedAt: number;
}

/**
 * Enforces the leaf rules of the X509-SVID standard (sections 2 to 5) on one DER certificate:
 * exactly one URI name, which is a SPIFFE ID with a path; no CA; key usage there, with
 * `digitalSignature` and neither `keyCertSign` nor `cRLSign`; an extended key usage, where there is
 * one, for both servers and clients. The chain is not verified here: that is TLS's, or `verifyChain`'s.
 *
 * Throws `svid_invalid`, `svid_foreign` (another trust domain), `svid_expired` (outside its
 * validity) or `svid_denied` (taken away since it was issued), and nothing else.
 */
export function verifyPeerSvid(leafDer: Uint8Array, rules: PeerSvidRules): PeerSvid {
  const facts = readCertificate(leafDer);
  const { spiffeId, trustDomain } = requireLeaf(facts, rules.scope);
  if (trustDomain !== rules.trustDomain) {
    throw new IdentityError('svid_foreign', `${spiffeId} is of another trust domain`, {
      data: { spiffe_id: spiffeId },
    });
  }
  const { notBefore, notAfter } = facts;
  requireValidity(spiffeId, facts, rules);
  const issuedAt = notBefore.getTime() / 1000 + backdateSeconds;
  if (rules.denied.isDenied(spiffeId, issuedAt)) {
    throw new IdentityError('svid_denied', `${spiffeId} has been taken away`, {
      data: { spiffe_id: spiffeId },
    });
  }
  return { spiffeId, notBefore, notAfter, issuedAt };
}

/** The SPIFFE ID of a leaf that keeps the rules of its kind. Throws `svid_invalid`. */
export function requireLeaf(
  facts: CertificateFacts,
  scope: Scope,
): { spiffeId: string; trustDomain: string } {
  const [spiffeId, ...more] = facts.uris;
  if (spiffeId === undefined) throw invalid('it has no URI name');
  if (more.length > 0) throw invalid('it has more than one URI name');
  if (facts.isCa) throw invalid('it is a CA certificate');
  if (!facts.keyUsage?.has('digitalSignature')) throw invalid('its key is not for signatures');
  if (facts.keyUsage.has('keyCertSign') || facts.keyUsage.has('cRLSign')) {
    throw invalid('its key may sign certificates');
  }
  const purposes = facts.extendedKeyUsage;
  const isForBoth =
    purposes === undefined ||
    (purposes.includes(serverAuthentication) && purposes.includes(clientAuthentication));
  if (!isForBoth) throw invalid('its key is not for both servers and clients');
  const { trustDomain, path } = parse(spiffeId, scope);
  if (path.length === 0) throw invalid('its SPIFFE ID has no path');
  return { spiffeId, trustDomain };
}

function parse(uri: string, scope: Scope): SpiffeId {
  try {
    return scope.parse(uri);
  } catch (cause) {
    throw invalid('its URI name is no SPIFFE ID', cause);
  }
}

function requireValidity(spiffeId: string, facts: CertificateFacts, rules: PeerSvidRules): void {
  const { notBefore, notAfter } = facts;
  const now = rules.now.getTime();
  const skewMs = rules.skewMs ?? 0;
  const isEarly = now + skewMs < notBefore.getTime();
  // Not the negation of "not after": a clock that reads NaN is no clock, and refuses.
  const isInTime = now - skewMs <= notAfter.getTime();
  if (!isEarly && isInTime) return;
  const why = isEarly ? 'is not valid yet' : 'has expired';
  throw new IdentityError('svid_expired', `the SVID of ${spiffeId} ${why}`, {
    data: {
      spiffe_id: spiffeId,
      not_before: notBefore.toISOString(),
      not_after: notAfter.toISOString(),
    },
    hint: 'compare the clocks of both machines, and see whether the identity server answers',
  });
}

function invalid(why: string, cause?: unknown): IdentityError {
  return new IdentityError('svid_invalid', `the peer's certificate is no X.509-SVID: ${why}`, {
    cause,
  });
}
