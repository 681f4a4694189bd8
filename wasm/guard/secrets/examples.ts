// Puts the examples of examples.yaml together, so that no text that looks like a credential stands in the repository.
import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { parse } from 'yaml';

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LOWER = UPPER.toLowerCase();
const DIGITS = '0123456789';
const HEX = '0123456789abcdef';
const ALNUM = UPPER + LOWER + DIGITS;
const BASE62 = DIGITS + UPPER + LOWER;
const BECH32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';

const ALPHABETS: Record<string, string> = {
  A: ALNUM,
  a: LOWER + DIGITS,
  B: `${ALNUM}+/`,
  b: ALNUM.replace(/[0OIl]/g, ''),
  H: HEX,
  L: UPPER + LOWER,
  N: DIGITS,
  S: `${UPPER}234567`,
  s: `${LOWER}234567`,
  T: `${ALNUM}-_`,
  U: UPPER + DIGITS,
  X: HEX.toUpperCase(),
};

/** A number of 0 to `below` less one. */
export type Random = (below: number) => number;

export interface Example {
  text: string;
  /** Where the finding is in the text, which is ASCII. */
  start: number;
  end: number;
}

/** The templates of each rule. */
export function templates(): Map<string, readonly string[]> {
  const text = readFileSync(new URL('examples.yaml', import.meta.url), 'utf8');
  return new Map(Object.entries(parse(text) as Record<string, string[]>));
}

/** Fills a template. */
export function fill(template: string, random: Random): Example {
  const pick = (alphabet: string, length: number) =>
    Array.from({ length }, () => alphabet[random(alphabet.length)]).join('');
  const filled = template.replace(/\{([A-Za-z]\w*)?(?::([^}]*))?\}/g, (_, name = '', of = '') =>
    part(name, of, pick),
  );
  const start = filled.indexOf('<');
  const end = filled.indexOf('>') - 1;
  const text = filled.replace(/[<>]/g, '').replaceAll('\u0001', '<').replaceAll('\u0002', '>');
  return start < 0 ? { text, start: 0, end: text.length } : { text, start, end };
}

function part(name: string, of: string, pick: (alphabet: string, length: number) => string) {
  switch (name) {
    case '':
      return '';
    case 'D':
      return '$';
    case 'n':
      return '\n';
    case 'lt':
      return '\u0001';
    case 'gt':
      return '\u0002';
    case 'u':
      return [8, 4, 4, 4, 12].map((length) => pick(HEX, length)).join('-');
    case 'basic':
      return Buffer.from(`app:${pick(ALNUM, 14)}`).toString('base64');
    case 'jwt': {
      const header = base64url(JSON.stringify({ alg: 'RS256', kid: pick(ALNUM, 8) }));
      return `${header}.${base64url(JSON.stringify({ sub: pick(ALNUM, 8) }))}.${pick(ALPHABETS.T!, 86)}`;
    }
    case 'pem':
      return `-----${'BEGIN'} ${of}-----\n${pick(ALPHABETS.B!, 64)}\n${pick(ALPHABETS.B!, 40)}==\n-----END ${of}-----`;
    case 'pem1':
      return `-----${'BEGIN'} ${of}-----`;
    case 'macaroon': {
      const location = Buffer.from('pypi.org');
      const fields = Buffer.from([2, 1, location.length, ...location, 2, 36]);
      return `pypi-${base64url(Buffer.concat([fields, Buffer.from(pick(ALNUM, 120))]))}`;
    }
    case 'crc62': {
      const body = pick(ALNUM, 30);
      return of + body + digitsOf(crc32(body), BASE62, 6);
    }
    case 'crc36': {
      const body = `${of}${pick(ALPHABETS.T!, 40)}.01.14`;
      return body + digitsOf(crc32(body), DIGITS + LOWER, 7);
    }
    case 'crchex': {
      const body = of + pick(ALNUM, 32);
      const checksum = Buffer.alloc(4);
      checksum.writeUInt32LE(crc32(body));
      return `${body}_${checksum.toString('hex')}`;
    }
    case 'bech32':
      return bech32(of, pick(BECH32, 52));
    default:
      return pick(ALPHABETS[name[0]!]!, Number(name.slice(1)));
  }
}

function base64url(data: string | Buffer): string {
  return Buffer.from(data as string).toString('base64url');
}

function digitsOf(value: number, digits: string, length: number): string {
  let text = '';
  for (let left = value; text.length < length; left = Math.floor(left / digits.length)) {
    text = digits[left % digits.length] + text;
  }
  return text;
}

/** The name, `1`, the values and their checksum (BIP 173), in the case of the name. */
function bech32(name: string, values: string): string {
  const generators = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
  const polymod = (all: readonly number[]) =>
    all.reduce((checksum, value) => {
      const top = checksum >>> 25;
      const next = ((checksum & 0x1ffffff) << 5) ^ value;
      return generators.reduce((sum, each, bit) => ((top >> bit) & 1 ? sum ^ each : sum), next);
    }, 1);
  const codes = [...name.toLowerCase()].map((letter) => letter.charCodeAt(0));
  const prefix = [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)];
  const data = [...values].map((letter) => BECH32.indexOf(letter));
  const checksum = polymod([...prefix, ...data, 0, 0, 0, 0, 0, 0]) ^ 1;
  const tail = [25, 20, 15, 10, 5, 0].map((shift) => BECH32[(checksum >> shift) & 31]).join('');
  const text = `1${values}${tail}`;
  return name + (name === name.toUpperCase() ? text.toUpperCase() : text);
}
