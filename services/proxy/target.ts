// Accepts a request target only in the one spelling that every later reader takes alike.
import { PlatformError } from '../../runtime/errors.ts';

const targetBytesMax = 8 * 1024;
const unreserved = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~';
// RFC 3986, section 3.3, pchar and the slash, and section 3.4 for the query.
const allowed = codes(`${unreserved}!$&'()*+,;=:@%/?`);
const plain = codes(unreserved);
const methods: ReadonlySet<string> = new Set([
  ...['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'],
]);

/**
 * Checks method and target (RFC 9112, section 3.2.1, origin form) and returns the path without its
 * query. Throws `method_not_allowed`, and `request_malformed` for a target with empty or dot
 * segments, encoded separators, a letter or digit spelled with a percent sign (RFC 3986, section
 * 6.2.2.2), or characters outside RFC 3986's path and query.
 */
export function checkTarget(method: string, target: string): string {
  if (!methods.has(method)) throw new PlatformError('method_not_allowed', 'no such method here');
  if (target.length > targetBytesMax) throw malformed(`is longer than ${targetBytesMax} bytes`);
  if (target.charCodeAt(0) !== 0x2f) throw malformed('is not a path');
  let query = -1;
  let hasEscapes = false;
  for (let index = 0; index < target.length; index += 1) {
    const code = target.charCodeAt(index);
    if (code > 0x7f || allowed[code] === 0) throw malformed('holds a character it may not hold');
    if (code === 0x3f && query < 0) query = index;
    if (code === 0x25 && query < 0) hasEscapes = true;
  }
  const path = query < 0 ? target : target.slice(0, query);
  if (path === '/') return path;
  for (const segment of path.slice(1).split('/')) checkSegment(segment, hasEscapes);
  return path;
}

/** True when `path` is `prefix` or lies below it; every path lies below `/`. */
export function isBelow(path: string, prefix: string): boolean {
  if (prefix === '/') return true;
  if (!path.startsWith(prefix)) return false;
  return path.length === prefix.length || path.charCodeAt(prefix.length) === 0x2f;
}

function checkSegment(segment: string, hasEscapes: boolean): void {
  if (segment === '') throw malformed('holds an empty segment');
  if (segment === '.' || segment === '..') throw malformed('holds a dot segment');
  if (!hasEscapes || !segment.includes('%')) return;
  let decoded: string;
  try {
    decoded = decodeURIComponent(segment);
  } catch (cause) {
    throw malformed('holds a broken percent-encoding', cause);
  }
  for (let index = 0; index < decoded.length; index += 1) {
    const code = decoded.charCodeAt(index);
    if (code < 0x20 || code === 0x2f || code === 0x5c || code === 0x7f) {
      throw malformed('hides a separator or a control character');
    }
  }
  for (let at = segment.indexOf('%'); at >= 0; at = segment.indexOf('%', at + 1)) {
    const code = Number.parseInt(segment.slice(at + 1, at + 3), 16);
    if (code < 0x80 && plain[code] === 1) throw malformed('spells a plain character in code');
  }
}

/** A table by character code: 1 for each character of `text`. */
function codes(text: string): Uint8Array {
  const table = new Uint8Array(128);
  for (const character of text) table[character.charCodeAt(0)] = 1;
  return table;
}

function malformed(what: string, cause?: unknown): PlatformError {
  return new PlatformError('request_malformed', `the request target ${what}`, { cause });
}
