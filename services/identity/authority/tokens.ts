// Issues JWT-SVIDs and WIT-SVIDs (SPIFFE standards JWT-SVID and WIT-SVID).
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { PlatformError } from '../../../runtime/errors.ts';
import { backdateSeconds } from '../../../runtime/identity/workload/x509.ts';
import type { SigningKey } from './signing-key.ts';

const audiencesMax = 16;
const audienceBytesMax = 512;

/** Seconds since 1970. */
export interface TokenTimes {
  issuedAt: number;
  expiresAt: number;
}

/**
 * A JWT-SVID, RS256. `aud` is always a list, as SPIRE writes it; `iss` is there where the trust
 * domain publishes its keys under an issuer's URL.
 */
export function signJwtSvid(
  key: SigningKey,
  claims: { spiffeId: string; audience: readonly string[]; issuer: string | undefined },
  times: TokenTimes,
): Promise<string> {
  const { issuer, spiffeId, audience } = claims;
  return new SignJWT({ ...(issuer === undefined ? {} : { iss: issuer }) })
    .setSubject(spiffeId)
    .setAudience([...audience])
    .setIssuedAt(times.issuedAt)
    .setExpirationTime(times.expiresAt)
    .setProtectedHeader({ alg: 'RS256', kid: key.id, typ: 'JWT' })
    .sign(key.privateKey);
}

/**
 * A WIT-SVID, ES256, with a fresh P-256 key; the private one as the text of a JWK. Its issuer is the
 * trust domain's SPIFFE ID, which no OpenID Connect relying party takes (standard, section 3.7).
 */
export async function signWitSvid(
  key: SigningKey,
  claims: { spiffeId: string; trustDomain: string },
  times: TokenTimes,
): Promise<{ token: string; privateKeyJwk: string }> {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const publicJwk = { ...pair.publicKey.export({ format: 'jwk' }), alg: 'ES256' };
  const privateJwk = { ...pair.privateKey.export({ format: 'jwk' }), alg: 'ES256' };
  const token = await new SignJWT({ cnf: { jwk: publicJwk } })
    .setIssuer(`spiffe://${claims.trustDomain}`)
    .setSubject(claims.spiffeId)
    .setJti(randomUUID())
    .setIssuedAt(times.issuedAt)
    .setNotBefore(times.issuedAt - backdateSeconds)
    .setExpirationTime(times.expiresAt)
    .setProtectedHeader({ alg: 'ES256', kid: key.id, typ: 'wit+jwt' })
    .sign(key.privateKey);
  return { token, privateKeyJwk: JSON.stringify(privateJwk) };
}

/** Throws `input_invalid` unless there are 1 to 16 different audiences of 1 to 512 bytes of text. */
export function requireAudience(audience: readonly string[]): void {
  const refuse = (why: string) => new PlatformError('input_invalid', `the audience ${why}`);
  if (audience.length === 0) throw refuse('is missing');
  if (audience.length > audiencesMax) throw refuse(`names more than ${audiencesMax}`);
  if (new Set(audience).size !== audience.length) throw refuse('names one twice');
  for (const each of audience) {
    if (each.length === 0) throw refuse('is empty');
    if (Buffer.byteLength(each) > audienceBytesMax) {
      throw refuse(`is over ${audienceBytesMax} bytes`);
    }
    for (const character of each) {
      const code = character.codePointAt(0)!;
      const isSurrogate = code >= 0xd800 && code <= 0xdfff;
      if (code < 0x20 || code === 0x7f || isSurrogate) throw refuse('holds a control character');
    }
  }
}
