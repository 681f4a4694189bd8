// Under which name an identity stands on the deny-list: who reads the list learns of no ID that it did not know.
import { hash } from 'node:crypto';

/** SHA-256 of the SPIFFE ID's UTF-8 bytes, base64url without padding (RFC 4648, section 5). */
export function deniedKey(spiffeId: string): string {
  return hash('sha256', spiffeId, 'base64url');
}
