// DER as PEM (RFC 7468).
import type { X509Svid } from '../../../runtime/identity/workload/x509.ts';

/** One PEM block for each DER value, one after the other. */
export function toPem(label: 'CERTIFICATE' | 'PRIVATE KEY', values: readonly Uint8Array[]): string {
  return values.map((value) => block(label, value)).join('');
}

/** The private key of an SVID, PKCS#8. */
export function privateKeyPem({ privateKey }: X509Svid): string {
  return block('PRIVATE KEY', privateKey);
}

function block(label: string, value: Uint8Array): string {
  const lines =
    Buffer.from(value)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
