// Accepts a request target only in the one spelling that every later reader takes alike.
import { PlatformError } from '../../runtime/errors.ts';

const targetBytesMax = 8 * 1024;
// RFC 3986, section 3.3, pchar and the slash, and section 3.4 for the query.
const allowed: ReadonlySet<string> = new Set(
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@%/?",
);
const methods: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'DELETE', 'PATCH']);

/**
 * Checks method and target (RFC 9112, section 3.2.1, origin form). Throws `method_not_allowed`,
 * `request_malformed` for a target with dot segments, encoded separators or characters outside
 * RFC 3986's path and query, and `route_unknown` outside the service's own paths.
 */
export function checkTarget(method: string, target: string, prefixes: readonly string[]): void {
  if (!methods.has(method)) throw new PlatformError('method_not_allowed', 'no such method here');
  if (target.length > targetBytesMax) throw malformed(`is longer than ${targetBytesMax} bytes`);
  if (!target.startsWith('/')) throw malformed('is not a path');
  for (const character of target) {
    if (!allowed.has(character)) throw malformed('holds a character that a path may not hold');
  }
  const query = target.indexOf('?');
  const path = query < 0 ? target : target.slice(0, query);
  for (const segment of path.slice(1).split('/')) checkSegment(segment);
  if (!prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))) {
    throw new PlatformError('route_unknown', 'no such path');
  }
}

function checkSegment(segment: string): void {
  let decoded: string;
  try {
    decoded = decodeURIComponent(segment);
  } catch (cause) {
    throw malformed('holds a broken percent-encoding', cause);
  }
  if (decoded === '') throw malformed('holds an empty segment');
  if (decoded === '.' || decoded === '..') throw malformed('holds a dot segment');
  for (let index = 0; index < decoded.length; index += 1) {
    const code = decoded.charCodeAt(index);
    if (code < 0x20 || code === 0x2f || code === 0x5c || code === 0x7f) {
      throw malformed('hides a separator or a control character');
    }
  }
}

function malformed(what: string, cause?: unknown): PlatformError {
  return new PlatformError('request_malformed', `the request target ${what}`, { cause });
}
