// Makes the two kinds of certificate of a trust domain: its CA's and an X.509-SVID (RFC 5280).
import { createHash, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto';
import {
  bitString,
  element,
  objectIdentifier,
  octetString,
  positiveInteger,
  printableString,
  sequence,
  set,
  time,
  utf8String,
  yes,
} from './der.ts';

const ecdsaWithSha256 = sequence(objectIdentifier('1.2.840.10045.4.3.2'));
const version3 = element(0xa0, Uint8Array.of(2, 1, 2));
const commonName = objectIdentifier('2.5.4.3');
const serialNumberName = objectIdentifier('2.5.4.5');
const country = objectIdentifier('2.5.4.6');
const organization = objectIdentifier('2.5.4.10');

// Tags of GeneralName (RFC 5280, section 4.2.1.6): implicit and context-specific.
const dnsName = 0x82;
const uri = 0x86;

/** What signs certificates: a CA's key and the names of its certificate. */
export interface CertificateSigner {
  privateKey: KeyObject;
  /** DER of the CA's subject, which becomes the issuer. */
  subject: Uint8Array;
  keyId: Uint8Array;
}

/** The signer that a CA certificate and its private key make. */
export function certificateSigner(
  certificate: Uint8Array,
  keys: { privateKey: KeyObject; publicKey: KeyObject },
): CertificateSigner {
  const info = keys.publicKey.export({ type: 'spki', format: 'der' });
  const { serialNumber } = new X509Certificate(certificate);
  const subject = caSubject(Buffer.from(serialNumber, 'hex'));
  return { privateKey: keys.privateKey, subject, keyId: keyIdOf(info) };
}

export interface Validity {
  notBefore: Date;
  notAfter: Date;
}

/**
 * A key's identifier: the leftmost 160 bits of the SHA-256 of its point (RFC 7093, section 2,
 * method 1). `publicKey` is the SubjectPublicKeyInfo of a P-256 key, which ends with the point.
 */
export function keyIdOf(publicKey: Uint8Array): Uint8Array {
  return createHash('sha256').update(publicKey.subarray(-65)).digest().subarray(0, 20);
}

/**
 * A self-signed CA certificate of a trust domain (X509-SVID standard, sections 3.2 and 4): its only
 * name is the trust domain's own SPIFFE ID; its subject is unique, as SPIRE makes it.
 */
export function makeCaCertificate(
  trustDomain: string,
  keys: { privateKey: KeyObject; publicKey: Uint8Array },
  validity: Validity,
): Uint8Array {
  const serial = newSerial();
  const subject = caSubject(serial);
  const keyId = keyIdOf(keys.publicKey);
  const extensions = [
    extension('2.5.29.19', true, sequence(yes)),
    // keyCertSign and cRLSign
    extension('2.5.29.15', true, bitString(Uint8Array.of(0x06), 1)),
    extension('2.5.29.14', false, octetString(keyId)),
    extension('2.5.29.17', false, sequence(generalName(uri, `spiffe://${trustDomain}`))),
  ];
  const signer = { privateKey: keys.privateKey, subject, keyId };
  return signed(signer, validity, { serial, subject, publicKey: keys.publicKey, extensions });
}

/**
 * An X.509-SVID (X509-SVID standard, sections 2, 3.1 and 4): a leaf with exactly one URI name. The
 * subject is SPIRE's, with the first DNS name as its common name where that fits (64 characters).
 */
export function makeSvidCertificate(
  signer: CertificateSigner,
  names: { spiffeId: string; dnsNames: readonly string[] },
  publicKey: Uint8Array,
  validity: Validity,
): Uint8Array {
  const alternatives = names.dnsNames.map((name) => generalName(dnsName, name));
  const extensions = [
    extension('2.5.29.19', true, sequence()),
    // digitalSignature
    extension('2.5.29.15', true, bitString(Uint8Array.of(0x80), 7)),
    serverAndClient,
    extension('2.5.29.14', false, octetString(keyIdOf(publicKey))),
    extension('2.5.29.35', false, sequence(element(0x80, signer.keyId))),
    extension('2.5.29.17', false, sequence(generalName(uri, names.spiffeId), ...alternatives)),
  ];
  const subject = svidSubject(names.dnsNames[0]);
  return signed(signer, validity, { serial: newSerial(), subject, publicKey, extensions });
}

interface Body {
  serial: Uint8Array;
  subject: Uint8Array;
  publicKey: Uint8Array;
  extensions: readonly Uint8Array[];
}

function signed(signer: CertificateSigner, validity: Validity, body: Body): Uint8Array {
  const toBeSigned = sequence(
    version3,
    positiveInteger(body.serial),
    ecdsaWithSha256,
    signer.subject,
    sequence(time(validity.notBefore), time(validity.notAfter)),
    body.subject,
    body.publicKey,
    element(0xa3, sequence(...body.extensions)),
  );
  const signature = sign('sha256', toBeSigned, { key: signer.privateKey, dsaEncoding: 'der' });
  return sequence(toBeSigned, ecdsaWithSha256, bitString(signature));
}

/** 128 random bits, the first of them one, so that the number is positive and of one length. */
function newSerial(): Uint8Array {
  const serial = randomBytes(16);
  serial[0] = (serial[0]! & 0x7f) | 0x40;
  return serial;
}

function caSubject(serial: Uint8Array): Uint8Array {
  const number = BigInt(`0x${Buffer.from(serial).toString('hex')}`).toString();
  return sequence(
    attribute(country, printableString('US')),
    attribute(organization, utf8String('SPIFFE')),
    attribute(serialNumberName, printableString(number)),
  );
}

function svidSubject(name: string | undefined): Uint8Array {
  const parts = [
    attribute(country, printableString('US')),
    attribute(organization, utf8String('SPIRE')),
  ];
  if (name !== undefined && name.length <= 64) parts.push(attribute(commonName, utf8String(name)));
  return sequence(...parts);
}

const attribute = (type: Uint8Array, value: Uint8Array) => set(sequence(type, value));
const generalName = (tag: number, name: string) => element(tag, Buffer.from(name, 'latin1'));

function extension(id: string, isCritical: boolean, value: Uint8Array): Uint8Array {
  return sequence(objectIdentifier(id), ...(isCritical ? [yes] : []), octetString(value));
}

// extKeyUsage: serverAuth and clientAuth
const serverAndClient = extension(
  '2.5.29.37',
  false,
  sequence(objectIdentifier('1.3.6.1.5.5.7.3.1'), objectIdentifier('1.3.6.1.5.5.7.3.2')),
);
