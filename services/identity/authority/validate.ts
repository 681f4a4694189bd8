// Validates JWT-SVIDs of this trust domain (JWT-SVID standard), every refusal by a rule of its own.
import { compactVerify } from 'jose';
import { codeOf, type ErrorCode, IdentityError } from '../../../runtime/errors.ts';
import { backdateSeconds, type DenyView } from '../../../runtime/identity/workload/x509.ts';
import { isJsonObject, type JsonObject } from '../../../runtime/json.ts';
import type { Scope } from '../../../runtime/modules/scope.ts';
import type { SigningKey } from './signing-key.ts';

const tokenBytesMax = 16 * 1024;
/** No token of ours lives longer. */
const lifetimeSecondsMax = 24 * 3600;
/** How far ahead the clock of whoever issued the token may be. */
const skewSeconds = backdateSeconds;

export interface Validation {
  trustDomain: string;
  scope: Pick<Scope, 'parse'>;
  denied: Pick<DenyView, 'isDenied'>;
  findKey: (kid: string) => SigningKey | undefined;
  /** Seconds since 1970. */
  now: number;
}

export interface ValidJwt {
  spiffeId: string;
  claims: JsonObject;
}

/**
 * Validates a JWT-SVID in compact form for one audience. Throws an IdentityError, whose
 * `data.rule` names the rule that was broken: `svid_invalid` (form, header, signature, claims),
 * `svid_foreign` (another trust domain), `svid_expired` (over, or not yet begun),
 * `svid_audience_mismatch`, `svid_denied`. An expired token gets no leeway; one that was issued in
 * the future is taken up to five minutes ahead.
 */
export async function validateJwtSvid(
  token: string,
  audience: string,
  by: Validation,
): Promise<ValidJwt> {
  const { header, claims } = parse(token);
  const kid = requireHeader(header);
  const key = by.findKey(kid);
  // Nothing of an unknown key's token is believed; its name only chooses between two refusals.
  requireOwnName(claims.sub, by);
  if (key === undefined) throw refused('svid_invalid', 'key_unknown');
  try {
    await compactVerify(token, key.publicKey, { algorithms: ['RS256'] });
  } catch (cause) {
    throw refused('svid_invalid', 'signature', cause);
  }
  const spiffeId = claims.sub as string;
  const issuedAt = requireTimes(claims, by.now);
  requireAudienceIn(claims.aud, audience);
  if (by.denied.isDenied(spiffeId, issuedAt)) throw refused('svid_denied', 'denied');
  return { spiffeId, claims };
}

function parse(token: string): { header: JsonObject; claims: JsonObject } {
  if (token.length > tokenBytesMax) throw refused('svid_invalid', 'size');
  const parts = token.split('.');
  if (parts.length !== 3) throw refused('svid_invalid', 'form');
  const [header, claims, signature] = parts.map((part) => {
    const bytes = Buffer.from(part, 'base64url');
    // Node skips what is not of the alphabet; only the one true spelling may pass.
    if (bytes.length === 0 || bytes.toString('base64url') !== part) {
      throw refused('svid_invalid', 'form');
    }
    return bytes;
  });
  if (signature === undefined) throw refused('svid_invalid', 'form');
  return { header: strictObject(header!, 'header'), claims: strictObject(claims!, 'claims') };
}

/**
 * Reads JSON only in the spelling that this authority writes. A second member of the same name, a
 * number such as 1e9 and bytes that are not UTF-8 change on the way through and are refused.
 */
function strictObject(bytes: Buffer, rule: string): JsonObject {
  try {
    const text = bytes.toString('utf8');
    const value: unknown = JSON.parse(text);
    const isSame = Buffer.from(JSON.stringify(value)).equals(bytes);
    if (isJsonObject(value) && isSame) return value;
  } catch {
    // Falls through: unreadable is refused like unequal.
  }
  throw refused('svid_invalid', rule);
}

/** Returns the key's id. Only `alg`, `kid` and `typ` may be there (standard, section 2). */
function requireHeader(header: JsonObject): string {
  if (header.alg !== 'RS256') throw refused('svid_invalid', 'alg');
  const isTyped = header.typ === undefined || header.typ === 'JWT' || header.typ === 'JOSE';
  if (!isTyped) throw refused('svid_invalid', 'typ');
  for (const name of Object.keys(header)) {
    if (name !== 'alg' && name !== 'kid' && name !== 'typ') {
      throw refused('svid_invalid', 'header_parameter');
    }
  }
  if (typeof header.kid !== 'string') throw refused('svid_invalid', 'kid');
  return header.kid;
}

function requireOwnName(sub: unknown, by: Validation): void {
  if (typeof sub !== 'string') throw refused('svid_invalid', 'sub');
  try {
    const { trustDomain, path } = by.scope.parse(sub);
    if (trustDomain !== by.trustDomain) throw refused('svid_foreign', 'trust_domain');
    if (path.length === 0) throw refused('svid_invalid', 'sub');
  } catch (cause) {
    if (codeOf(cause).startsWith('svid_')) throw cause;
    throw refused('svid_invalid', 'sub', cause);
  }
}

/** Returns when the token was issued, in seconds. */
function requireTimes(claims: JsonObject, now: number): number {
  const expiresAt = seconds(claims.exp, 'exp');
  const issuedAt = seconds(claims.iat, 'iat');
  const notBefore = claims.nbf === undefined ? issuedAt : seconds(claims.nbf, 'nbf');
  if (expiresAt <= issuedAt || expiresAt - issuedAt > lifetimeSecondsMax) {
    throw refused('svid_invalid', 'lifetime');
  }
  if (now >= expiresAt) throw refused('svid_expired', 'exp');
  if (issuedAt > now + skewSeconds) throw refused('svid_expired', 'iat');
  if (notBefore > now + skewSeconds) throw refused('svid_expired', 'nbf');
  return issuedAt;
}

function seconds(value: unknown, rule: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw refused('svid_invalid', rule);
}

function requireAudienceIn(aud: unknown, audience: string): void {
  const list = typeof aud === 'string' ? [aud] : aud;
  const isList = Array.isArray(list) && list.length > 0;
  if (!isList || !list.every((each) => typeof each === 'string' && each !== '')) {
    throw refused('svid_invalid', 'aud');
  }
  if (!list.includes(audience)) throw refused('svid_audience_mismatch', 'aud');
}

const messages: { [code in ErrorCode]?: string } = {
  svid_invalid: 'the token is not a valid JWT-SVID of this trust domain',
  svid_foreign: 'the token names an identity of another trust domain',
  svid_expired: 'the token is over or not valid yet',
  svid_audience_mismatch: 'the token is meant for another audience',
  svid_denied: 'the identity has been taken away since the token was issued',
};

function refused(code: ErrorCode, rule: string, cause?: unknown): IdentityError {
  return new IdentityError(code, messages[code]!, { data: { rule }, cause });
}
