// Turns a sentence into what is explored, and says which findings would contradict it.
import type { JsonObject } from '../../../runtime/json.ts';
import { membersOf, splitsOf } from './boundaries.ts';
import type { Leaf } from './explore.ts';
import type { Held } from './machine.ts';
import { type Property, SentenceError } from './property.ts';
import { keyOf, type Scalar } from './values.ts';
import {
  agentsOf,
  identitiesOf,
  isInside,
  requireMentioned,
  requireScope,
  requireTenant,
  stringsOf,
} from './who.ts';

/** Classes of inputs that contradict the sentence when each holds an input that is allowed. */
export interface Candidate {
  classes: { held: Map<string, Held>; stranger: string }[];
  /** The classes are only samples of what the leaves hold: that they are empty proves nothing. */
  sample?: boolean;
  leaves: Leaf[];
}

export interface Question {
  /** JSON Pointers of who asks, and of what the sentence asks about; none for a control. */
  identity: string;
  object?: string;
  /** What an input has where something is really reached: all of one of these. */
  counts: Map<string, Held>[];
  /** The same, with what the sentence names. */
  scopes: Map<string, Held>[];
  split: string[];
  only: Map<string, Scalar[]>;
  listed: Map<string, Scalar[]>;
  /** Which findings would contradict the sentence, if an input confirms them. */
  candidates(leaves: Leaf[]): Candidate[];
}

/**
 * @param mentioned every text of the policy: a service or scope may be named there alone
 * @throws SentenceError `input_invalid` for a name that neither the data nor the policy knows
 */
export function questionOf(
  property: Property,
  data: JsonObject,
  mentioned: ReadonlySet<string>,
): Question {
  const texts = [...stringsOf(data), ...mentioned];
  const agents = Object.keys(agentsOf(data));
  if (property.kind === 'carries_control') {
    const { identity, object } = splitsOf(property.boundary);
    const listed = new Map([[identity, agents]]);
    const everything = [new Map<string, Held>()];
    const none = {
      counts: everything,
      scopes: everything,
      only: new Map(),
      candidates: () => [],
    };
    return { identity, ...(object === undefined ? {} : { object }), split: [], listed, ...none };
  }
  if (property.kind === 'tenant_only') {
    const { tenant, service } = property;
    requireTenant(data, tenant);
    requireMentioned('service', service, texts);
    return among(property.boundary, 'service', service, agents, (id) => isInside(data, id, tenant));
  }
  if (property.kind === 'only_scope') {
    requireScope(data, property.scope, texts);
    const allowed = new Set(property.agents.flatMap((name) => identitiesOf(data, name)));
    return among(property.boundary, 'scope', property.scope, agents, (id) => allowed.has(id));
  }
  const [a, b] = property.agents.map((name) => identitiesOf(data, name)) as [string[], string[]];
  if (a.some((id) => b.includes(id))) {
    throw new SentenceError('input_invalid', 'the two agents are the same one');
  }
  return property.kind === 'no_talk'
    ? silence(property.boundary, a, b, agents)
    : separation(property.boundary, a, b, agents);
}

function heldMembers(boundary: string, what: 'service' | 'scope' | 'peer') {
  const { identity, object, counts } = membersOf(boundary, what);
  const held = Object.entries(counts).reduce<Map<string, Held>[]>(
    (all, [pointer, constants]) =>
      all.flatMap((one) => constants.map((is) => new Map(one).set(pointer, { is }))),
    [new Map()],
  );
  return { identity, object, counts: held };
}

/** One thing, and only certain identities reach it. */
function among(
  boundary: string,
  what: 'service' | 'scope',
  name: string,
  agents: string[],
  mayReach: (spiffeId: string) => boolean,
): Question {
  const { identity, object, counts } = heldMembers(boundary, what);
  const stranger = strangerBeside(agents[0]);
  return {
    identity,
    object,
    counts,
    scopes: counts.map((one) => new Map(one).set(object, { is: name })),
    split: [identity],
    only: new Map(),
    listed: new Map([[identity, agents]]),
    candidates: (leaves) =>
      leaves
        .filter(({ held }) => {
          const who = held.get(identity);
          return who === undefined || 'not' in who || !mayReach(String(who.is));
        })
        .map((leaf) => ({ classes: [{ held: leaf.held, stranger }], leaves: [leaf] })),
  };
}

/** Two agents, and no service that both reach. An identity that is not listed may be a role of either. */
function separation(boundary: string, a: string[], b: string[], agents: string[]): Question {
  const { identity, object, counts } = heldMembers(boundary, 'service');
  return {
    identity,
    object,
    counts,
    scopes: counts,
    split: [identity, object],
    only: new Map([[identity, [...a, ...b]]]),
    listed: new Map([[identity, agents]]),
    candidates: (leaves) => {
      const of = (ids: string[]) => leaves.filter(({ held }) => isOneOf(held.get(identity), ids));
      const found: Candidate[] = [];
      for (const one of of(a)) {
        for (const two of of(b)) {
          const shared = common(one.held.get(object), two.held.get(object));
          if (shared === undefined) continue;
          const classes = [
            { held: new Map(one.held).set(object, shared), stranger: unlistedRole(a, agents) },
            { held: new Map(two.held).set(object, shared), stranger: unlistedRole(b, agents) },
          ];
          const sample = isAny(one.held.get(object)) && isAny(two.held.get(object));
          found.push({ classes, leaves: [one, two], sample });
        }
      }
      return found;
    },
  };
}

/** Two agents, and neither reaches the other. */
function silence(boundary: string, a: string[], b: string[], agents: string[]): Question {
  const { identity, object, counts } = heldMembers(boundary, 'peer');
  const both = [...a, ...b];
  return {
    identity,
    object,
    counts,
    scopes: counts,
    split: [identity, object],
    only: new Map([
      [identity, both],
      [object, both],
    ]),
    listed: new Map([
      [identity, agents],
      [object, agents],
    ]),
    candidates: (leaves) =>
      [
        [a, b],
        [b, a],
      ].flatMap(([from, to]) =>
        leaves
          .filter(
            ({ held }) => isOneOf(held.get(identity), from!) && isOneOf(held.get(object), to!),
          )
          .map((leaf) => {
            const { held } = leaf;
            const whom: Held = isAny(held.get(object))
              ? { is: unlistedRole(to!, agents) }
              : held.get(object)!;
            const stranger = unlistedRole(from!, agents);
            return {
              classes: [{ held: new Map(held).set(object, whom), stranger }],
              leaves: [leaf],
              sample: isAny(held.get(object)),
            };
          }),
      ),
  };
}

/** A class of unlisted identities counts: one of them may be a role of the agent. */
function isOneOf(held: Held | undefined, ids: string[]): boolean {
  return isAny(held) || ids.includes(String((held as { is: Scalar }).is));
}

function isAny(held: Held | undefined): boolean {
  return held === undefined || 'not' in held;
}

/** A constant that both classes hold; text that neither knows where both hold any other. */
function common(one: Held | undefined, two: Held | undefined): Held | undefined {
  if (one !== undefined && 'is' in one) {
    if (two !== undefined && 'is' in two) return one.is === two.is ? one : undefined;
    return two?.not.has(keyOf(one.is)!) === true ? undefined : one;
  }
  if (two !== undefined && 'is' in two) return common(two, one);
  return { is: 'another-service' };
}

/** A well-formed SPIFFE ID in the same trust domain that is nobody's. */
function strangerBeside(agent: string | undefined): string {
  const trustDomain = agent?.split('/')[2] ?? 'platform.local';
  return `spiffe://${trustDomain}/agent/stranger/stranger/main`;
}

function unlistedRole(ids: string[], agents: string[]): string {
  const path = ids[0]!.slice(0, ids[0]!.lastIndexOf('/'));
  let role = 'unlisted';
  while (agents.includes(`${path}/${role}`)) role += 'x';
  return `${path}/${role}`;
}
