// Judges what the Workload API sends before anything relies on it.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { IdentityError, PlatformError } from '../../errors.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';
import type { Scope } from '../../modules/scope.ts';
import type {
  JWTBundlesResponse,
  X509SVID,
  X509SVIDResponse,
} from '../proto/spiffe/workload/workload_pb.js';
import { readCertificate } from './certificate.ts';
import { verifyChain } from './chain.ts';
import { requireLeaf } from './peer-svid.ts';
import { splitCertificates } from './pem.ts';
import type { X509Context, X509Svid } from './x509.ts';

/** Public keys of one trust domain that sign JWT-SVIDs (RFC 7517), each with a `kid`. */
export interface JwtBundle {
  keys: (JsonObject & { kid: string })[];
}

const svidsMax = 64;
const bundlesMax = 64;
const keysMax = 64;

/**
 * One answer of FetchX509SVID as a context. Throws `svid_invalid` when an SVID of it is none, is not
 * signed by its own bundle, or has another key. Its time is not judged: peers do that, by their clock.
 */
export function readX509Answer(answer: X509SVIDResponse, scope: Scope): X509Context {
  if (answer.svids.length === 0 || answer.svids.length > svidsMax) {
    throw invalid(`it holds ${answer.svids.length} SVIDs`);
  }
  const bundles = readBundles(answer.federatedBundles, scope);
  const svids = answer.svids.map((each) => {
    const bundle = splitCertificates(each.bundle);
    const { svid, trustDomain } = readSvid(each, bundle, scope);
    bundles.set(trustDomain, bundle);
    return svid;
  });
  return { svids, bundles };
}

/** One answer of FetchJWTBundles, by trust domain. Throws `svid_invalid`. */
export function readJwtBundles(
  answer: JWTBundlesResponse,
  scope: Scope,
): ReadonlyMap<string, JwtBundle> {
  const found = Object.entries(answer.bundles);
  if (found.length > bundlesMax) throw invalid(`it holds ${found.length} bundles`);
  return new Map(
    found.map(([id, bytes]) => [trustDomainOf(id, scope), readKeys(Buffer.from(bytes))]),
  );
}

function readBundles(bundles: Record<string, Uint8Array>, scope: Scope): Map<string, Uint8Array[]> {
  const found = Object.entries(bundles);
  if (found.length > bundlesMax) throw invalid(`it holds ${found.length} bundles`);
  return new Map(found.map(([id, bytes]) => [trustDomainOf(id, scope), splitCertificates(bytes)]));
}

function readSvid(
  answer: X509SVID,
  bundle: readonly Uint8Array[],
  scope: Scope,
): { svid: X509Svid; trustDomain: string } {
  const certificates = splitCertificates(answer.x509Svid);
  const [leaf] = certificates;
  if (leaf === undefined) throw invalid('an SVID has no certificate');
  const facts = readCertificate(leaf);
  const { spiffeId, trustDomain } = requireLeaf(facts, scope);
  if (spiffeId !== answer.spiffeId) throw invalid('a certificate is for another SPIFFE ID');
  verifyChain(certificates, bundle, facts.notBefore);
  if (!isKeyOf(leaf, answer.x509SvidKey)) throw invalid('a key does not fit its certificate');
  const { notBefore, notAfter } = facts;
  const privateKey = new Uint8Array(answer.x509SvidKey);
  const svid = { spiffeId, certificates, privateKey, hint: answer.hint, notBefore, notAfter };
  return { svid, trustDomain };
}

function isKeyOf(leaf: Uint8Array, pkcs8: Uint8Array): boolean {
  try {
    const key = createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' });
    return new X509Certificate(leaf).checkPrivateKey(key);
  } catch {
    return false;
  }
}

function readKeys(bytes: Buffer): JwtBundle {
  let bundle: unknown;
  try {
    bundle = JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw invalid('a JWT bundle is no JSON', cause);
  }
  const keys = isJsonObject(bundle) ? bundle.keys : undefined;
  if (!Array.isArray(keys) || keys.length > keysMax) throw invalid('a JWT bundle has no keys');
  return {
    keys: keys.filter(
      (key): key is JsonObject & { kid: string } =>
        isJsonObject(key) && typeof key.kid === 'string' && key.kid !== '',
    ),
  };
}

function trustDomainOf(id: string, scope: Scope): string {
  try {
    const { trustDomain, path } = scope.parse(id);
    if (path.length === 0) return trustDomain;
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
  }
  throw invalid('a bundle is of no trust domain');
}

function invalid(why: string, cause?: unknown): IdentityError {
  return new IdentityError('svid_invalid', `the identity server's answer is refused: ${why}`, {
    cause,
  });
}
