// Makes the two kinds of certificate of a trust domain: its CA's and an X.509-SVID (RFC 5280).
import { createHash, type KeyObject, randomBytes, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_clientAuth,
  id_kp_serverAuth,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity as ValidityPeriod,
  Version,
} from '@peculiar/asn1-x509';

// On a thread of the pool, so that ten thousand certificates in a row leave the server answering.
const signOnThread = promisify(sign);

/** ECDSA with SHA-256 (RFC 5758, section 3.2). */
const signatureAlgorithm = new AlgorithmIdentifier({ algorithm: '1.2.840.10045.4.3.2' });

const country = attribute('2.5.4.6', { printableString: 'US' });
const caOrganization = attribute('2.5.4.10', { utf8String: 'SPIFFE' });
const svidOrganization = attribute('2.5.4.10', { utf8String: 'SPIRE' });
const commonName = '2.5.4.3';
const serialNumberName = '2.5.4.5';

// What every certificate of a kind has alike; critical ones are marked with `true`.
const caExtensions = [
  extension(id_ce_basicConstraints, new BasicConstraints({ cA: true }), true),
  extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign), true),
];
const svidExtensions = [
  extension(id_ce_basicConstraints, new BasicConstraints(), true),
  extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.digitalSignature), true),
  extension(id_ce_extKeyUsage, new ExtendedKeyUsage([id_kp_serverAuth, id_kp_clientAuth])),
];

/** What signs certificates: a CA's key and the names of its certificate. */
export interface CertificateSigner {
  key: KeyObject;
  /** The CA's subject, which becomes the issuer. */
  issuer: Name;
  /** The CA's own identifier of its key, by which its leaves name it. */
  authority: Extension;
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
  const { subject, extensions } = AsnConvert.parse(certificate, Certificate).tbsCertificate;
  const own = extensions?.find(({ extnID }) => extnID === id_ce_subjectKeyIdentifier);
  if (own === undefined) throw new TypeError('the CA certificate does not identify its key');
  const { buffer } = AsnConvert.parse(own.extnValue, SubjectKeyIdentifier);
  const identifier = new AuthorityKeyIdentifier({ keyIdentifier: new KeyIdentifier(buffer) });
  const authority = extension(id_ce_authorityKeyIdentifier, identifier);
  return { key: privateKey, issuer: subject, authority };
}

/**
 * A key's identifier, hexadecimal: the leftmost 160 bits of the SHA-256 of its SubjectPublicKeyInfo's
 * bit string (RFC 7093, section 2, method 1).
 */
export function keyIdOf(publicKey: Uint8Array): string {
  return keyIdentifier(AsnConvert.parse(publicKey, SubjectPublicKeyInfo)).toString('hex');
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
  const number = BigInt(`0x${serial.toString('hex')}`).toString();
  const subject = new Name([
    country,
    caOrganization,
    attribute(serialNumberName, { printableString: number }),
  ]);
  const names = [new GeneralName({ uniformResourceIdentifier: `spiffe://${trustDomain}` })];
  return signed({ key: keys.privateKey, issuer: subject }, validity, {
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
    country,
    svidOrganization,
    ...(fits ? [attribute(commonName, { utf8String: first })] : []),
  ]);
  const names = [new GeneralName({ uniformResourceIdentifier: spiffeId })];
  for (const dNSName of dnsNames) names.push(new GeneralName({ dNSName }));
  const extensions = [...svidExtensions, signer.authority];
  return signed(signer, validity, { serial: newSerial(), subject, names, publicKey, extensions });
}

interface Body {
  serial: Buffer;
  subject: Name;
  names: GeneralName[];
  /** SubjectPublicKeyInfo, DER. */
  publicKey: Uint8Array;
  extensions: readonly Extension[];
}

async function signed(
  signer: Pick<CertificateSigner, 'key' | 'issuer'>,
  validity: Validity,
  { serial, subject, names, publicKey, extensions }: Body,
): Promise<Uint8Array> {
  const subjectPublicKeyInfo = AsnConvert.parse(publicKey, SubjectPublicKeyInfo);
  const ownKey = new SubjectKeyIdentifier(bufferOf(keyIdentifier(subjectPublicKeyInfo)));
  const tbsCertificate = new TBSCertificate({
    ...{ version: Version.v3, serialNumber: bufferOf(serial), signature: signatureAlgorithm },
    ...{ issuer: signer.issuer, validity: new ValidityPeriod(validity), subject },
    subjectPublicKeyInfo,
    extensions: new Extensions([
      ...extensions,
      extension(id_ce_subjectKeyIdentifier, ownKey),
      extension(id_ce_subjectAltName, new SubjectAlternativeName(names)),
    ]),
  });
  const toBeSigned = new Uint8Array(AsnConvert.serialize(tbsCertificate));
  const key = { key: signer.key, dsaEncoding: 'der' } as const;
  const signatureValue = bufferOf(await signOnThread('sha256', toBeSigned, key));
  return new Uint8Array(
    AsnConvert.serialize(new Certificate({ tbsCertificate, signatureAlgorithm, signatureValue })),
  );
}

function attribute(
  type: string,
  value: Pick<AttributeValue, 'printableString' | 'utf8String'>,
): RelativeDistinguishedName {
  const pair = new AttributeTypeAndValue({ type, value: new AttributeValue(value) });
  return new RelativeDistinguishedName([pair]);
}

function extension(extnID: string, value: object, critical = false): Extension {
  return new Extension({
    extnID,
    critical,
    extnValue: new OctetString(AsnConvert.serialize(value)),
  });
}

function keyIdentifier({ subjectPublicKey }: SubjectPublicKeyInfo): Buffer {
  const digest = createHash('sha256').update(new Uint8Array(subjectPublicKey)).digest();
  return digest.subarray(0, 20);
}

/** The bytes alone: small buffers of Node's share one piece of memory. */
function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

/** 128 random bits, the first two of them 01, so that the number is positive and of one length. */
function newSerial(): Buffer {
  const serial = randomBytes(16);
  serial[0] = (serial[0]! & 0x7f) | 0x40;
  return serial;
}
