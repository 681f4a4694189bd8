// Takes a credential out of what a tool answers, wherever and however the tool echoes it.
import { isJsonObject, type JsonValue } from '../../runtime/json.ts';
import { type Pattern, type Search, searchesFor, secretCharactersMin } from './scrub-patterns.ts';
import {
  backslashEscape,
  boundary,
  type Decoder,
  decoded,
  escapeStarts,
  htmlEscape,
  mapped,
  percentEscape,
  plainView,
  type View,
} from './scrub-views.ts';

const redacted = '[redacted]';

/**
 * Replaces secrets in every text, key and number of a result. Found as they are and in what programs
 * do to a text by themselves: JSON, percent, form and HTML escapes in any mixture and up to three
 * times over, base64 and base64url wherever in longer data and over several lines, hexadecimal, UTF-16,
 * another case of ASCII letters, white space in between, and the pieces of a long one in neighbouring
 * texts. A tool that wants to hide a secret can: what is reversed, compressed, encrypted or spread is not
 * found. Takes time in proportion to the result.
 */
export function scrub(result: JsonValue, secrets: readonly string[]): JsonValue {
  const searches = [...new Set(secrets)]
    .filter((secret) => secret.length >= secretCharactersMin)
    .flatMap((secret) => searchesFor(secret));
  if (searches.length === 0) return result;
  const texts: string[] = [];
  walk(result, (text) => {
    texts.push(text);
    return text;
  });
  const bytes = joined(texts);
  const echoes = findAll(bytes, searches);
  return echoes.includes(1) ? walk(result, cutter(bytes, echoes)) : result;
}

/** The secrets in what goes into a header of this format: of Basic (RFC 7617) also what it encodes. */
export function secretsIn(format: string, value: string): string[] {
  if (!/^basic /i.test(format)) return [value];
  const pair = Buffer.from(value, 'base64').toString();
  return [value, pair, pair.slice(pair.indexOf(':') + 1)];
}

/** Rebuilds a result with each of its texts, keys and numbers replaced, always in the same order. */
function walk(value: JsonValue, replace: (text: string) => string): JsonValue {
  if (typeof value === 'string') return replace(value);
  if (typeof value === 'number') {
    const text = String(value);
    const replaced = replace(text);
    return replaced === text ? value : replaced;
  }
  if (Array.isArray(value)) return value.map((item) => walk(item, replace));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, member]) => [
    replace(key),
    walk(member, replace),
  ]);
  return Object.fromEntries(entries) as JsonValue;
}

function joined(texts: readonly string[]): Buffer {
  const end = Buffer.from([boundary]);
  return Buffer.concat(texts.flatMap((text) => [Buffer.from(text), end]));
}

/** For each byte 1 where it belongs to an echo, else 0. */
function findAll(bytes: Buffer, searches: readonly Search[]): Uint8Array {
  const echoes = new Uint8Array(bytes.length);
  for (const view of readings(bytes)) {
    for (const { table, patterns } of searches) {
      const reading = mapped(view, table);
      for (const pattern of patterns) find(reading, pattern, echoes);
    }
  }
  return echoes;
}

/** The texts as they are, with each kind of escape decoded, and with all of them up to three times. */
function* readings(bytes: Buffer): Generator<View> {
  const plain = plainView(bytes);
  yield plain;
  if (!escapeStarts.some((byte) => bytes.includes(byte))) return;
  const decoders: Decoder[] = [percentEscape, backslashEscape, htmlEscape];
  for (const decoder of decoders) yield decoded(plain, [decoder]);
  let view = plain;
  for (let times = 0; times < 3; times++) {
    const next = decoded(view, decoders);
    if (next.bytes.length === view.bytes.length) return;
    view = next;
    yield view;
  }
}

const headMax = 32;

/** Marks where the pattern occurs, by Knuth, Morris and Pratt once its head is there at all. */
function find(
  { bytes, from, to }: View,
  { bytes: pattern, before, after }: Pattern,
  echoes: Uint8Array,
): void {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const first = text.indexOf(pattern.subarray(0, headMax));
  if (first < 0) return;
  const failure = failureOf(pattern);
  let matched = 0;
  let marked = 0;
  for (let at = first; at < text.length; at++) {
    while (matched > 0 && pattern[matched] !== text[at]) matched = failure[matched - 1]!;
    if (pattern[matched] === text[at]) matched++;
    if (matched < pattern.length) continue;
    const start = at + 1 - matched;
    const begin = before > 0 && isBase64(text[start - 1]) ? start - 1 : start;
    const end = after > 0 && isBase64(text[at + 1]) ? at + 1 : at;
    // What the match before has marked is not marked again: they may overlap in all but a byte.
    echoes.fill(1, Math.max(from[begin]!, marked), to[end]!);
    marked = to[end]!;
    matched = failure[matched - 1]!;
  }
}

function failureOf(pattern: Uint8Array): Uint32Array {
  const failure = new Uint32Array(pattern.length);
  let matched = 0;
  for (let at = 1; at < pattern.length; at++) {
    while (matched > 0 && pattern[matched] !== pattern[at]) matched = failure[matched - 1]!;
    if (pattern[matched] === pattern[at]) matched++;
    failure[at] = matched;
  }
  return failure;
}

function isBase64(byte: number | undefined): boolean {
  return byte !== undefined && /[A-Za-z0-9+/]/.test(String.fromCharCode(byte));
}

/** Given the texts one by one in their order, returns each without its echoes. */
function cutter(bytes: Buffer, echoes: Uint8Array): (text: string) => string {
  const isInside = (at: number) => (bytes[at]! & 0xc0) === 0x80;
  let offset = 0;
  let upcoming = echoes.indexOf(1);
  return (text) => {
    const end = offset + Buffer.byteLength(text);
    const pieces: string[] = [];
    let at = offset;
    if (upcoming >= 0 && upcoming < at) upcoming = echoes.indexOf(1, at);
    while (upcoming >= 0 && upcoming < end) {
      let start = upcoming;
      // Half a character is no text.
      while (isInside(start)) start--;
      const rest = echoes.subarray(upcoming, end).indexOf(0);
      let stop = rest < 0 ? end : upcoming + rest;
      while (stop < end && isInside(stop)) stop++;
      pieces.push(bytes.toString('utf8', at, start), redacted);
      at = stop;
      upcoming = echoes.indexOf(1, at);
    }
    offset = end + 1;
    return pieces.length === 0 ? text : `${pieces.join('')}${bytes.toString('utf8', at, end)}`;
  };
}
