// Builds and reads the SPIFFE IDs that the platform gives: to agents' processes, services, nodes and the operator.
import { InputError, PlatformError } from '../errors.ts';
import { Scope, type SpiffeId } from '../modules/scope.ts';
import { moduleBytes } from '../modules/source.ts';

/** The four facts that an agent process's SPIFFE ID states. */
export interface AgentIdentity {
  trustDomain: string;
  tenant: string;
  agent: string;
  role: string;
}

export const defaultTrustDomain = 'platform.local';
export const defaultRole = 'main';

const partBytesMax = 63;

/**
 * Builds the SPIFFE ID of an agent's process. Throws `spiffe_id_invalid` when the scope module refuses
 * a part (SPIFFE-ID, sections 2.1 and 2.2), and when one other than the trust domain is longer than 63
 * bytes: each has to fit a DNS label too.
 */
export function agentSpiffeId(identity: AgentIdentity): string {
  requireTrustDomain(identity.trustDomain);
  requireSegment('tenant', identity.tenant);
  requireSegment('agent', identity.agent);
  requireSegment('role', identity.role);
  return `spiffe://${identity.trustDomain}/agent/${identity.tenant}/${identity.agent}/${identity.role}`;
}

/** The SPIFFE ID of the person who operates a one-machine platform. */
export function operatorSpiffeId(trustDomain: string): string {
  requireTrustDomain(trustDomain);
  return `spiffe://${trustDomain}/operator/local`;
}

/** The SPIFFE ID of a service of the platform, such as `gateway` or `vault`. */
export function serviceSpiffeId(trustDomain: string, name: string): string {
  requireTrustDomain(trustDomain);
  requireSegment('service', name);
  return `spiffe://${trustDomain}/service/${name}`;
}

/** Whether this is the SPIFFE ID of a service: `/service/` and one segment. */
export function isServiceSpiffeId(spiffeId: string): boolean {
  const [scheme, empty, trustDomain, kind, name, ...more] = spiffeId.split('/');
  const named = kind === 'service' && Boolean(name) && more.length === 0;
  return named && scheme === 'spiffe:' && empty === '' && Boolean(trustDomain);
}

/** The SPIFFE ID of this machine: the parent of every registration entry on it. */
export function nodeSpiffeId(trustDomain: string): string {
  requireTrustDomain(trustDomain);
  return `spiffe://${trustDomain}/node/local`;
}

/**
 * Takes the SPIFFE ID of an agent's process apart; the inverse of `agentSpiffeId`. Throws
 * `spiffe_id_invalid` for every other text, also for the SPIFFE ID of something else.
 */
export function parseAgentSpiffeId(spiffeId: string): AgentIdentity {
  const { trustDomain, path } = parse('identity', spiffeId);
  const [kind, tenant, agent, role, ...more] = path;
  if (kind !== 'agent' || !tenant || !agent || !role || more.length > 0) {
    throw invalid('identity', 'is not that of an agent');
  }
  const identity = { trustDomain, tenant, agent, role };
  agentSpiffeId(identity); // the same bounds in both directions
  return identity;
}

/** Throws `spiffe_id_invalid` unless `value` may stand as one path segment of a SPIFFE ID. */
export function requireSegment(part: string, value: string): void {
  if (value.length > partBytesMax) throw invalid(part, `is longer than ${partBytesMax} bytes`);
  const { path } = parse(part, `spiffe://trust-domain/${value}`);
  if (path.length !== 1) throw invalid(part, 'is more than one path segment');
}

function requireTrustDomain(value: string): void {
  const { path } = parse('trust domain', `spiffe://${value}`);
  if (path.length !== 0) throw invalid('trust domain', 'holds a slash');
}

let loaded: Scope | undefined;

/** Judged by the scope module, which is loaded on first use: most commands need it never. */
function parse(part: string, spiffeId: string): SpiffeId {
  loaded ??= Scope.create(moduleBytes('scope'));
  try {
    return loaded.parse(spiffeId);
  } catch (cause) {
    if (!(cause instanceof InputError)) throw cause;
    throw invalid(part, `has no place in a SPIFFE ID: ${cause.message}`, cause);
  }
}

function invalid(part: string, why: string, cause?: unknown): PlatformError {
  return new PlatformError('spiffe_id_invalid', `the ${part} ${why}`, {
    cause,
    data: { part },
    hint: 'use letters, digits, dots, hyphens and underscores, at most 63 of them',
  });
}
