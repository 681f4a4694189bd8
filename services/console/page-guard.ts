// Lets only the operator's own page talk to the local page's server: token, Host and Origin.
import { timingSafeEqual } from 'node:crypto';
import { PlatformError } from '../../runtime/errors.ts';
import { type HttpRequest, type Route, singleHeader } from '../common/http/port.ts';

export interface PageGuard {
  /** Random; the page has it from the URL's fragment, which browsers send to nobody. */
  token: string;
  /** `127.0.0.1:<port>` and `localhost:<port>`; known once the server listens. */
  hosts(): readonly string[];
}

/**
 * The same route, open only to requests whose Host is this server (no name of somebody else's that
 * resolves here), whose Origin, if any, is this server (no other page), and that carry the token.
 * Routes that are `open` return no data and need no token.
 */
export function guarded(route: Route, guard: PageGuard): Route {
  return {
    ...route,
    handler(request) {
      checkOrigin(request, guard.hosts());
      if (route.boundary !== 'open') checkToken(request, guard.token);
      return route.handler(request);
    },
  };
}

function checkOrigin(request: HttpRequest, hosts: readonly string[]): void {
  const host = singleHeader(request.headers, 'host');
  if (!host || !hosts.includes(host)) {
    throw new PlatformError('unauthenticated', 'this host name is not the local page’s');
  }
  const origin = singleHeader(request.headers, 'origin');
  if (origin === undefined) return;
  if (origin === null || !hosts.some((each) => origin === `http://${each}`)) {
    throw new PlatformError('unauthenticated', 'another page may not use the local page');
  }
}

function checkToken(request: HttpRequest, token: string): void {
  const value = singleHeader(request.headers, 'authorization') ?? '';
  const given = Buffer.from(value);
  const wanted = Buffer.from(`Bearer ${token}`);
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) {
    throw new PlatformError('unauthenticated', 'open the address that the platform printed', {
      hint: 'platform status prints it again',
    });
  }
}
