// Signs and verifies bundles in OPA's format: `.signatures.json` with one EdDSA JWS over file hashes.
import { timingSafeEqual } from 'node:crypto';
import type { JWK } from 'jose';
import { decodeProtectedHeader } from 'jose/decode/protected_header';
import { compactVerify } from 'jose/jws/compact/verify';
import { importJWK } from 'jose/key/import';
import { BundleError } from '../errors.ts';
import { isJsonObject } from '../json.ts';
import { digestOf } from './digest.ts';
import { hashFile, isStructured } from './hash.ts';
import type { BundleFiles } from './reader.ts';
import { readJson, SIGNATURES } from './revision.ts';

/** The scope of a signature holds a policy bundle apart from a data bundle. */
export type BundleKind = 'policy' | 'data';

export const ISSUER = 'platform';
const SHA256_HEX = /^[0-9A-Fa-f]{64}$/;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The `scope` claim of a kind of bundle. */
export function scopeOf(kind: BundleKind): string {
  return `platform/${kind}`;
}

/**
 * Adds `.signatures.json` to the files, over all of them.
 * https://www.openpolicyagent.org/docs/management-bundles#signature-format
 */
export async function signBundle(
  files: BundleFiles,
  kind: BundleKind,
  privateKey: JWK,
  now: Date = new Date(),
): Promise<void> {
  const names = [...files.keys()].filter((name) => name !== SIGNATURES).sort();
  const payload = {
    files: names.map((name) => ({
      name,
      hash: hashFile(name, files.get(name)!),
      algorithm: 'SHA-256',
    })),
    iat: Math.floor(now.getTime() / 1000),
    iss: ISSUER,
    keyid: privateKey.kid,
    scope: scopeOf(kind),
  };
  // Signing is for those who build bundles; a process that only decides does not load it.
  const { CompactSign } = await import('jose/jws/compact/sign');
  const jws = await new CompactSign(Buffer.from(JSON.stringify(payload)))
    .setProtectedHeader({ alg: 'EdDSA', kid: privateKey.kid, typ: 'JWT' })
    .sign(await importJWK(privateKey, 'EdDSA'));
  files.set(SIGNATURES, Buffer.from(JSON.stringify({ signatures: [jws] })));
}

/**
 * Verifies that one of the keys signed exactly these files as this kind of bundle.
 * @throws BundleError `bundle_signature_missing`, `bundle_signature_invalid`, or `bundle_truncated`
 *   when a file that was signed is not there
 */
export async function verifyBundle(
  files: BundleFiles,
  kind: BundleKind,
  keys: readonly JWK[],
): Promise<void> {
  if (!files.has(SIGNATURES)) {
    throw new BundleError('bundle_signature_missing', `the ${kind} bundle is not signed`);
  }
  const claims = await verifiedClaims(files, keys);
  if (claims.scope !== scopeOf(kind)) {
    throw invalid(`the signature is not one of a ${kind} bundle`);
  }
  const signed = signedHashes(claims);
  for (const [name, content] of files) {
    if (name === SIGNATURES) continue;
    const expected = signed.get(name);
    if (expected === undefined) throw invalid(`${name} is not covered by the signature`);
    if (!(await isHashOf(expected, name, content))) {
      throw invalid(`${name} is not the file that was signed`);
    }
    signed.delete(name);
  }
  const [absent] = signed.keys();
  if (absent !== undefined) {
    throw new BundleError('bundle_truncated', `the bundle lacks ${absent}, which was signed`);
  }
}

/**
 * Whether a file has this hash. The bytes of a file that was written as OPA writes it to hash it are what is
 * hashed, so that it need not be read as JSON.
 */
async function isHashOf(expected: Buffer, name: string, content: Uint8Array): Promise<boolean> {
  const isEqual = (hex: string) => {
    const actual = Buffer.from(hex, 'hex');
    return expected.length === actual.length && timingSafeEqual(expected, actual);
  };
  if (isEqual(await digestOf([content]))) return true;
  return isStructured(name) && isEqual(hashFile(name, content));
}

async function verifiedClaims(
  files: BundleFiles,
  keys: readonly JWK[],
): Promise<Record<string, unknown>> {
  const { signatures } = readJson(files, SIGNATURES);
  const [jws] = Array.isArray(signatures) ? signatures : [];
  if (typeof jws !== 'string' || (signatures as unknown[]).length !== 1) {
    throw invalid('there must be exactly one signature');
  }
  try {
    const { kid } = decodeProtectedHeader(jws);
    const key = keys.find((candidate) => candidate.kid === kid && kid !== undefined);
    if (key === undefined) throw invalid(`the signing key ${String(kid)} is not trusted`);
    const { payload } = await compactVerify(jws, await importJWK(publicPart(key), 'EdDSA'), {
      algorithms: ['EdDSA'],
    });
    const claims: unknown = JSON.parse(utf8.decode(payload));
    if (isJsonObject(claims)) return claims;
  } catch (cause) {
    if (cause instanceof BundleError) throw cause;
    throw new BundleError('bundle_signature_invalid', 'the signature does not verify', { cause });
  }
  throw invalid('the signature has no claims');
}

function publicPart(key: JWK): JWK {
  return { kty: key.kty, crv: key.crv, x: key.x };
}

function signedHashes(claims: Record<string, unknown>): Map<string, Buffer> {
  const signed = new Map<string, Buffer>();
  for (const file of Array.isArray(claims.files) ? claims.files : []) {
    const { name, hash, algorithm } = (file ?? {}) as Record<string, unknown>;
    const isHash = typeof hash === 'string' && SHA256_HEX.test(hash);
    if (typeof name !== 'string' || !isHash || algorithm !== 'SHA-256') {
      throw invalid('a signed file has no name, or no SHA-256 hash');
    }
    signed.set(name, Buffer.from(hash, 'hex'));
  }
  return signed;
}

function invalid(message: string): BundleError {
  return new BundleError('bundle_signature_invalid', message);
}
