// The spellings in which a tool might echo a secret, ready to be looked for in readings of its answer.
import { boundary } from './scrub-views.ts';

/** What to look for in one reading. */
export interface Pattern {
  bytes: Uint8Array;
  /** How many more bytes before and after belong to it, where they are base64. */
  before: number;
  after: number;
}

/** How a reading is normalized, and what is then looked for in it. */
export interface Search {
  /** Byte to byte, -1 for bytes that are dropped. */
  table: Int16Array;
  patterns: Pattern[];
}

/** A shorter one would match by accident; nobody hands out one as a secret. */
export const secretCharactersMin = 4;
/** From so many on, a secret is also found when it is split over texts that follow one another. */
const joinedCharactersMin = 12;

/**
 * Both ways to look for a secret. One is blind to the case of ASCII letters and to what encoders put
 * between and into: white space, NUL (UTF-16), `:` (hex dumps) and `+` (spaces in forms). The other
 * is for base64, in both alphabets.
 */
export function searchesFor(secret: string): Search[] {
  const forms = [...bytesOf(secret), ...hexOf(secret), ...escapesOf(secret).map(utf8)];
  const isJoined = secret.length >= joinedCharactersMin;
  let table = foldTable('\t\n\v\f\r \0:+', isJoined);
  if (normalized(utf8(secret), table).length < secretCharactersMin) table = foldTable('', false);
  const folded = forms.map((form) => normalized(form, table));
  return [
    { table, patterns: unique(folded).map((bytes) => ({ bytes, before: 0, after: 0 })) },
    { table: base64Table(isJoined), patterns: base64Patterns(secret) },
  ];
}

function utf8(text: string): Buffer {
  return Buffer.from(text);
}

/** The secret's bytes as programs hold it. */
function bytesOf(secret: string): Buffer[] {
  const isLatin = [...secret].every((character) => character <= 'ÿ');
  return [utf8(secret), ...(isLatin ? [Buffer.from(secret, 'latin1')] : [])];
}

function wideOf(secret: string): Buffer[] {
  const little = Buffer.from(secret, 'utf16le');
  return [little, Buffer.from(little).swap16()];
}

function hexOf(secret: string): Buffer[] {
  return [...bytesOf(secret), ...wideOf(secret)].map((bytes) => utf8(bytes.toString('hex')));
}

/** Whole encodings by the usual encoders, which are found whatever stands before them. */
function escapesOf(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const ascii = json.replace(/[^ -~]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  const percent = (kept: RegExp) =>
    [...utf8(secret)]
      .map((byte) => {
        const character = String.fromCharCode(byte);
        return kept.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`;
      })
      .join('');
  const html = (quote: string, apostrophe: string) =>
    secret
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', quote)
      .replaceAll("'", apostrophe);
  return [
    ...[json, ascii, json.replaceAll('/', '\\/'), ascii.replaceAll('/', '\\/')],
    // RFC 3986's unreserved characters; encodeURIComponent; with slashes; encodeURI; forms.
    ...[/[\w.~-]/, /[\w.~!*'()-]/, /[\w.~/-]/, /[\w.~!*'();,/?:@&=+$#-]/, /[\w.* -]/].map(percent),
    ...[html('&quot;', '&#39;'), html('&#34;', '&#039;'), html('&quot;', '&#x27;')],
    ...[html('&quot;', '&apos;'), html('"', "'")],
  ];
}

/**
 * The part of the base64 of longer data that the secret alone determines, for each of the three
 * places in a group of three bytes at which it can begin (RFC 4648, section 4).
 */
function base64Patterns(secret: string): Pattern[] {
  const json = utf8(JSON.stringify(secret).slice(1, -1));
  const forms = unique([...bytesOf(secret), ...wideOf(secret), json]);
  return forms.flatMap((form) =>
    [0, 1, 2].flatMap((offset) => {
      const text = Buffer.concat([Buffer.alloc(offset), form]).toString('base64');
      const start = Math.ceil((offset * 8) / 6);
      const bits = (offset + form.length) * 8;
      const end = Math.floor(bits / 6);
      const bytes = utf8(text.slice(start, end));
      if (bytes.length < secretCharactersMin) return [];
      return [{ bytes, before: offset === 0 ? 0 : 1, after: bits % 6 === 0 ? 0 : 1 }];
    }),
  );
}

function foldTable(dropped: string, isJoined: boolean): Int16Array {
  const table = Int16Array.from({ length: 256 }, (_, byte) => byte);
  for (let byte = 0x41; byte <= 0x5a; byte++) table[byte] = byte + 0x20;
  for (const character of dropped) table[character.charCodeAt(0)] = -1;
  if (isJoined) table[boundary] = -1;
  return table;
}

function base64Table(isJoined: boolean): Int16Array {
  const table = Int16Array.from({ length: 256 }, (_, byte) => byte);
  for (const character of '\t\n\v\f\r \0') table[character.charCodeAt(0)] = -1;
  table['-'.charCodeAt(0)] = '+'.charCodeAt(0);
  table['_'.charCodeAt(0)] = '/'.charCodeAt(0);
  if (isJoined) table[boundary] = -1;
  return table;
}

function normalized(bytes: Uint8Array, table: Int16Array): Uint8Array {
  return Uint8Array.from([...bytes].map((byte) => table[byte]!).filter((byte) => byte >= 0));
}

function unique(forms: readonly Uint8Array[]): Uint8Array[] {
  return [...new Map(forms.map((form) => [Buffer.from(form).toString('latin1'), form])).values()];
}
