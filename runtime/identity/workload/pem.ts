// Turns DER into PEM and back (RFC 7468): the Workload API speaks the one, TLS libraries the other.
import { fromBER } from 'asn1js';
import { malformed } from './certificate.ts';

const certificatesMax = 64;

/** PEM text of certificates, in their order. */
export function certificatesPem(certificates: readonly Uint8Array[]): string {
  return certificates.map((der) => pem('CERTIFICATE', der)).join('');
}

/** PEM text of an unencrypted PKCS#8 key. */
export function privateKeyPem(pkcs8: Uint8Array): string {
  return pem('PRIVATE KEY', pkcs8);
}

/**
 * The certificates of a concatenation of DER, as the Workload API sends chains and bundles. Throws
 * `svid_invalid` for what is no such concatenation, or holds more than 64. Whether each is a
 * certificate is for those to judge who read it.
 */
export function splitCertificates(concatenated: Uint8Array): Uint8Array[] {
  const certificates: Uint8Array[] = [];
  for (let rest = concatenated; rest.length > 0; ) {
    if (certificates.length === certificatesMax) throw malformed('there are too many');
    const { offset: length } = fromBER(rest, { copyInput: false });
    if (length <= 0) throw malformed('it is no concatenation of DER');
    // A copy: the answer that it came in need not be kept for it.
    certificates.push(new Uint8Array(rest.subarray(0, length)));
    rest = rest.subarray(length);
  }
  return certificates;
}

/** The DER of each certificate in a PEM text. Throws `svid_invalid` when there is none. */
export function certificatesFromPem(text: string): Uint8Array[] {
  const blocks = text.split('-----BEGIN CERTIFICATE-----').slice(1);
  if (blocks.length === 0 || blocks.length > certificatesMax) throw malformed('it is no PEM text');
  return blocks.map((block) => {
    const end = block.indexOf('-----END CERTIFICATE-----');
    if (end < 0) throw malformed('it has no end');
    return new Uint8Array(Buffer.from(block.slice(0, end), 'base64'));
  });
}

function pem(label: string, der: Uint8Array): string {
  const base64 = Buffer.from(der.buffer, der.byteOffset, der.length).toString('base64');
  const lines = base64.match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
