// Reads from an X.509 certificate what the SPIFFE rules are about, and refuses what it does not know (RFC 5280).
import { DerReader, derTag, malformed, objectIdentifier } from './der.ts';

/** What a certificate says of itself; nothing here is verified. */
export interface CertificateFacts {
  notBefore: Date;
  notAfter: Date;
  isCa: boolean;
  /** How many CA certificates may stand between this one and a leaf; undefined: any number. */
  pathLength: number | undefined;
  /** Names of RFC 5280, section 4.2.1.3; undefined when the extension is absent. */
  keyUsage: ReadonlySet<KeyUsage> | undefined;
  /** Object identifiers; undefined when the extension is absent. */
  extendedKeyUsage: readonly string[] | undefined;
  /** The URI names of the subject alternative name, byte for byte as Latin-1. */
  uris: readonly string[];
}

export type KeyUsage = (typeof keyUsages)[number];

const keyUsages = [
  ...(['digitalSignature', 'nonRepudiation', 'keyEncipherment', 'dataEncipherment'] as const),
  ...(['keyAgreement', 'keyCertSign', 'cRLSign', 'encipherOnly', 'decipherOnly'] as const),
] as const;

const extension = {
  keyUsage: '2.5.29.15',
  subjectAlternativeName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  extendedKeyUsage: '2.5.29.37',
} as const;

export const serverAuthentication = '1.3.6.1.5.5.7.3.1';
export const clientAuthentication = '1.3.6.1.5.5.7.3.2';

/** An SVID of ours has under 1 KiB. */
const certificateBytesMax = 16 * 1024;
const extensionsMax = 32;
const namesMax = 64;
const version3 = 2;
// Context-specific tags: [0] version, [1] and [2] unique ids, [3] extensions; [6] a URI among names.
const versionTag = 0xa0;
const extensionsTag = 0xa3;
const uriTag = 0x86;

/**
 * Reads one DER certificate. Throws `svid_invalid` for what is not strict DER, not version 3, has an
 * extension twice, or a critical one that is not understood here (RFC 5280, section 4.2): among those
 * are name constraints.
 */
export function readCertificate(der: Uint8Array): CertificateFacts {
  if (der.length > certificateBytesMax) throw malformed('it is too large');
  const whole = new DerReader(der);
  const certificate = new DerReader(whole.read(derTag.sequence));
  whole.end();
  const body = new DerReader(certificate.read(derTag.sequence));
  certificate.read(derTag.sequence);
  certificate.read(derTag.bitString);
  certificate.end();
  const version = new DerReader(body.read(versionTag));
  if (numberOf(version.read(derTag.integer)) !== version3) throw malformed('it is not version 3');
  version.end();
  body.read(derTag.integer); // serial number
  body.read(derTag.sequence); // signature algorithm
  body.read(derTag.sequence); // issuer
  const validity = new DerReader(body.read(derTag.sequence));
  const notBefore = readTime(validity);
  const notAfter = readTime(validity);
  validity.end();
  body.read(derTag.sequence); // subject
  body.read(derTag.sequence); // subject public key
  if (body.isAtEnd) throw malformed('it has no extensions');
  const extensions = readExtensions(body.read(extensionsTag));
  body.end();
  return { notBefore, notAfter, ...extensions };
}

function readExtensions(content: Uint8Array): Omit<CertificateFacts, 'notBefore' | 'notAfter'> {
  const outer = new DerReader(content);
  const list = new DerReader(outer.read(derTag.sequence));
  outer.end();
  const values = new Map<string, Uint8Array>();
  while (!list.isAtEnd) {
    const { id, isCritical, value } = readExtension(list.read(derTag.sequence));
    if (values.has(id)) throw malformed('it has an extension twice');
    if (values.size === extensionsMax) throw malformed('it has too many extensions');
    if (isCritical && !Object.values<string>(extension).includes(id)) {
      throw malformed('it has a critical extension that is not understood');
    }
    values.set(id, value);
  }
  return {
    ...readBasicConstraints(values.get(extension.basicConstraints)),
    keyUsage: readKeyUsage(values.get(extension.keyUsage)),
    extendedKeyUsage: readExtendedKeyUsage(values.get(extension.extendedKeyUsage)),
    uris: readUris(values.get(extension.subjectAlternativeName)),
  };
}

function readExtension(content: Uint8Array): {
  id: string;
  isCritical: boolean;
  value: Uint8Array;
} {
  const reader = new DerReader(content);
  const id = objectIdentifier(reader.read(derTag.objectIdentifier));
  const isCritical = readDefaultFalse(reader);
  const value = reader.read(derTag.octetString);
  reader.end();
  return { id, isCritical, value };
}

function readBasicConstraints(
  value: Uint8Array | undefined,
): Pick<CertificateFacts, 'isCa' | 'pathLength'> {
  if (value === undefined) return { isCa: false, pathLength: undefined };
  const reader = sequenceIn(value);
  const isCa = readDefaultFalse(reader);
  const pathLength = reader.isAtEnd ? undefined : numberOf(reader.read(derTag.integer));
  reader.end();
  return { isCa, pathLength };
}

/** Bit 0 is the highest bit of the first octet after the one that counts the unused bits. */
function readKeyUsage(value: Uint8Array | undefined): ReadonlySet<KeyUsage> | undefined {
  if (value === undefined) return undefined;
  const reader = new DerReader(value);
  const [unused, ...octets] = reader.read(derTag.bitString);
  reader.end();
  if (unused === undefined || unused > 7 || octets.length === 0 || octets.length > 2) {
    throw malformed('its key usage is no string of nine bits');
  }
  if (((octets.at(-1) ?? 0) & ((1 << unused) - 1)) !== 0) {
    throw malformed('its key usage sets bits that are not there');
  }
  const isSet = (bit: number) => ((octets[bit >> 3] ?? 0) & (0x80 >> (bit & 7))) !== 0;
  return new Set(keyUsages.filter((_, bit) => isSet(bit)));
}

function readExtendedKeyUsage(value: Uint8Array | undefined): string[] | undefined {
  if (value === undefined) return undefined;
  const reader = sequenceIn(value);
  const purposes: string[] = [];
  while (!reader.isAtEnd) {
    if (purposes.length === namesMax) throw malformed('it has too many purposes');
    purposes.push(objectIdentifier(reader.read(derTag.objectIdentifier)));
  }
  return purposes;
}

function readUris(value: Uint8Array | undefined): string[] {
  if (value === undefined) return [];
  const reader = sequenceIn(value);
  const uris: string[] = [];
  for (let names = 0; !reader.isAtEnd; names += 1) {
    if (names === namesMax) throw malformed('it has too many names');
    const { tag, content } = reader.next();
    // Latin-1 keeps every byte as one character, so that no byte can hide; the rules are ASCII's.
    if (tag === uriTag) uris.push(Buffer.from(content).toString('latin1'));
  }
  return uris;
}

/** UTCTime to 2049, GeneralizedTime after, both in whole seconds and UTC (RFC 5280, section 4.1.2.5). */
function readTime(reader: DerReader): Date {
  const { tag, content } = reader.next();
  const text = Buffer.from(content).toString('latin1');
  const isShort = tag === derTag.utcTime && /^\d{12}Z$/.test(text);
  const isLong = tag === derTag.generalizedTime && /^\d{14}Z$/.test(text);
  if (!isShort && !isLong) throw malformed('it has a time of another form');
  const century = isLong ? '' : Number(text.slice(0, 2)) < 50 ? '20' : '19';
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(century + text) ?? [];
  const [year, month, day, hour, minute, second] = parts;
  const written = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
  const time = new Date(written);
  // A thirtieth of February would silently become a day in March.
  if (Number.isNaN(time.getTime()) || time.toISOString() !== written) {
    throw malformed('it has a time that there is not');
  }
  return time;
}

function sequenceIn(value: Uint8Array): DerReader {
  const outer = new DerReader(value);
  const reader = new DerReader(outer.read(derTag.sequence));
  outer.end();
  return reader;
}

/** A BOOLEAN DEFAULT FALSE: absent or true; DER does not write the default. */
function readDefaultFalse(reader: DerReader): boolean {
  if (reader.peekTag() !== derTag.boolean) return false;
  const content = reader.read(derTag.boolean);
  if (content.length !== 1 || content[0] !== 0xff) throw malformed('it has a malformed boolean');
  return true;
}

function numberOf(content: Uint8Array): number {
  const [value] = content;
  if (content.length !== 1 || value === undefined || value > 0x7f) {
    throw malformed('it has a number out of range');
  }
  return value;
}
