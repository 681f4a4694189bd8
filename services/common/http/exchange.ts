// One request from raw parts to a response, the same behind every adapter: limits, routing, errors.
import { PlatformError } from '../../../runtime/errors.ts';
import { problemResponse } from '../problem.ts';
import type { HttpLimits, HttpResponse, Peer } from './port.ts';
import type { Match, Router } from './router.ts';

/** What an adapter hands over; nothing in it is trusted. */
export interface RawRequest {
  method: string;
  /** Request target as on the wire: path and query. */
  target: string;
  /** Every header line, in order. */
  headers: readonly (readonly [string, string])[];
  /** Body chunks as they arrive; only read once the route is known. */
  body: AsyncIterable<Uint8Array>;
  /** Attests the connection; may reject with the error to answer. */
  peer(): Promise<Peer | undefined>;
  signal: AbortSignal;
}

export interface Exchanged {
  response: HttpResponse;
  /** True when the rest of the connection cannot be trusted or was not read. */
  closeConnection: boolean;
}

/** A request whose head is sound: its end is where every reader sees it. */
interface Head {
  headers: Map<string, readonly string[]>;
  hasBody: boolean;
  path: string;
  query: URLSearchParams;
  match: Match;
}

/**
 * Checks the head of a request without waiting for anything, so that an adapter can refuse before its
 * parser goes on to what follows on the connection. Throws `request_malformed`, `headers_too_large`
 * or `body_too_large`.
 */
export function readHead(raw: RawRequest, router: Router, limits: HttpLimits): Head {
  const headers = collectHeaders(raw.headers, limits);
  const [path, query] = splitTarget(raw.target);
  const match = router.match(raw.method, path);
  const hasBody = checkFraming(headers, raw.method, bodyBytesOf(match, limits));
  return { headers, hasBody, path, query, match };
}

function bodyBytesOf(match: Match, limits: HttpLimits): number {
  return match.kind === 'route' ? (match.route.bodyBytes ?? limits.bodyBytes) : limits.bodyBytes;
}

/** Answers a request; never throws. Unread bodies close the connection instead of being drained. */
export async function exchange(
  raw: RawRequest,
  router: Router,
  limits: HttpLimits,
): Promise<Exchanged> {
  try {
    const { headers, hasBody, path, query, match } = readHead(raw, router, limits);
    const peer = await raw.peer();
    if (match.kind === 'unknown') throw new PlatformError('route_unknown', 'no such path');
    if (match.kind === 'method') {
      return { response: methodNotAllowed(match.allow), closeConnection: hasBody };
    }
    const body = hasBody ? await readBody(raw.body, bodyBytesOf(match, limits)) : new Uint8Array(0);
    const { route, params } = match;
    const request = { method: raw.method, path, params, query, headers, body, signal: raw.signal };
    const response = await settle(() =>
      route.handler(peer === undefined ? request : { ...request, peer }),
    );
    return { response, closeConnection: false };
  } catch (error) {
    // Whatever was refused before its body was read leaves unknown bytes on the connection.
    return { response: problemResponse(error), closeConnection: true };
  }
}

function methodNotAllowed(methods: string[]): HttpResponse {
  const allow = methods.join(', ');
  const problem = problemResponse(new PlatformError('method_not_allowed', `use ${allow}`));
  return { ...problem, headers: { ...problem.headers, allow } };
}

async function settle(run: () => Promise<HttpResponse>): Promise<HttpResponse> {
  try {
    return await run();
  } catch (error) {
    return problemResponse(error);
  }
}

function collectHeaders(
  lines: RawRequest['headers'],
  limits: HttpLimits,
): Map<string, readonly string[]> {
  if (lines.length > limits.headerCount) {
    throw new PlatformError('headers_too_large', `more than ${limits.headerCount} headers`);
  }
  let bytes = 0;
  const headers = new Map<string, string[]>();
  for (const [name, value] of lines) {
    bytes += name.length + value.length + 4;
    if (bytes > limits.headerBytes) {
      throw new PlatformError('headers_too_large', `headers over ${limits.headerBytes} bytes`);
    }
    const key = name.toLowerCase();
    const values = headers.get(key);
    if (values === undefined) headers.set(key, [value]);
    else values.push(value);
  }
  return headers;
}

/**
 * Refuses every message whose end two readers could see in different places (RFC 9112, section 6.3).
 * Returns whether a body is to be read.
 */
function checkFraming(
  headers: Map<string, readonly string[]>,
  method: string,
  bodyBytes: number,
): boolean {
  const lengths = headers.get('content-length');
  const encodings = headers.get('transfer-encoding');
  if (headers.get('host')?.length !== 1) throw malformed('exactly one host header is needed');
  if (lengths !== undefined && encodings !== undefined) {
    throw malformed('content-length and transfer-encoding together');
  }
  if (encodings !== undefined) {
    if (encodings.length !== 1 || encodings[0] !== 'chunked') {
      throw malformed('transfer-encoding other than chunked');
    }
    return true;
  }
  if (lengths === undefined) return false;
  const length = lengths[0]!;
  if (lengths.length !== 1 || length.length > 15 || !isDigits(length)) {
    throw malformed('content-length is not one plain number');
  }
  if (Number(length) > bodyBytes) throw tooLarge(bodyBytes);
  if (Number(length) > 0 && (method === 'GET' || method === 'HEAD')) {
    throw malformed(`a ${method} request with a body`);
  }
  return Number(length) > 0;
}

function isDigits(text: string): boolean {
  for (const char of text) if (char < '0' || char > '9') return false;
  return text.length > 0;
}

/** Splits a request target in origin form (RFC 9112, section 3.2.1); other forms are refused. */
function splitTarget(target: string): [string, URLSearchParams] {
  if (!target.startsWith('/') || target.includes('#')) throw malformed('request target');
  const mark = target.indexOf('?');
  if (mark < 0) return [target, new URLSearchParams()];
  return [target.slice(0, mark), new URLSearchParams(target.slice(mark + 1))];
}

async function readBody(body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.byteLength;
      if (bytes > bytesMax) throw tooLarge(bytesMax);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    throw new PlatformError('request_malformed', 'the body ended early', { cause: error });
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes);
}

function malformed(what: string): PlatformError {
  return new PlatformError('request_malformed', `malformed request: ${what}`);
}

function tooLarge(bytesMax: number): PlatformError {
  return new PlatformError('body_too_large', `the body is over ${bytesMax} bytes`);
}
