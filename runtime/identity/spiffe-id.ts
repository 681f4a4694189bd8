// Builds and reads the SPIFFE IDs that the platform gives: to agents' processes, services, nodes and the operator.
// The rules of all SPIFFE IDs are the scope module's; here are the platform's narrower ones, which every
// command needs before a module is built. spiffe-id.test.ts holds the two together.
import { PlatformError } from '../errors.ts';

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
const trustDomainBytesMax = 255;

/**
 * Builds the SPIFFE ID of an agent's process.
 * Throws `spiffe_id_invalid` when a part breaks SPIFFE-ID sections 2.1 and 2.2: the trust domain
 * holds only `a-z 0-9 . - _`, a path segment only `A-Z a-z 0-9 . - _` and is neither empty, `.` nor
 * `..`; each part is at most 63 bytes long so that it also fits a DNS label.
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
  const parts = spiffeId.split('/', 8);
  const [scheme, empty, trustDomain = '', kind, tenant = '', agent = '', role = ''] = parts;
  if (parts.length !== 7 || scheme !== 'spiffe:' || empty !== '' || kind !== 'agent') {
    throw invalid('identity', 'is not that of an agent');
  }
  const identity = { trustDomain, tenant, agent, role };
  agentSpiffeId(identity); // the same rules in both directions
  return identity;
}

/** Throws `spiffe_id_invalid` unless `value` may stand as one path segment of a SPIFFE ID. */
export function requireSegment(part: string, value: string): void {
  if (value.length === 0) throw invalid(part, 'is empty');
  if (value.length > partBytesMax) throw invalid(part, `is longer than ${partBytesMax} bytes`);
  if (value === '.' || value === '..') throw invalid(part, 'is a relative path segment');
  for (const character of value) {
    const isUpper = character >= 'A' && character <= 'Z';
    if (!isUpper && !isTrustDomainCharacter(character)) {
      throw invalid(part, 'holds a character other than A-Z a-z 0-9 . - _');
    }
  }
}

function requireTrustDomain(value: string): void {
  if (value.length === 0) throw invalid('trust domain', 'is empty');
  if (value.length > trustDomainBytesMax) {
    throw invalid('trust domain', `is longer than ${trustDomainBytesMax} bytes`);
  }
  for (const character of value) {
    if (!isTrustDomainCharacter(character)) {
      throw invalid('trust domain', 'holds a character other than a-z 0-9 . - _');
    }
  }
}

function isTrustDomainCharacter(character: string): boolean {
  return (
    (character >= 'a' && character <= 'z') ||
    (character >= '0' && character <= '9') ||
    character === '.' ||
    character === '-' ||
    character === '_'
  );
}

function invalid(part: string, why: string): PlatformError {
  return new PlatformError('spiffe_id_invalid', `the ${part} ${why}`, {
    data: { part },
    hint: 'use letters, digits, dots, hyphens and underscores, at most 63 of them',
  });
}
