// Makes the authority's signing keys and opens them again from what the database holds.
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
} from 'node:crypto';
import { promisify } from 'node:util';
import { PlatformError } from '../../../runtime/errors.ts';
import { backdateSeconds } from '../../../runtime/identity/workload/x509.ts';
import { keyIdOf, makeCaCertificate } from './certificate.ts';
import type { Lifetime } from './schedule.ts';
import type { Sealer } from './seal.ts';
import type { KeyKind, StoredKey } from './store.ts';

const generate = promisify(generateKeyPair);

/** A key that can sign; `id` is the `kid` of tokens, and of a CA its hexadecimal key identifier. */
export interface SigningKey extends Lifetime {
  kind: KeyKind;
  id: string;
  privateKey: KeyObject;
  publicKey: KeyObject;
  /** The CA certificate, DER; of tokens' keys the SubjectPublicKeyInfo. */
  publicPart: Uint8Array;
}

/** Makes a key of the kind: EC P-256 for certificates and WIT-SVIDs, RSA 2048 for JWT-SVIDs. */
export async function makeSigningKey(
  kind: KeyKind,
  trustDomain: string,
  lifetime: Lifetime,
  sealer: Sealer,
): Promise<StoredKey> {
  const pair =
    kind === 'jwt'
      ? await generate('rsa', { modulusLength: 2048 })
      : await generate('ec', { namedCurve: 'P-256' });
  const info = pair.publicKey.export({ type: 'spki', format: 'der' });
  let id = createHash('sha256').update(info).digest('base64url');
  let publicPart: Uint8Array = info;
  if (kind === 'x509') {
    id = keyIdOf(info);
    const keys = { privateKey: pair.privateKey, publicKey: info };
    publicPart = await makeCaCertificate(trustDomain, keys, {
      // Our clock may be ahead by as much as a verifier's may be behind.
      notBefore: new Date(lifetime.preparedAt - 2 * backdateSeconds * 1000),
      notAfter: new Date(lifetime.expiresAt),
    });
  }
  const unsealed = { kind, id, ...lifetime, publicPart };
  const secret = pair.privateKey.export({ type: 'pkcs8', format: 'der' });
  const sealed = sealer.seal(secret, contextOf(trustDomain, unsealed));
  secret.fill(0);
  return { ...unsealed, sealed };
}

/**
 * Opens a stored key. Throws `identity_unavailable` for a row that was changed or comes from
 * elsewhere: also its public part and its lifetime are sealed in, so that whoever can only write to
 * the database cannot have a CA of its own published.
 */
export function openSigningKey(stored: StoredKey, trustDomain: string, sealer: Sealer): SigningKey {
  const { sealed, ...rest } = stored;
  const secret = sealer.open(sealed, contextOf(trustDomain, rest));
  if (secret === undefined) {
    const message = `the stored ${rest.kind} key ${rest.id} is damaged`;
    throw new PlatformError('identity_unavailable', message);
  }
  const privateKey = createPrivateKey({ key: Buffer.from(secret), format: 'der', type: 'pkcs8' });
  secret.fill(0);
  return { ...rest, privateKey, publicKey: createPublicKey(privateKey) };
}

/** The time when a key starts to sign may be moved; nothing else of it may. */
function contextOf(trustDomain: string, key: Omit<StoredKey, 'sealed'>): string[] {
  const digest = createHash('sha256').update(key.publicPart).digest('hex');
  const lifetime = [String(key.preparedAt), String(key.expiresAt)];
  return ['identity_keys', trustDomain, key.kind, key.id, digest, ...lifetime];
}
