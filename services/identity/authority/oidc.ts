// Publishes the keys of JWT-SVIDs for third parties (OpenID Connect Discovery 1.0, RFC 7517).
import { PlatformError } from '../../../runtime/errors.ts';
import type { JsonObject } from '../../../runtime/json.ts';
import { jsonResponse } from '../../common/http/json.ts';
import type { Route } from '../../common/http/port.ts';

/**
 * Checks the URL under which relying parties find the discovery document: https, or http on this
 * machine; neither query nor fragment nor a slash at its end, for it is compared as text.
 */
export function requireIssuer(issuer: string): void {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  const isLocal = url?.hostname === '127.0.0.1' || url?.hostname === 'localhost';
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal);
  const text = url ? `${url.origin}${url.pathname === '/' ? '' : url.pathname}` : '';
  if (!isSafe || text !== issuer || issuer.endsWith('/')) {
    throw new PlatformError('configuration_invalid', 'the issuer is not a plain https URL', {
      hint: 'such as https://identity.example.org, without a slash at its end',
    });
  }
}

/**
 * `GET /.well-known/openid-configuration` and `GET /keys`, relative to the issuer's URL. What AWS,
 * Google Cloud and Azure read is there; no one can log in, so the required authorization endpoint is
 * a name and no address, as Kubernetes does it.
 */
export function makeOidcRoutes(
  issuer: string,
  keys: () => JsonObject,
  maxAgeSeconds: number,
): Route[] {
  const configuration: JsonObject = {
    issuer,
    jwks_uri: `${issuer}/keys`,
    authorization_endpoint: 'urn:spiffe:programmatic_authorization',
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    claims_supported: ['iss', 'sub', 'aud', 'iat', 'exp'],
  };
  return [
    published('/.well-known/openid-configuration', () => configuration, maxAgeSeconds),
    published('/keys', keys, maxAgeSeconds),
  ];
}

function published(path: string, document: () => JsonObject, maxAgeSeconds: number): Route {
  return {
    method: 'GET',
    path,
    boundary: 'published',
    async handler() {
      const caching = { 'cache-control': `public, max-age=${maxAgeSeconds}` };
      return jsonResponse(200, document(), caching);
    },
  };
}
