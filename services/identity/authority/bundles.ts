// Public keys as JWK Sets: for the Workload API's bundles and for OpenID Connect.
import type { JsonObject } from '../../../runtime/json.ts';
import type { Jwks } from './port.ts';
import type { SigningKey } from './signing-key.ts';

/** A bundle's keys (SPIFFE Trust Domain and Bundle standard, section 4.2.2). */
export function bundleJwks(keys: readonly SigningKey[], use: 'jwt-svid' | 'wit-svid'): Jwks {
  return { keys: keys.map((key) => ({ ...publicJwk(key), use })) };
}

/** The keys of JWT-SVIDs as relying parties of OpenID Connect read them. */
export function oidcJwks(keys: readonly SigningKey[]): Jwks {
  return { keys: keys.map((key) => ({ ...publicJwk(key), use: 'sig', alg: 'RS256' })) };
}

function publicJwk(key: SigningKey): JsonObject {
  return { ...(key.publicKey.export({ format: 'jwk' }) as JsonObject), kid: key.id };
}
