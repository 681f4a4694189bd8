// Seals a value for one place in the database, under a data key of its own wrapped by the master key.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { PlatformError } from '../../runtime/errors.ts';

/** A master key and the name that the database knows it by; the name tells nothing of the key. */
export interface MasterKey {
  /** 32 hexadecimal digits. */
  id: string;
  key: KeyObject;
}

/** Everything that a ciphertext is bound to: in any other place it does not open. */
export interface Place {
  scope: string;
  key: string;
  version: number;
  createdAt: Date;
  expiresAt: Date | null;
  /** SPIFFE ID of whoever wrote this version: services act only with what an operator wrote. */
  writtenBy: string;
}

export interface Sealed {
  nonce: Uint8Array;
  /** The data key under AES key wrap with padding, 40 bytes. */
  wrappedKey: Uint8Array;
  /** The master key that wraps it. */
  keyId: string;
  /** AES-256-GCM ciphertext, the tag of 16 bytes last. */
  ciphertext: Uint8Array;
}

export const nonceBytes = 12;
const tagBytes = 16;
const keyBytes = 32;
const wrapCipher = 'id-aes256-wrap-pad';
// RFC 5649, section 3: the constant half of the alternative initial value.
const wrapIv = Buffer.from('a65959a6', 'hex');

/** Makes a master key of 32 bytes; the given ones are erased. Throws `configuration_invalid`. */
export function masterKey(bytes: Uint8Array): MasterKey {
  if (bytes.length !== keyBytes) {
    throw new PlatformError('configuration_invalid', 'a master key has 32 bytes');
  }
  const id = createHmac('sha256', bytes).update('platform/vault/master-key/v1').digest('hex');
  const key = createSecretKey(bytes);
  bytes.fill(0);
  return { id: id.slice(0, 32), key };
}

/**
 * Encrypts a value. The data key is fresh, so no nonce can come twice under one key, whoever made
 * the nonce (NIST SP 800-38D, section 8). The caller erases `value`.
 */
export function seal(
  value: Uint8Array,
  place: Place,
  nonce: Uint8Array,
  master: MasterKey,
): Sealed {
  if (nonce.length !== nonceBytes) throw new PlatformError('internal', 'not a nonce');
  const dataKey = randomBytes(keyBytes);
  try {
    const cipher = createCipheriv('aes-256-gcm', keyObject(dataKey), nonce);
    cipher.setAAD(associatedData(place));
    const ciphertext = Buffer.concat([cipher.update(value), cipher.final(), cipher.getAuthTag()]);
    return { nonce, wrappedKey: wrap(dataKey, master), keyId: master.id, ciphertext };
  } finally {
    dataKey.fill(0);
  }
}

/**
 * Decrypts a value; the caller erases it. Throws `secret_corrupt` when any part is not what was
 * sealed for this very place.
 */
export function open(sealed: Sealed, place: Place, master: MasterKey): Buffer {
  let dataKey: Buffer | undefined;
  try {
    dataKey = unwrap(sealed.wrappedKey, master);
    const end = sealed.ciphertext.length - tagBytes;
    const options = { authTagLength: tagBytes };
    const decipher = createDecipheriv('aes-256-gcm', keyObject(dataKey), sealed.nonce, options);
    decipher.setAAD(associatedData(place));
    decipher.setAuthTag(sealed.ciphertext.subarray(end));
    const value = decipher.update(sealed.ciphertext.subarray(0, end));
    // Throws where the tag does not hold; nothing of `value` is used before.
    decipher.final();
    return value;
  } catch (cause) {
    const message = 'the stored secret is not what was sealed for this place';
    throw new PlatformError('secret_corrupt', message, { cause });
  } finally {
    dataKey?.fill(0);
  }
}

/** The same data key under another master key; the value is not decrypted. Throws `secret_corrupt`. */
export function rewrap(wrappedKey: Uint8Array, from: MasterKey, to: MasterKey): Buffer {
  let dataKey: Buffer | undefined;
  try {
    dataKey = unwrap(wrappedKey, from);
    return wrap(dataKey, to);
  } catch (cause) {
    throw new PlatformError('secret_corrupt', 'a data key does not unwrap', { cause });
  } finally {
    dataKey?.fill(0);
  }
}

function wrap(dataKey: Uint8Array, master: MasterKey): Buffer {
  const cipher = createCipheriv(wrapCipher, master.key, wrapIv);
  return Buffer.concat([cipher.update(dataKey), cipher.final()]);
}

function unwrap(wrapped: Uint8Array, master: MasterKey): Buffer {
  const decipher = createDecipheriv(wrapCipher, master.key, wrapIv);
  const [body, rest] = [decipher.update(wrapped), decipher.final()];
  const dataKey = Buffer.concat([body, rest]);
  body.fill(0);
  rest.fill(0);
  return dataKey;
}

// Node takes four times as long over a key given as bytes; either way OpenSSL erases its own copy.
function keyObject(dataKey: Uint8Array): KeyObject {
  return createSecretKey(dataKey);
}

/** Each field as a 32-bit big-endian length and its bytes, so that no two places read alike. */
function associatedData(place: Place): Buffer {
  const { scope, key, version, createdAt, expiresAt, writtenBy } = place;
  const fields = [
    ...['platform/vault/v1', scope, key, String(version)],
    ...[createdAt.toISOString(), expiresAt?.toISOString() ?? '', writtenBy],
  ];
  const parts = fields.map((field) => {
    const bytes = Buffer.from(field);
    const framed = Buffer.allocUnsafe(4 + bytes.length);
    framed.writeUInt32BE(bytes.length);
    bytes.copy(framed, 4);
    return framed;
  });
  return Buffer.concat(parts);
}
