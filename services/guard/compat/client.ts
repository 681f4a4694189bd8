// Who asks over the llm-guard API: the agent that the proxy attested, or a client that shows the operator's token.
import { createHash, timingSafeEqual } from 'node:crypto';
import { PlatformError } from '../../../runtime/errors.ts';
import { serviceSpiffeId } from '../../../runtime/identity/spiffe-id.ts';
import { attestedPrincipal, type Caller } from '../../common/caller.ts';
import { type HttpRequest, singleHeader } from '../../common/http/port.ts';
import type { Parts } from '../parts.ts';

/** The identity of whoever has nothing but the token; policy lets it in by `services.guard.callers`. */
export const CLIENT_NAME = 'llm-guard-client';

/**
 * Throws `unauthenticated` where a token is set and the request does not show it, and where none is set and the
 * proxy attested nobody.
 */
export function clientOf(
  { authToken, trustDomain }: Pick<Parts, 'authToken' | 'trustDomain'>,
  request: HttpRequest,
): Omit<Caller, 'context'> {
  if (authToken !== undefined && !showsToken(request, authToken)) {
    throw new PlatformError('unauthenticated', 'Invalid API key');
  }
  const isAttested = request.headers.has('x-platform-spiffe-id');
  if (authToken === undefined || isAttested) return attestedPrincipal(request);
  const spiffe_id = serviceSpiffeId(trustDomain, CLIENT_NAME);
  return { identity: { spiffe_id, trust_domain: trustDomain, tenant: '', agent: '', role: '' } };
}

function showsToken(request: HttpRequest, token: string): boolean {
  const [scheme = '', shown = '', ...rest] = (
    singleHeader(request.headers, 'authorization') ?? ''
  ).split(' ');
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const isEqual = timingSafeEqual(digest(shown), digest(token));
  return isEqual && scheme.toLowerCase() === 'bearer' && rest.length === 0;
}
