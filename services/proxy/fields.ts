// Reads the header fields of requests and answers: what is about one hop goes, what two readers could take differently is refused.
import { PlatformError } from '../../runtime/errors.ts';
import type { HeaderPairs } from '../../runtime/proxywasm/filter.ts';

/** The head of a request, the same for every version of HTTP. */
export interface RequestHead {
  method: string;
  /** Path and query, in origin form. */
  target: string;
  authority: string;
  /** End-to-end fields only, names in lower case; framing and `host` are not among them. */
  headers: HeaderPairs;
  /** The body's length where it was declared. */
  length: number | undefined;
  hasBody: boolean;
  /** The client said `te: trailers`, as gRPC does. */
  takesTrailers: boolean;
  /** A WebSocket handshake (RFC 6455, section 4.1). */
  isUpgrade: boolean;
}

// RFC 9110, section 7.6.1: they speak of one connection only; `expect` is answered at each hop here.
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

// Fields of which there may be one: with two, one reader believes the first and another the last.
const singletons: ReadonlySet<string> = new Set([
  'authorization',
  'content-encoding',
  'content-location',
  'content-range',
  'content-type',
  'date',
  'from',
  'if-modified-since',
  'if-range',
  'if-unmodified-since',
  'max-forwards',
  'origin',
  'range',
  'referer',
  'sec-websocket-key',
  'sec-websocket-version',
  'traceparent',
  'user-agent',
  'x-request-id',
]);

/** Collects the fields of one request's head. */
class Collector {
  readonly headers: HeaderPairs = [];
  host: string | undefined;
  length: number | undefined;
  isChunked = false;
  takesTrailers = false;
  readonly #named: string[] = [];

  add(name: string, value: string): void {
    switch (name) {
      case 'host':
        if (this.host !== undefined) throw malformed('the header host was sent twice');
        this.host = value;
        return;
      case 'content-length':
        if (this.length !== undefined) throw malformed('content-length was sent twice');
        this.length = lengthOf(value);
        return;
      case 'transfer-encoding':
        if (this.isChunked || value.toLowerCase() !== 'chunked') {
          throw malformed('transfer-encoding other than chunked');
        }
        this.isChunked = true;
        return;
      case 'te':
        this.takesTrailers = value.toLowerCase() === 'trailers';
        return;
      case 'connection':
        this.#name(value);
        return;
    }
    if (hopByHop.has(name)) return;
    const isOurs = isPlatformName(name);
    // Some readers take an underscore for a hyphen; the platform never spells a name with one.
    if (isOurs && name.includes('_')) return;
    if (name === 'cookie' && this.#appendCookie(value)) return;
    if (isOurs || singletons.has(name)) this.#refuseSecond(name);
    this.headers.push([name, value]);
  }

  /** What `connection` names goes too, but it may not be used to strip what later readers rely on. */
  #name(value: string): void {
    for (const part of value.split(',')) {
      const token = part.trim().toLowerCase();
      if (token === '' || hopByHop.has(token) || token === 'close') continue;
      if (token === 'host' || token === 'content-length' || isPlatformName(token)) {
        throw malformed(`connection names ${token}`);
      }
      this.#named.push(token);
    }
  }

  /** HTTP/2 may split cookies; other readers expect one field (RFC 9113, section 8.2.3). */
  #appendCookie(value: string): boolean {
    const earlier = this.headers.find(([name]) => name === 'cookie');
    if (earlier !== undefined) earlier[1] = `${earlier[1]}; ${value}`;
    return earlier !== undefined;
  }

  #refuseSecond(name: string): void {
    for (const [earlier] of this.headers) {
      if (earlier === name) throw malformed(`the header ${name} was sent twice`);
    }
  }

  endToEnd(): HeaderPairs {
    if (this.#named.length === 0) return this.headers;
    return this.headers.filter(([name]) => !this.#named.includes(name));
  }
}

/**
 * Reads an HTTP/1.1 head from `rawHeaders` as Node received them (name, value, name, value, …).
 * Throws `request_malformed` for what RFC 9112, section 6, and RFC 9110, section 7.2, call ambiguous,
 * and `headers_too_large` above `countMax` fields.
 */
export function http1Head(
  method: string,
  target: string,
  rawHeaders: readonly string[],
  countMax: number,
): RequestHead {
  if (rawHeaders.length > 2 * countMax) throw tooMany(countMax);
  const fields = new Collector();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    fields.add((rawHeaders[index] as string).toLowerCase(), rawHeaders[index + 1] as string);
  }
  if (fields.isChunked && fields.length !== undefined) throw malformed('two kinds of framing');
  return {
    method,
    target,
    authority: checkAuthority(fields.host),
    headers: fields.endToEnd(),
    length: fields.length,
    hasBody: checkBody(method, fields.isChunked || (fields.length ?? 0) > 0),
    takesTrailers: fields.takesTrailers,
    isUpgrade: false,
  };
}

/**
 * Reads an HTTP/2 head, pseudo-header fields (RFC 9113, section 8.3.1) first among `rawHeaders`.
 * Throws as `http1Head` does; fields that only HTTP/1.1 has never get past the HTTP/2 library.
 */
export function http2Head(
  rawHeaders: readonly string[],
  endOfStream: boolean,
  countMax: number,
): RequestHead {
  if (rawHeaders.length > 2 * (countMax + 4)) throw tooMany(countMax);
  const fields = new Collector();
  const pseudo: Record<string, string> = {};
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name, value] = [rawHeaders[index] as string, rawHeaders[index + 1] as string];
    if (name.startsWith(':')) pseudo[name] = value;
    else fields.add(name, value);
  }
  if (pseudo[':protocol'] !== undefined) throw malformed('no extended CONNECT here');
  const authority = pseudo[':authority'] ?? fields.host;
  if (fields.host !== undefined && fields.host !== authority) throw malformed('two authorities');
  const method = pseudo[':method'] ?? '';
  return {
    method,
    target: pseudo[':path'] ?? '',
    authority: checkAuthority(authority),
    headers: fields.endToEnd(),
    length: fields.length,
    hasBody: checkBody(method, !endOfStream),
    takesTrailers: fields.takesTrailers,
    isUpgrade: false,
  };
}

/** The end-to-end fields of an answer. */
export function responseFields(rawHeaders: readonly string[]): HeaderPairs {
  const kept: HeaderPairs = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase();
    if (!name.startsWith(':') && !hopByHop.has(name)) {
      kept.push([name, rawHeaders[index + 1] as string]);
    }
  }
  return kept;
}

/** True for every spelling of a name that only the platform may use, `x_platform_…` among them. */
export function isPlatformName(name: string): boolean {
  if (name.length < 11 || (name.charCodeAt(0) | 0x20) !== 0x78) return false;
  return name.slice(0, 11).toLowerCase().replaceAll('_', '-') === 'x-platform-';
}

/** RFC 9110, section 8.6: digits only; Node's parser takes no other, HTTP/2 libraries may. */
function lengthOf(value: string): number {
  if (value.length === 0 || value.length > 15) throw malformed('content-length is no length');
  for (let index = 0; index < value.length; index += 1) {
    const code = value.charCodeAt(index);
    if (code < 0x30 || code > 0x39) throw malformed('content-length is no length');
  }
  return Number(value);
}

// RFC 3986, section 3.2, without user information.
const authorityPattern = /^[A-Za-z0-9\-._~!$&'()*+;=:[\]%]+$/;

function checkAuthority(authority: string | undefined): string {
  if (authority === undefined || authority === '') throw malformed('there is no host');
  if (authority.length > 255) throw malformed('the host is too long');
  if (!authorityPattern.test(authority)) throw malformed('the host holds a wrong character');
  return authority;
}

/** RFC 9110, section 9.3.1: content in a GET has no meaning, and has been used to smuggle requests. */
function checkBody(method: string, hasBody: boolean): boolean {
  if (hasBody && (method === 'GET' || method === 'HEAD'))
    throw malformed(`a ${method} has no body`);
  return hasBody;
}

function tooMany(countMax: number): PlatformError {
  return new PlatformError('headers_too_large', `there are more than ${countMax} headers`);
}

function malformed(what: string): PlatformError {
  return new PlatformError('request_malformed', `malformed request: ${what}`);
}
