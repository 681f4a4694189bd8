// Decides in this process what the mesh filter decided, from the facts that it leaves: same input, same id.
import type { Decider } from '../decide/decide.ts';
import type { Decision } from '../decide/decision.ts';

/** What the filter decided about; an access log holds all of it. */
export interface MeshFacts {
  /** The peer. */
  spiffeId: string;
  trustDomain: string;
  service: string;
  requestId: string;
  /** RFC 3339 in UTC with milliseconds. */
  time: string;
}

/** The decision at the boundary `mesh`; equal to the filter's under the same pair of bundles. */
export function decideMesh(decider: Decider, facts: MeshFacts): Decision {
  const { spiffeId, trustDomain, service, requestId, time } = facts;
  const [, , , kind, tenant = '', agent = '', role = '', ...more] = spiffeId.split('/');
  const isAgent = kind === 'agent' && role !== '' && more.length === 0;
  const named = isAgent ? { tenant, agent, role } : { tenant: '', agent: '', role: '' };
  return decider.decide({
    boundary: 'mesh',
    module: 'authorization',
    input: {
      action: 'connect',
      context: { request_id: requestId, time },
      identity: { spiffe_id: spiffeId, trust_domain: trustDomain, ...named },
      resource: { kind: 'service', name: service },
    },
    // Nothing of this input is committed.
    salt: new Uint8Array(32),
  });
}
