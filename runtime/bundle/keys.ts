// Ed25519 keys of bundles as JWK files (RFC 7517, RFC 8037).
import { readFile, writeFile } from 'node:fs/promises';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import { BundleError } from '../errors.ts';

export interface BundleKeyPair {
  /** Signs; keep it where only the builder of bundles can read it. */
  privateKey: JWK;
  /** Verifies; its `kid` is the key's RFC 7638 thumbprint. */
  publicKey: JWK;
}

/** Creates a key pair for signing bundles. */
export async function createBundleKey(): Promise<BundleKeyPair> {
  const pair = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  const publicKey = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(publicKey);
  const common = { kid, alg: 'EdDSA', use: 'sig' };
  return {
    privateKey: { ...(await exportJWK(pair.privateKey)), ...common },
    publicKey: { ...publicKey, ...common },
  };
}

/** Writes `<path>` (private, mode 0600) and `<path>.pub`. */
export async function writeBundleKey(path: string, pair: BundleKeyPair): Promise<void> {
  await writeFile(path, `${JSON.stringify(pair.privateKey, null, 2)}\n`, { mode: 0o600 });
  await writeFile(`${path}.pub`, `${JSON.stringify(pair.publicKey, null, 2)}\n`);
}

/**
 * Reads a file with one JWK or a JWK set.
 * @throws BundleError `bundle_signature_invalid` when it holds no Ed25519 key with a `kid`
 */
export async function readBundleKeys(path: string): Promise<JWK[]> {
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw unreadable(path, cause);
  });
  return parseBundleKeys(bytes, path);
}

/** The same of bytes that were read from `path`. */
export function parseBundleKeys(bytes: Uint8Array, path: string): JWK[] {
  let document: unknown;
  try {
    document = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch (cause) {
    throw unreadable(path, cause);
  }
  const found = (document as { keys?: unknown } | null)?.keys ?? [document];
  const keys = (Array.isArray(found) ? found : []).filter(isBundleKey);
  if (keys.length === 0) {
    throw new BundleError('bundle_signature_invalid', `${path} holds no Ed25519 key with a kid`);
  }
  return keys;
}

function unreadable(path: string, cause: unknown): BundleError {
  return new BundleError('bundle_signature_invalid', `cannot read the key file ${path}`, {
    cause,
  });
}

function isBundleKey(value: unknown): value is JWK {
  const key = value as JWK | null;
  return key?.kty === 'OKP' && key.crv === 'Ed25519' && typeof key.kid === 'string';
}
