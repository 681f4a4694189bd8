// Replaces what the guard found in a text: by a name, by stars, or by tokens that `untokenize` reverses.
import { createHmac } from 'node:crypto';
import { InputError } from '../errors.ts';

/** A place in a text, as the guard's findings have it. */
export interface RedactFinding {
  /** Such as `email`: small letters, digits and `_`. */
  kind: string;
  /** Offset of the first byte in the text's UTF-8. */
  start: number;
  /** Offset one past the last byte. */
  end: number;
}

export interface RedactOptions {
  /** `[EMAIL_1]`, eight stars, or `<email:0123456789abcdef>`. */
  mode: 'redact' | 'mask' | 'tokenize';
  /** For `tokenize`, at least 16 bytes (of UTF-8): the same key gives the same value the same token. */
  key?: string | Uint8Array;
}

export interface Redacted {
  text: string;
  /** With `tokenize`, the value behind each token; empty otherwise. Whoever has it has the values. */
  tokens: Record<string, string>;
}

/** As many for every value: their number would say how long it is. */
const STARS = '*'.repeat(8);
const KEY_BYTES_MIN = 16;
/** Hexadecimal digits of a token: 64 bits, so that two values of one text do not meet. */
const TOKEN_DIGITS = 16;
/** As long as the rules' compiler lets the name of a kind be. */
const KIND = /^[a-z][a-z0-9_]{0,63}$/;

interface Span {
  kind: string;
  /** Of the finding that gave the kind. */
  length: number;
  start: number;
  end: number;
}

/**
 * Replaces every finding in `text`; findings that overlap are replaced as one, named after the longest of them (of
 * equal ones the one that begins first). With `redact`, equal values of a kind have the same number. Throws an
 * InputError: `input_invalid` for places that are not in the text or within a character, an unknown mode and a key under
 * 16 bytes, `input_lone_surrogate` for a text that is no Unicode.
 */
export function redact(
  text: string,
  findings: readonly RedactFinding[],
  options: RedactOptions,
): Redacted {
  if (!text.isWellFormed()) {
    throw new InputError('input_lone_surrogate', 'the text holds half of a surrogate pair');
  }
  const bytes = Buffer.from(text);
  const replace = replacement(options);
  const tokens: Record<string, string> = {};
  const parts: string[] = [];
  let done = 0;
  for (const span of merge(findings, bytes)) {
    const value = bytes.toString('utf8', span.start, span.end);
    const name = replace(span.kind, value);
    if (options.mode === 'tokenize') tokens[name] = value;
    parts.push(bytes.toString('utf8', done, span.start), name);
    done = span.end;
  }
  parts.push(bytes.toString('utf8', done));
  return { text: parts.join(''), tokens };
}

/** The findings in order, those that overlap joined. */
function merge(findings: readonly RedactFinding[], bytes: Uint8Array): Span[] {
  const sorted = findings
    .map(({ kind, start, end }) => checked(kind, start, end, bytes))
    .sort((a, b) => a.start - b.start || b.end - a.end || (a.kind < b.kind ? -1 : 1));
  const spans: Span[] = [];
  for (const next of sorted) {
    const last = spans.at(-1);
    if (last === undefined || next.start >= last.end) {
      spans.push(next);
      continue;
    }
    last.end = Math.max(last.end, next.end);
    if (next.length > last.length) {
      last.kind = next.kind;
      last.length = next.length;
    }
  }
  return spans;
}

function checked(kind: string, start: number, end: number, bytes: Uint8Array): Span {
  const isPlace =
    Number.isInteger(start) &&
    Number.isInteger(end) &&
    0 <= start &&
    start < end &&
    end <= bytes.length;
  if (!isPlace || !KIND.test(kind) || !isBoundary(bytes, start) || !isBoundary(bytes, end)) {
    throw new InputError('input_invalid', 'a finding names no place in the text', {
      data: { kind, start, end },
    });
  }
  return { kind, start, end, length: end - start };
}

/** Whether a character begins at `offset`, or the text ends there. */
function isBoundary(bytes: Uint8Array, offset: number): boolean {
  return offset === bytes.length || (bytes[offset]! & 0xc0) !== 0x80;
}

/** What stands for a value, by the mode. */
function replacement({ mode, key }: RedactOptions): (kind: string, value: string) => string {
  if (mode === 'mask') return () => STARS;
  if (mode === 'tokenize') {
    const secret = keyBytes(key);
    return (kind, value) => `<${kind}:${digest(secret, kind, value)}>`;
  }
  if (mode !== 'redact') throw new InputError('input_invalid', `there is no mode ${mode}`);
  const numbers = new Map<string, Map<string, number>>();
  return (kind, value) => {
    const known = numbers.get(kind) ?? new Map<string, number>();
    const number = known.get(value) ?? known.size + 1;
    numbers.set(kind, known.set(value, number));
    return `[${kind.toUpperCase()}_${number}]`;
  };
}

function keyBytes(key: string | Uint8Array | undefined): Uint8Array {
  const bytes = typeof key === 'string' ? Buffer.from(key) : key;
  if (bytes === undefined || bytes.length < KEY_BYTES_MIN) {
    throw new InputError('input_invalid', 'tokens need a key of at least 16 bytes');
  }
  return bytes;
}

/** HMAC-SHA-256 over kind, a zero byte and value: a token says nothing of its value without the key. */
function digest(key: Uint8Array, kind: string, value: string): string {
  const hmac = createHmac('sha256', key).update(`${kind}\0${value}`);
  return hmac.digest('hex').slice(0, TOKEN_DIGITS);
}
