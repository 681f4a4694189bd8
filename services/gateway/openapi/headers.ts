// Which request headers an agent's argument may become, and what their values may hold.

/** Headers that carry identity, credentials, framing or routing; only the gateway sets them. */
const reserved = new Set([
  ...['accept', 'accept-encoding', 'authorization', 'connection', 'content-encoding'],
  ...['content-length', 'content-type', 'cookie', 'date', 'expect', 'forwarded', 'host'],
  ...['keep-alive', 'origin', 'referer', 'set-cookie', 'te', 'trailer', 'transfer-encoding'],
  ...['upgrade', 'via', 'http2-settings'],
]);
const reservedPrefixes = ['x-platform-', 'x-forwarded-', 'proxy-', 'sec-'];

/** Whether only the gateway may set this header. */
export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return reserved.has(lower) || reservedPrefixes.some((prefix) => lower.startsWith(prefix));
}

/** Whether the text is a field name: a token of RFC 9110 section 5.6.2. */
export function isHeaderName(name: string): boolean {
  return /^[A-Za-z0-9!#$%&'*+\-.^_`|~]{1,128}$/.test(name);
}

/** Whether the text is a field value of visible ASCII, inner spaces and tabs (RFC 9110 section 5.5, without obs-text). */
export function isHeaderValue(value: string): boolean {
  return value.length <= 8192 && /^([!-~]([\t -~]*[!-~])?)?$/.test(value);
}
