// Makes the two kinds of certificate of a trust domain: its CA's and an X.509-SVID (RFC 5280).
import 'reflect-metadata'; // the certificate library needs it loaded first
import { createHash, type KeyObject, randomBytes } from 'node:crypto';
import { AsnConvert } from '@peculiar/asn1-schema';
import { SubjectPublicKeyInfo } from '@peculiar/asn1-x509';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  type JsonGeneralName,
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

const curve = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' } as const;
/** The serialNumber attribute of a name, for which the library has no short one. */
const serialNumberName = '2.5.4.5';

// What every certificate of a kind has alike; critical ones are marked with `true`.
const caExtensions = [
  new BasicConstraintsExtension(true, undefined, true),
  new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
];
const svidExtensions = [
  new BasicConstraintsExtension(false, undefined, true),
  new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
  new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth]),
];

/** What signs certificates: a CA's key and the names of its certificate. */
export interface CertificateSigner {
  key: CryptoKey;
  /** The CA's subject, which becomes the issuer. */
  issuer: Name;
  /** The CA's own identifier of its key, by which its leaves name it. */
  authority: AuthorityKeyIdentifierExtension;
}

export interface Validity {
  notBefore: Date;
  notAfter: Date;
}

/** The signer that a CA certificate (DER) of `makeCaCertificate` and its private key make. */
export function certificateSigner(
  certificate: Uint8Array,
  privateKey: KeyObject,
): CertificateSigner {
  const read = new X509Certificate(new Uint8Array(certificate));
  const { keyId } = read.getExtension(SubjectKeyIdentifierExtension) ?? {};
  if (keyId === undefined) throw new TypeError('the CA certificate does not identify its key');
  const authority = new AuthorityKeyIdentifierExtension(keyId);
  return { key: signingKey(privateKey), issuer: read.subjectName, authority };
}

/**
 * A key's identifier, hexadecimal: the leftmost 160 bits of the SHA-256 of its SubjectPublicKeyInfo's
 * bit string (RFC 7093, section 2, method 1).
 */
export function keyIdOf(publicKey: Uint8Array): string {
  const { subjectPublicKey } = AsnConvert.parse(publicKey, SubjectPublicKeyInfo);
  const digest = createHash('sha256').update(new Uint8Array(subjectPublicKey)).digest();
  return digest.toString('hex', 0, 20);
}

/**
 * A self-signed CA certificate of a trust domain (X509-SVID standard, sections 3.2 and 4): its only
 * name is the trust domain's own SPIFFE ID; its subject is unique, as SPIRE makes it.
 */
export async function makeCaCertificate(
  trustDomain: string,
  keys: { privateKey: KeyObject; publicKey: Uint8Array },
  validity: Validity,
): Promise<Uint8Array> {
  const serial = newSerial();
  const subject = new Name([
    { C: ['US'] },
    { O: [{ utf8String: 'SPIFFE' }] },
    { [serialNumberName]: [BigInt(`0x${serial}`).toString()] },
  ]);
  const names: JsonGeneralName[] = [{ type: 'url', value: `spiffe://${trustDomain}` }];
  return signed({ key: signingKey(keys.privateKey), issuer: subject }, validity, {
    ...{ serial, subject, names, publicKey: keys.publicKey },
    extensions: caExtensions,
  });
}

/**
 * An X.509-SVID (X509-SVID standard, sections 2, 3.1 and 4): a leaf with exactly one URI name. The
 * subject is SPIRE's, with the first DNS name as its common name where that fits (64 characters).
 */
export async function makeSvidCertificate(
  signer: CertificateSigner,
  { spiffeId, dnsNames }: { spiffeId: string; dnsNames: readonly string[] },
  publicKey: Uint8Array,
  validity: Validity,
): Promise<Uint8Array> {
  const [first] = dnsNames;
  const fits = first !== undefined && first.length <= 64;
  const subject = new Name([
    { C: ['US'] },
    { O: [{ utf8String: 'SPIRE' }] },
    ...(fits ? [{ CN: [{ utf8String: first }] }] : []),
  ]);
  const names: JsonGeneralName[] = [{ type: 'url', value: spiffeId }];
  for (const value of dnsNames) names.push({ type: 'dns', value });
  const extensions = [...svidExtensions, signer.authority];
  return signed(signer, validity, { serial: newSerial(), subject, names, publicKey, extensions });
}

interface Body {
  /** Hexadecimal. */
  serial: string;
  subject: Name;
  names: JsonGeneralName[];
  publicKey: Uint8Array;
  extensions: readonly Extension[];
}

async function signed(
  signer: Pick<CertificateSigner, 'key' | 'issuer'>,
  validity: Validity,
  body: Body,
): Promise<Uint8Array> {
  const certificate = await X509CertificateGenerator.create({
    ...{ serialNumber: body.serial, subject: body.subject, issuer: signer.issuer },
    ...{ notBefore: validity.notBefore, notAfter: validity.notAfter },
    ...{ publicKey: new Uint8Array(body.publicKey), signingKey: signer.key, signingAlgorithm },
    extensions: [
      ...body.extensions,
      new SubjectKeyIdentifierExtension(keyIdOf(body.publicKey)),
      new SubjectAlternativeNameExtension(body.names),
    ],
  });
  return new Uint8Array(certificate.rawData);
}

function signingKey(privateKey: KeyObject): CryptoKey {
  return privateKey.toCryptoKey(curve, false, ['sign']) as CryptoKey;
}

/** 128 random bits, the first two of them 01, so that the number is positive and of one length. */
function newSerial(): string {
  const serial = randomBytes(16);
  serial[0] = (serial[0]! & 0x7f) | 0x40;
  return serial.toString('hex');
}
