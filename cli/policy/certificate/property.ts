// The checker's own reading of the sentence that a certificate proves, and of what each case may be.
import { isArray, isMap, type Value } from './values.ts';

/** Which parts of a boundary's input a sentence is about. */
interface Reading {
  boundary: string;
  /** Pointers that every case must name: who asks, and what for. */
  pointers: string[];
  /** By pointer, the constants of which an input has one that reaches something at all; of others nothing is said. */
  only: ReadonlyMap<string, readonly Value[]>;
  /** What the sentence names, where it speaks of nothing else: a service or a scope, with its pointer. */
  named?: { pointer: string; value: Value };
  /** The control that every allow must list. */
  control?: string;
  /** What the sentence does not say, though its words could be taken for it. */
  note?: string;
  /** Why the cases, each as the values of `pointers`, break the property; undefined when they hold it. */
  broken(cases: readonly (readonly Value[])[]): string | undefined;
}

export type Property = Reading;

interface Members {
  identity?: string;
  service?: string;
  scope?: string;
  peer?: string;
  only?: [string, readonly Value[]][];
}

const IDENTITY = '/identity/spiffe_id';

const boundaries = new Map<string, Members>([
  ['tool', { service: '/resource/service', only: [['/action', ['call']]] }],
  ['registration', { service: '/resource/service' }],
  ['credential', { service: '/resource/service' }],
  ['exchange', { identity: '/spiffe_id', service: '/service' }],
  ['mesh', { service: '/resource/name' }],
  // Reading is bounded by the scope module, which covers scopes by identity, and not by this policy.
  ['secret', { scope: '/resource/scope', only: [['/action', ['write', 'delete', 'restore']]] }],
  ['message', { peer: '/target/spiffe_id' }],
]);

const patterns: {
  form: RegExp;
  read(found: string[], data: Value, at: string | undefined): Property | string;
}[] = [
  {
    form: /^no identity outside tenant (\S+) reaches service (\S+)$/,
    read: ([tenant, service], data, at) => tenantOnly(tenant!, service!, data, at ?? 'tool'),
  },
  {
    form: /^agents (\S+) and (\S+) share no service$/,
    read: ([a, b], data, at) => separated(a!, b!, data, at ?? 'tool'),
  },
  {
    form: /^agents (\S+) and (\S+) cannot talk$/,
    read: ([a, b], data, at) => silent(a!, b!, data, at ?? 'message'),
  },
  {
    form: /^only (.+) reach secret scope (\S+)$/,
    read: ([names, scope], data, at) => onlyThese(names!, scope!, data, at ?? 'secret'),
  },
  {
    form: /^every allow of (\S+) carries control (\S+)$/,
    read: ([boundary, control], _, at) =>
      at === undefined
        ? { boundary: boundary!, pointers: [], only: new Map(), control, broken: () => undefined }
        : 'this sentence names its boundary once',
  },
];

const TEXT_MAX = 4096;

/** True for text in which what looks like a name is that name: printable ASCII and nothing else. */
export function isPlain(text: string): boolean {
  return [...text].every((character) => character >= ' ' && character <= '~');
}

/**
 * Reads the sentence against the data that the policy decides with, and all texts of its sources; a text
 * says why it cannot be, as where it names what nothing knows: of that everything could be shown.
 */
export function readProperty(
  text: string,
  data: Value,
  sources: ReadonlySet<string>,
): Property | string {
  const property = readSentence(text, data);
  if (typeof property === 'string' || property.named === undefined) return property;
  const { value } = property.named;
  if (sources.has(String(value)) || mentions(data, value) || covers(value, data)) return property;
  return `nothing in the data or the sources is called ${String(value)}`;
}

function mentions(data: Value, name: Value): boolean {
  if (isMap(data)) {
    return [...data].some(([key, member]) => key === name || mentions(member, name));
  }
  return isArray(data) ? data.some((item) => mentions(item, name)) : data === name;
}

/** A scope of a listed agent's: its ID up to a segment, and everything below. */
function covers(scope: Value, data: Value): boolean {
  const found = /^(spiffe:\/\/.+\/)\*$/.exec(String(scope));
  return found !== null && [...agentsOf(data).keys()].some((id) => id.startsWith(found[1]!));
}

function readSentence(text: string, data: Value): Property | string {
  if (text.length > TEXT_MAX) return 'the sentence is too long';
  let sentence = text.trim().split(/\s+/).join(' ');
  const suffix = /^(.*) at (\S+)$/.exec(sentence);
  if (suffix !== null) sentence = suffix[1]!;
  for (const { form, read } of patterns) {
    const found = form.exec(sentence);
    if (found !== null) return read(found.slice(1), data, suffix?.[2]);
  }
  return 'the sentence is none that this checker knows';
}

function reading(
  boundary: string,
  what: 'service' | 'scope' | 'peer',
  broken: Property['broken'],
  name?: string,
): Property | string {
  const members = boundaries.get(boundary);
  const object = members?.[what];
  if (members === undefined || object === undefined) {
    return `inputs of the boundary ${boundary} name no ${what}`;
  }
  return {
    boundary,
    pointers: [members.identity ?? IDENTITY, object],
    only: new Map(members.only ?? []),
    ...(name !== undefined && { named: { pointer: object, value: name } }),
    broken,
  };
}

function tenantOnly(tenant: string, service: string, data: Value, boundary: string) {
  if (![...agentsOf(data).values()].some((entry) => tenantOf(entry) === tenant)) {
    return `no agent of tenant ${tenant} is listed`;
  }
  const broken: Property['broken'] = (cases) => {
    const outside = cases.find(([id, to]) => to === service && !isInside(data, id!, tenant));
    return outside && `${String(outside[0])} is not of tenant ${tenant} and reaches ${service}`;
  };
  return reading(boundary, 'service', broken, service);
}

/** Both the identity itself and its entry must say the tenant. */
function isInside(data: Value, id: Value, tenant: string): boolean {
  if (segmentsOf(id)?.tenant !== tenant) return false;
  return entryOf(data, String(id))?.get('tenant') === tenant;
}

function separated(a: string, b: string, data: Value, boundary: string) {
  const first = agent(a, data);
  const second = agent(b, data);
  if (typeof first === 'string') return first;
  if (typeof second === 'string') return second;
  return reading(boundary, 'service', (cases) => {
    const reached = new Set(cases.filter(([id]) => first.is(id!)).map(([, service]) => service));
    const shared = cases.find(([id, service]) => second.is(id!) && reached.has(service));
    return shared && `both agents reach ${String(shared[1])}`;
  });
}

function silent(a: string, b: string, data: Value, boundary: string) {
  const first = agent(a, data);
  const second = agent(b, data);
  if (typeof first === 'string') return first;
  if (typeof second === 'string') return second;
  return reading(boundary, 'peer', (cases) => {
    const talk = cases.find(
      ([from, to]) => (first.is(from!) && second.is(to!)) || (second.is(from!) && first.is(to!)),
    );
    return talk && `${String(talk[0])} may talk to ${String(talk[1])}`;
  });
}

function onlyThese(names: string, scope: string, data: Value, boundary: string) {
  const agents = names.split(/, ?| and /).map((name) => agent(name, data));
  const wrong = agents.find((found) => typeof found === 'string');
  if (wrong !== undefined) return wrong as string;
  const isOneOf = (id: Value) => agents.some((found) => typeof found !== 'string' && found.is(id));
  const broken: Property['broken'] = (cases) => {
    const other = cases.find(([id, of]) => of === scope && !isOneOf(id!));
    return other && `${String(other[0])} reaches the scope ${scope}`;
  };
  const read = reading(boundary, 'scope', broken, scope);
  const note = 'reads are not covered, because the scope module judges them by identity alone';
  return typeof read === 'string' ? read : { ...read, note };
}

/** An agent by SPIFFE ID, by `tenant/agent`, or by a name that one tenant's agent has. */
function agent(name: string, data: Value): { is(id: Value): boolean } | string {
  const named = [...agentsOf(data)].filter(([id]) => id === name || isNamed(id, name, data));
  if (named.some(([id]) => id === name)) return { is: (id) => id === name };
  const tenants = new Set(named.map(([id, entry]) => segmentsOf(id)?.tenant ?? tenantOf(entry)));
  if (tenants.size === 0) return `the data has no agent ${name}`;
  if (tenants.size > 1) return `several tenants have an agent ${name}`;
  return { is: (id) => isNamed(id, name, data) };
}

function isNamed(id: Value, name: string, data: Value): boolean {
  const segments = segmentsOf(id);
  const entry = entryOf(data, String(id));
  return [
    [segments?.tenant, segments?.agent],
    [entry?.get('tenant'), entry?.get('agent')],
  ].some(([tenant, called]) => {
    return (
      called !== undefined && (called === name || `${String(tenant)}/${String(called)}` === name)
    );
  });
}

function segmentsOf(id: Value): { tenant: string; agent: string } | undefined {
  const found = /^spiffe:\/\/[^/]+\/agent\/([^/]+)\/([^/]+)\/[^/]+$/.exec(String(id));
  return found === null || typeof id !== 'string'
    ? undefined
    : { tenant: found[1]!, agent: found[2]! };
}

function agentsOf(data: Value): ReadonlyMap<string, Value> {
  const agents = isMap(data) ? data.get('agents') : undefined;
  return agents !== undefined && isMap(agents) ? agents : new Map();
}

function entryOf(data: Value, id: string): ReadonlyMap<string, Value> | undefined {
  const entry = agentsOf(data).get(id);
  return entry !== undefined && isMap(entry) ? entry : undefined;
}

function tenantOf(entry: Value): Value | undefined {
  return isMap(entry) ? entry.get('tenant') : undefined;
}
