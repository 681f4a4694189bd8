// Decides in this process what the mesh filter decided about a connection: same facts, same input, same id.
import type { Decider } from '../decide/decide.ts';
import type { Decision } from '../decide/decision.ts';
import { honouredFor } from '../decide/obligations.ts';
import { type MeshFacts, meshInput } from './facts.ts';

/**
 * The decision at the boundary `mesh`; equal to the filter's under the same pair of bundles. Where it
 * carries the obligation `read_body`, `decideRequest` (request.ts) tells what becomes of the request.
 */
export function decideMesh(decider: Decider, facts: MeshFacts): Decision {
  const input = meshInput(facts, 'connect');
  return decider.decide({
    ...{ boundary: 'mesh', module: 'authorization', input },
    honours: honouredFor('mesh', input),
    // Nothing of this input is committed.
    salt: new Uint8Array(32),
  });
}
