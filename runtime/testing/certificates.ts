// A certification authority for tests: issues certificates of any shape, right and wrong.
import 'reflect-metadata'; // the certificate library needs it loaded first
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { backdateSeconds, type X509Svid } from '../identity/workload/x509.ts';

x509.cryptoProvider.set(webcrypto as Crypto);
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

export interface TestCa {
  certificate: Uint8Array;
  /** One SVID; `change` replaces any of its facts. */
  issue(spiffeId: string, change?: Partial<CertificateShape>): Promise<X509Svid>;
  /** A CA below this one, with what it needs to be trusted. */
  intermediate(change?: Partial<CertificateShape>): Promise<TestCa>;
}

/** What goes into a certificate. */
export interface CertificateShape {
  /** The time of issue; the validity begins `backdateSeconds` earlier. */
  now: Date;
  ttlSeconds: number;
  subject: string;
  /** General names in full; instead of the one URI. */
  names: x509.JsonGeneralName[];
  basicConstraints: x509.BasicConstraintsExtension | undefined;
  keyUsage: x509.KeyUsageFlags | undefined;
  extendedKeyUsage: string[] | undefined;
  /** After all others. */
  more: x509.Extension[];
}

const leafShape = {
  subject: 'O=test',
  basicConstraints: new x509.BasicConstraintsExtension(false, undefined, true),
  keyUsage: x509.KeyUsageFlags.digitalSignature,
  extendedKeyUsage: [
    x509.ExtendedKeyUsage.serverAuth,
    x509.ExtendedKeyUsage.clientAuth,
  ] as string[],
  ttlSeconds: 3600,
};
const caShape = {
  subject: 'CN=test CA',
  basicConstraints: new x509.BasicConstraintsExtension(true, undefined, true),
  keyUsage: x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign,
  extendedKeyUsage: undefined,
  ttlSeconds: 24 * 3600,
};

/** A self-signed CA of one trust domain. */
export async function testCa(
  trustDomain = 'platform.local',
  change: Partial<CertificateShape> = {},
): Promise<TestCa> {
  const keys = await newKeys();
  const names: x509.JsonGeneralName[] = [{ type: 'url', value: `spiffe://${trustDomain}` }];
  const shape = { ...caShape, names, now: new Date(), more: [], ...change };
  const certificate = await sign(shape, keys.publicKey, shape.subject, keys);
  return caOf(certificate, keys, shape.subject, trustDomain, []);
}

function caOf(
  certificate: Uint8Array,
  keys: CryptoKeyPair,
  issuer: string,
  trustDomain: string,
  above: Uint8Array[],
): TestCa {
  return {
    certificate,
    async issue(spiffeId, change = {}) {
      const names: x509.JsonGeneralName[] = [{ type: 'url', value: spiffeId }];
      const shape = { ...leafShape, names, now: new Date(), more: [], ...change };
      const own = await newKeys();
      const leaf = await sign(shape, own.publicKey, issuer, keys);
      const privateKey = await webcrypto.subtle.exportKey('pkcs8', own.privateKey);
      return {
        spiffeId,
        certificates: [leaf, ...above],
        privateKey: new Uint8Array(privateKey),
        hint: '',
        ...validityOf(shape),
      };
    },
    async intermediate(change = {}) {
      const own = await newKeys();
      const names: x509.JsonGeneralName[] = [{ type: 'url', value: `spiffe://${trustDomain}` }];
      const subject = 'CN=test intermediate';
      const shape = { ...caShape, subject, names, now: new Date(), more: [], ...change };
      const below = await sign(shape, own.publicKey, issuer, keys);
      return caOf(below, own, shape.subject, trustDomain, [below, ...above]);
    },
  };
}

function newKeys(): Promise<CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, [
    'sign',
    'verify',
  ]) as Promise<CryptoKeyPair>;
}

function validityOf(shape: CertificateShape): { notBefore: Date; notAfter: Date } {
  const second = Math.floor(shape.now.getTime() / 1000);
  return {
    notBefore: new Date((second - backdateSeconds) * 1000),
    notAfter: new Date((second + shape.ttlSeconds) * 1000),
  };
}

async function sign(
  shape: CertificateShape,
  publicKey: CryptoKey,
  issuer: string,
  issuerKeys: CryptoKeyPair,
): Promise<Uint8Array> {
  // CAs that follow each other have one name: their key identifiers tell them apart.
  const extensions: x509.Extension[] = [
    await x509.SubjectKeyIdentifierExtension.create(publicKey),
    await x509.AuthorityKeyIdentifierExtension.create(issuerKeys.publicKey),
  ];
  if (shape.basicConstraints !== undefined) extensions.push(shape.basicConstraints);
  if (shape.keyUsage !== undefined)
    extensions.push(new x509.KeyUsagesExtension(shape.keyUsage, true));
  if (shape.extendedKeyUsage !== undefined) {
    extensions.push(new x509.ExtendedKeyUsageExtension(shape.extendedKeyUsage));
  }
  if (shape.names.length > 0) {
    extensions.push(new x509.SubjectAlternativeNameExtension(shape.names, shape.subject === ''));
  }
  const certificate = await x509.X509CertificateGenerator.create({
    ...{
      subject: shape.subject,
      issuer,
      publicKey,
      signingKey: issuerKeys.privateKey,
      signingAlgorithm: algorithm,
    },
    ...validityOf(shape),
    extensions: [...extensions, ...shape.more],
  });
  return new Uint8Array(certificate.rawData);
}
