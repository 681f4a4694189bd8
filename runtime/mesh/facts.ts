// What a decision at the mesh is about, as an enforcement point fixed it; with the body, all that decides.
import type { JsonObject } from '../json.ts';

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

/** The input of a decision at the boundary `mesh`; `members` are added. */
export function meshInput(facts: MeshFacts, action: string, members: JsonObject = {}): JsonObject {
  const { spiffeId, trustDomain, service, requestId, time } = facts;
  const [, , , kind, tenant = '', agent = '', role = '', ...more] = spiffeId.split('/');
  const isAgent = kind === 'agent' && role !== '' && more.length === 0;
  const named = isAgent ? { tenant, agent, role } : { tenant: '', agent: '', role: '' };
  return {
    action,
    context: { request_id: requestId, time },
    identity: { spiffe_id: spiffeId, trust_domain: trustDomain, ...named },
    resource: { kind: 'service', name: service },
    ...members,
  };
}
