// The policy service on the wire: every route, its bearer token, and errors in OPA's form.
import { createHash, timingSafeEqual } from 'node:crypto';
import { PlatformError } from '../../runtime/errors.ts';
import { type HttpRequest, type Route, singleHeader } from '../common/http/port.ts';
import { errorResponse } from './answer.ts';
import { dataRoutes } from './data-routes.ts';
import type { Parts } from './parts.ts';
import { stateRoutes } from './state-routes.ts';

/**
 * All routes. With a `token`, everything but health asks for it, as OPA's token authentication does;
 * without one, whoever asks has to name this machine as itself.
 */
export function policyRoutes(parts: Parts, token: string | undefined): Route[] {
  const expected = token === undefined ? undefined : digest(token);
  return [...dataRoutes(parts), ...stateRoutes(parts)].map((route) => ({
    ...route,
    handler: async (request) => {
      try {
        if (route.boundary !== 'open') {
          if (expected === undefined) requireLocalHost(request);
          else authenticate(request, expected);
        }
        return await route.handler(request);
      } catch (error) {
        return errorResponse(error);
      }
    },
  }));
}

function authenticate(request: HttpRequest, expected: Buffer): void {
  const header = singleHeader(request.headers, 'authorization') ?? '';
  const [scheme = '', token = ''] = header.split(' ');
  // Digests are of one length, so that the comparison tells nothing of the token's.
  if (scheme.toLowerCase() === 'bearer' && timingSafeEqual(digest(token), expected)) return;
  throw new PlatformError('unauthenticated', 'the request has no valid bearer token');
}

/**
 * A page of another origin that has its name resolve to this machine (DNS rebinding) names itself as
 * the host.
 */
function requireLocalHost(request: HttpRequest): void {
  const host = singleHeader(request.headers, 'host') ?? '';
  if (/^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i.test(host)) return;
  throw new PlatformError('denied', 'without a token, only this machine may ask, as localhost', {
    hint: 'ask by localhost or a loopback address, or serve with a token',
  });
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
