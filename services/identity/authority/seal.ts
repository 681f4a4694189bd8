// Seals what the database keeps secret, with a key that the database never sees.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { PlatformError } from '../../../runtime/errors.ts';

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** Seals and opens with one key-encryption key; every sealed value is bound to what it is for. */
export interface Sealer {
  /** Nonce, ciphertext and tag (AES-256-GCM, NIST SP 800-38D). */
  seal(plain: Uint8Array, context: readonly string[]): Uint8Array;
  /** Undefined when the key, the context or any bit differs from when it was sealed. */
  open(sealed: Uint8Array, context: readonly string[]): Uint8Array | undefined;
}

/**
 * A sealer over a key of 32 bytes; anything else is refused as `configuration_invalid`. Nonces are
 * 96 random bits: a key seals a few values a day, far below the 2^32 that random nonces allow.
 */
export function createSealer(keyEncryptionKey: Uint8Array): Sealer {
  if (keyEncryptionKey.byteLength !== keyBytes) {
    const message = `the key-encryption key has ${keyBytes} bytes, not ${keyEncryptionKey.byteLength}`;
    throw new PlatformError('configuration_invalid', message);
  }
  const key = Uint8Array.from(keyEncryptionKey);
  return {
    seal(plain, context) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(associated(context));
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed, context) {
      if (sealed.byteLength < nonceBytes + tagBytes) return undefined;
      const nonce = sealed.subarray(0, nonceBytes);
      const end = sealed.byteLength - tagBytes;
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
      decipher.setAAD(associated(context)).setAuthTag(sealed.subarray(end));
      const plain = decipher.update(sealed.subarray(nonceBytes, end));
      try {
        return Buffer.concat([plain, decipher.final()]);
      } catch {
        return undefined;
      }
    },
  };
}

/** JSON, because no two lists of strings have the same text. */
function associated(context: readonly string[]): Uint8Array {
  return Buffer.from(JSON.stringify(context));
}
