// Who calls and which request it is: facts that the proxy or the control socket vouch for.
import { randomBytes, randomUUID } from 'node:crypto';
import { PlatformError } from '../../runtime/errors.ts';
import {
  isServiceSpiffeId,
  operatorSpiffeId,
  parseAgentSpiffeId,
} from '../../runtime/identity/spiffe-id.ts';
import { type HttpRequest, singleHeader } from './http/port.ts';

/** The identity as policies read it; the last three are empty for whoever is no agent. */
export type Identity = {
  spiffe_id: string;
  trust_domain: string;
  tenant: string;
  agent: string;
  role: string;
};

/** Fixed by the first enforcement point of a request and reused by every later one. */
export interface RequestContext {
  requestId: string;
  /** RFC 3339, UTC, milliseconds. */
  time: string;
  /** 32 bytes that salt the request's commitments. */
  salt: Uint8Array;
}

export interface Caller {
  identity: Identity;
  context: RequestContext;
  /** The service that acts for `identity`, where the agent does not ask itself. */
  actor?: string;
}

/**
 * The agent that the proxy attested. Throws `unauthenticated` when there is not exactly one, and
 * `spiffe_id_invalid` when it is not an agent of this trust domain's shape.
 */
export function attestedAgent(request: HttpRequest): Identity {
  const spiffeId = singleHeader(request.headers, 'x-platform-spiffe-id');
  if (spiffeId === undefined || spiffeId === null || spiffeId === '') {
    throw new PlatformError('unauthenticated', 'the request carries no attested identity', {
      hint: 'agents reach the platform through the proxy of their own process',
    });
  }
  return agentIdentity(spiffeId);
}

/**
 * The agent that decisions are about: the attested one, or the one that an attested service acts
 * for (`x-platform-on-behalf-of`, which the proxy passes from services only). Whether that service
 * may do so is for policy to say. Throws as `attestedAgent` does, and `request_malformed` when an
 * agent claims to act for another.
 */
export function attestedPrincipal(request: HttpRequest): Pick<Caller, 'identity' | 'actor'> {
  const behalf = singleHeader(request.headers, 'x-platform-on-behalf-of');
  if (behalf === undefined) return { identity: attestedAgent(request) };
  const actor = singleHeader(request.headers, 'x-platform-spiffe-id');
  if (!behalf || !actor || !isServiceSpiffeId(actor)) {
    throw new PlatformError('request_malformed', 'only a service may act on behalf of an agent');
  }
  return { identity: agentIdentity(behalf), actor };
}

/** The operator, for routes that only the control socket serves. */
export function attestedOperator(request: HttpRequest, trustDomain: string): Identity {
  const spiffe_id = request.peer?.spiffeId ?? operatorSpiffeId(trustDomain);
  return { spiffe_id, trust_domain: trustDomain, tenant: '', agent: '', role: '' };
}

function agentIdentity(spiffeId: string): Identity {
  const { trustDomain, tenant, agent, role } = parseAgentSpiffeId(spiffeId);
  return { spiffe_id: spiffeId, trust_domain: trustDomain, tenant, agent, role };
}

/** What the first enforcement point fixed; where there was none before us, this is it. */
export function contextOf(request: HttpRequest, clock: () => Date): RequestContext {
  const requestId = singleHeader(request.headers, 'x-platform-request-id');
  const time = singleHeader(request.headers, 'x-platform-time');
  const salt = singleHeader(request.headers, 'x-platform-salt');
  return {
    requestId: requestId && isToken(requestId) ? requestId : randomUUID(),
    time: time && isTime(time) ? time : clock().toISOString(),
    salt: salt && isSalt(salt) ? Buffer.from(salt, 'hex') : randomBytes(32),
  };
}

function isToken(text: string): boolean {
  return text.length <= 64 && [...text].every((c) => /[A-Za-z0-9_.-]/.test(c));
}

function isTime(text: string): boolean {
  const time = new Date(text);
  return !Number.isNaN(time.getTime()) && time.toISOString() === text;
}

function isSalt(text: string): boolean {
  return text.length === 64 && [...text].every((c) => /[0-9a-f]/.test(c));
}
