// Reads from an X.509 certificate what the SPIFFE rules are about, and refuses what it does not know (RFC 5280).
import { AsnConvert } from '@peculiar/asn1-schema';
import {
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  type Extension,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_kp_clientAuth,
  id_kp_serverAuth,
  KeyUsage,
  KeyUsageFlags,
  SubjectAlternativeName,
  type Time,
  Version,
} from '@peculiar/asn1-x509';
import { IdentityError } from '../../errors.ts';

/** What a certificate says of itself; nothing here is verified. */
export interface CertificateFacts {
  notBefore: Date;
  notAfter: Date;
  isCa: boolean;
  /** How many CA certificates may stand between this one and a leaf; undefined: any number. */
  pathLength: number | undefined;
  /** Names of RFC 5280, section 4.2.1.3; undefined when the extension is absent. */
  keyUsage: ReadonlySet<KeyUsageName> | undefined;
  /** Object identifiers; undefined when the extension is absent. */
  extendedKeyUsage: readonly string[] | undefined;
  /** The URI names of the subject alternative name, byte for byte as Latin-1. */
  uris: readonly string[];
}

export type KeyUsageName = keyof typeof KeyUsageFlags;

export const serverAuthentication = id_kp_serverAuth;
export const clientAuthentication = id_kp_clientAuth;

const understood = [
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
];

const keyUsages = Object.entries(KeyUsageFlags).filter(
  (entry): entry is [KeyUsageName, KeyUsageFlags] => typeof entry[1] === 'number',
);
/** All nine bits of a key usage. */
const keyUsageMax = 0x1ff;

/** An SVID of ours has under 1 KiB. */
const certificateBytesMax = 16 * 1024;
const extensionsMax = 32;
const namesMax = 64;
const pathLengthMax = 127;

/**
 * Reads one DER certificate. Throws `svid_invalid` for what is not strict DER, not version 3, has an
 * extension twice, or a critical one that is not understood here (RFC 5280, section 4.2): among those
 * are name constraints.
 */
export function readCertificate(der: Uint8Array): CertificateFacts {
  if (der.length > certificateBytesMax) throw malformed('it is too large');
  const { tbsCertificate: body } = decode(der, Certificate);
  if (body.version !== Version.v3) throw malformed('it is not version 3');
  if (body.issuerUniqueID !== undefined || body.subjectUniqueID !== undefined) {
    throw malformed('it has unique identifiers, which nobody uses');
  }
  if (body.extensions === undefined) throw malformed('it has no extensions');
  return {
    notBefore: wholeSeconds(body.validity.notBefore),
    notAfter: wholeSeconds(body.validity.notAfter),
    ...readExtensions(body.extensions),
  };
}

function readExtensions(
  extensions: readonly Extension[],
): Omit<CertificateFacts, 'notBefore' | 'notAfter'> {
  if (extensions.length > extensionsMax) throw malformed('it has too many extensions');
  const values = new Map<string, Uint8Array>();
  for (const { extnID, critical, extnValue } of extensions) {
    if (values.has(extnID)) throw malformed('it has an extension twice');
    if (critical && !understood.includes(extnID)) {
      throw malformed('it has a critical extension that is not understood');
    }
    values.set(extnID, new Uint8Array(extnValue.buffer));
  }
  return {
    ...readBasicConstraints(values.get(id_ce_basicConstraints)),
    keyUsage: readKeyUsage(values.get(id_ce_keyUsage)),
    extendedKeyUsage: readExtendedKeyUsage(values.get(id_ce_extKeyUsage)),
    uris: readUris(values.get(id_ce_subjectAltName)),
  };
}

function readBasicConstraints(
  value: Uint8Array | undefined,
): Pick<CertificateFacts, 'isCa' | 'pathLength'> {
  if (value === undefined) return { isCa: false, pathLength: undefined };
  const { cA, pathLenConstraint: pathLength } = decode(value, BasicConstraints);
  // Longer numbers than four octets are strings to the library.
  const isRight =
    pathLength === undefined ||
    (typeof pathLength === 'number' && pathLength >= 0 && pathLength <= pathLengthMax);
  if (!isRight) throw malformed('it has a path length out of range');
  return { isCa: cA, pathLength };
}

function readKeyUsage(value: Uint8Array | undefined): ReadonlySet<KeyUsageName> | undefined {
  if (value === undefined) return undefined;
  const flags = decode(value, KeyUsage).toNumber();
  // The bits alone, encoded anew: no padding that is set, no zeros at the end (X.690, section 11.2).
  const isRight = flags > 0 && flags <= keyUsageMax && isSame(new KeyUsage(flags), value);
  if (!isRight) throw malformed('its key usage is no string of nine bits');
  return new Set(keyUsages.filter(([, bit]) => (flags & bit) !== 0).map(([name]) => name));
}

function readExtendedKeyUsage(value: Uint8Array | undefined): string[] | undefined {
  if (value === undefined) return undefined;
  const purposes = decode(value, ExtendedKeyUsage);
  if (purposes.length > namesMax) throw malformed('it has too many purposes');
  return [...purposes];
}

function readUris(value: Uint8Array | undefined): string[] {
  if (value === undefined) return [];
  const names = decode(value, SubjectAlternativeName);
  if (names.length > namesMax) throw malformed('it has too many names');
  // The library keeps every byte as one character, so that no byte can hide; the rules are ASCII's.
  return [...names].flatMap(({ uniformResourceIdentifier: uri }) =>
    uri === undefined ? [] : [uri],
  );
}

/** RFC 5280, section 4.1.2.5, has no fractions; of other forms, `decode` has let none through. */
function wholeSeconds(time: Time): Date {
  const at = time.getTime();
  if (at.getTime() % 1000 !== 0) throw malformed('it has a time that is no whole second');
  return at;
}

/**
 * Decodes and encodes again: the library takes BER and skips what it does not look for, but what it
 * writes is DER, so whatever two parsers could read differently comes out changed.
 */
function decode<Shape extends object>(der: Uint8Array, shape: new () => Shape): Shape {
  let value: Shape;
  let isStrict: boolean;
  try {
    value = AsnConvert.parse(der, shape);
    isStrict = isSame(value, der);
  } catch (cause) {
    throw malformed('it has another structure than a certificate', cause);
  }
  if (!isStrict) throw malformed('it is not strict DER');
  return value;
}

function isSame(value: object, der: Uint8Array): boolean {
  return Buffer.from(AsnConvert.serialize(value)).equals(der);
}

export function malformed(why: string, cause?: unknown): IdentityError {
  return new IdentityError('svid_invalid', `the certificate cannot be read: ${why}`, { cause });
}
