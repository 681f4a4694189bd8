// Decides which of an agent's request headers travel on, and adds what only the platform may say.
import { PlatformError } from '../../runtime/errors.ts';

/** Facts that the first enforcement point fixes for a request; later points reuse them. */
export interface RequestFacts {
  spiffeId: string;
  requestId: string;
  /** RFC 3339 in UTC with milliseconds. */
  time: string;
  /** 32 random bytes as 64 hex digits. */
  salt: string;
}

/**
 * What an agent may say for itself. Everything else stays behind: every `x-platform-*` header that
 * claims an identity or a fact, hop-by-hop headers (RFC 9110, section 7.6.1), and whatever a later
 * reader might take for one of these, such as names spelled with an underscore.
 */
const forwarded: ReadonlySet<string> = new Set([
  'accept',
  'content-type',
  'prefer',
  'traceparent',
  'tracestate',
  'user-agent',
  'x-platform-approval',
]);

/**
 * The headers for the service behind the proxy, from `rawHeaders` as Node received them (name,
 * value, name, value, …). Framing headers are the forwarder's business and are not among them.
 * Throws `request_malformed` when a header that travels on was sent twice: two readers could
 * each believe another one.
 */
export function serviceHeaders(
  rawHeaders: readonly string[],
  facts: RequestFacts,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    if (!forwarded.has(name)) continue;
    if (Object.hasOwn(headers, name)) {
      throw new PlatformError('request_malformed', `the header ${name} was sent twice`);
    }
    headers[name] = rawHeaders[index + 1] ?? '';
  }
  headers['x-platform-spiffe-id'] = facts.spiffeId;
  headers['x-platform-request-id'] = facts.requestId;
  headers['x-platform-time'] = facts.time;
  headers['x-platform-salt'] = facts.salt;
  return headers;
}
