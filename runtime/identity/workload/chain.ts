// Verifies a chain of certificates against a trust bundle, for callers that have no TLS to do it.
import { X509Certificate } from 'node:crypto';
import { IdentityError } from '../../errors.ts';
import { type CertificateFacts, readCertificate } from './certificate.ts';

const chainMax = 8;

interface Link {
  parsed: X509Certificate;
  facts: CertificateFacts;
}

/**
 * Verifies that the first certificate (DER) was signed, by way of the others in any order, by a CA of
 * the bundle (DER): issuer names, signatures, CA flag, `keyCertSign`, path lengths and the validity of
 * every certificate at `now` (RFC 5280, section 6.1, for chains without name constraints and
 * policies). Every certificate of the bundle is a trust anchor. What a leaf must be is not judged
 * here: see `verifyPeerSvid`. Throws `svid_invalid` or `svid_expired`.
 */
export function verifyChain(
  certificates: readonly Uint8Array[],
  bundle: readonly Uint8Array[],
  now: Date,
): void {
  if (certificates.length === 0 || certificates.length > chainMax) {
    throw untrusted(`it has ${certificates.length} certificates`);
  }
  const [leaf, ...intermediates] = certificates.map(read) as [Link, ...Link[]];
  const anchors = bundle.map(read);
  requireValid(leaf, now);
  let below = leaf;
  for (let seen = 0; ; seen += 1) {
    const above = anchors.filter((each) => signed(each, below, seen));
    if (above.some((each) => isValid(each, now))) return;
    if (above[0] !== undefined) throw outOfTime(above[0]);
    const at = intermediates.findIndex((each) => signed(each, below, seen));
    const [issuer] = at < 0 ? [] : intermediates.splice(at, 1);
    if (issuer === undefined) throw untrusted('no CA of the trust bundle has signed it');
    requireValid(issuer, now);
    below = issuer;
  }
}

function read(der: Uint8Array): Link {
  const facts = readCertificate(der);
  try {
    return { facts, parsed: new X509Certificate(der) };
  } catch (cause) {
    throw untrusted('a certificate of it cannot be read', cause);
  }
}

function signed(issuer: Link, subject: Link, intermediatesBelow: number): boolean {
  const { isCa, keyUsage, pathLength } = issuer.facts;
  if (!isCa || !keyUsage?.has('keyCertSign')) return false;
  if (pathLength !== undefined && intermediatesBelow > pathLength) return false;
  try {
    const isNamed = subject.parsed.checkIssued(issuer.parsed);
    return isNamed && subject.parsed.verify(issuer.parsed.publicKey);
  } catch {
    return false; // a key of a kind that OpenSSL does not know has signed nothing
  }
}

function isValid({ facts }: Link, now: Date): boolean {
  return now >= facts.notBefore && now <= facts.notAfter;
}

function requireValid(link: Link, now: Date): void {
  if (!isValid(link, now)) throw outOfTime(link);
}

function outOfTime({ facts }: Link): IdentityError {
  return new IdentityError('svid_expired', 'a certificate of the chain is outside its validity', {
    data: { not_before: facts.notBefore.toISOString(), not_after: facts.notAfter.toISOString() },
  });
}

function untrusted(why: string, cause?: unknown): IdentityError {
  return new IdentityError('svid_invalid', `the chain cannot be verified: ${why}`, { cause });
}
