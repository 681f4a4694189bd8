// Says for each boundary which members of its input are who asks, what is asked for, and when it counts.
import { suggest } from '../../suggest.ts';
import { SentenceError } from './property.ts';
import type { Scalar } from './values.ts';

export interface BoundaryMembers {
  /** JSON Pointer of the SPIFFE ID of who asks. */
  identity: string;
  /** JSON Pointer of the service, of the scope, or of the agent that is spoken to. */
  service?: string;
  scope?: string;
  peer?: string;
  /** By pointer: the constants of which an input has one where something is really reached. */
  counts: Readonly<Record<string, readonly Scalar[]>>;
}

const identity = '/identity/spiffe_id';

/** A boundary that is not here has no services, scopes or peers; `carries control` works for all. */
const members: Readonly<Record<string, BoundaryMembers>> = {
  tool: { identity, service: '/resource/service', counts: { '/action': ['call'] } },
  registration: { identity, service: '/resource/service', counts: {} },
  credential: { identity, service: '/resource/service', counts: {} },
  exchange: { identity: '/spiffe_id', service: '/service', counts: {} },
  mesh: { identity, service: '/resource/name', counts: {} },
  // Whose reading a scope covers is the scope module's decision; the policy decides who may change what is in it.
  secret: {
    identity,
    scope: '/resource/scope',
    counts: { '/action': ['write', 'delete', 'restore'] },
  },
  message: { identity, peer: '/target/spiffe_id', counts: {} },
};

/**
 * The members of a boundary, and the pointer of what a sentence asks about.
 * @throws SentenceError `input_invalid` for a boundary that has no such thing
 */
export function membersOf(
  boundary: string,
  what: 'service' | 'scope' | 'peer',
): BoundaryMembers & { object: string } {
  const found = Object.hasOwn(members, boundary) ? members[boundary] : undefined;
  const object = found?.[what];
  if (found !== undefined && object !== undefined) return { ...found, object };
  const having = Object.keys(members).filter((name) => members[name]?.[what] !== undefined);
  const meant = suggest(boundary, having);
  throw new SentenceError('input_invalid', `inputs of the boundary ${boundary} name no ${what}`, {
    hint: meant === undefined ? `those of ${having.join(', ')} do` : `did you mean: at ${meant}`,
  });
}

/** Which members tell the inputs of a boundary apart best. */
export function splitsOf(boundary: string): { identity: string; object?: string } {
  const found = Object.hasOwn(members, boundary) ? members[boundary] : undefined;
  const object = found?.service ?? found?.scope ?? found?.peer;
  return { identity: found?.identity ?? identity, ...(object === undefined ? {} : { object }) };
}
