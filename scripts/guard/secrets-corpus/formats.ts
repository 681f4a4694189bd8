// Reads formats.txt and makes credentials of each format; nothing that looks like one stands in the repository.
import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { Random } from '../../../test/guard-fuzz/generator.ts';

export interface Format {
  kind: string;
  template: string;
  /** Names under which such a credential is kept; empty where the format speaks for itself. */
  names: string[];
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
const ALNUM = DIGITS + UPPER + LOWER;
const ALPHABETS: Record<string, string> = {
  ...{ d: DIGITS, x: `${DIGITS}abcdef`, X: `${DIGITS}ABCDEF`, u: UPPER, l: LOWER, a: ALNUM },
  ...{ U: UPPER + DIGITS, L: LOWER + DIGITS, w: `${ALNUM}-_`, s: `${ALNUM}-_`, b: `${ALNUM}+/` },
  ...{ 3: `${UPPER}234567`, j: `${LOWER}${DIGITS}!@#$%^&*(-_=+)` },
};

const NAME = /^[A-Za-z][A-Za-z0-9]*([_-][A-Za-z0-9]+)*$/;

/** The formats of the file, in its order. */
export function readFormats(): Format[] {
  const text = readFileSync(new URL('./formats.txt', import.meta.url), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [kind, ...rest] = line.split(' ');
      // Names stand at the line's end; what is before them is the template.
      let count = rest.length;
      while (count > 1 && NAME.test(rest[count - 1]!)) count--;
      return { kind: kind!, template: rest.slice(0, count).join(' '), names: rest.slice(count) };
    });
}

/** A credential of a format. */
export function example({ template }: Format, random: Random): string {
  return template.replace(/\{([^}]+)\}/g, (_, what: string) => fill(what, random));
}

/** `length` characters of an alphabet, of which at least half differ, as those of real ones do. */
export function characters(alphabet: string, length: number, random: Random): string {
  let text = '';
  while (text.length < length) text += alphabet[random.below(alphabet.length)];
  const isPlain = length > 8 && new Set(text).size < Math.min(length, alphabet.length) / 2;
  return isPlain ? characters(alphabet, length, random) : text;
}

function fill(what: string, random: Random): string {
  const [name, argument] = what.split(/:(.*)/s) as [string, string | undefined];
  if (name === 'uuid') return uuid(random);
  if (name === 'jwt') return webToken(random);
  if (name === 'snowflake')
    return Buffer.from(`1${characters(DIGITS, 17, random)}`).toString('base64');
  if (name === 'basic')
    return Buffer.from(`deploy:${characters(ALNUM, 16, random)}`).toString('base64');
  if (name === 'pem') return pem(argument!, random);
  if (name === 'crc') return withCrc(argument!, random);
  if (name === 'crcx') {
    const body = characters(ALNUM, 32, random);
    const sum = Buffer.alloc(4);
    sum.writeUInt32LE(crc32(`${argument}${body}`));
    return `${argument}${body}_${sum.toString('hex')}`;
  }
  const alphabet = ALPHABETS[name];
  if (alphabet === undefined) throw new Error(`there is no alphabet ${name}`);
  return characters(alphabet, Number(argument), random);
}

function uuid(random: Random): string {
  const hex = characters(ALPHABETS.x!, 32, random);
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
  ];
  return [...parts, hex.slice(20)].join('-');
}

function webToken(random: Random): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const payload = { sub: characters(ALNUM, 12, random), iat: 1_700_000_000 };
  return `${part({ alg: 'HS256', typ: 'JWT' })}.${part(payload)}.${characters(ALPHABETS.w!, 43, random)}`;
}

function pem(label: string, random: Random): string {
  const lines = Array.from({ length: 12 }, () => characters(ALPHABETS.b!, 64, random));
  return [
    `-----BEGIN ${label}-----`,
    ...lines,
    `${characters(ALPHABETS.b!, 30, random)}==`,
    `-----END ${label}-----`,
  ].join('\n');
}

/** GitHub's and npm's form: 30 characters and the CRC-32 of them in base 62. */
function withCrc(prefix: string, random: Random): string {
  const body = characters(ALNUM, 30, random);
  let rest = crc32(body);
  let sum = '';
  while (rest > 0) {
    sum = ALNUM[rest % 62] + sum;
    rest = Math.floor(rest / 62);
  }
  return `${prefix}${body}${sum.padStart(6, '0')}`;
}
