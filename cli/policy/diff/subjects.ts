// Who may ask, out of the data and the policies: known identities, strangers, and what data says of each.
import { isJsonObject, type JsonObject, type JsonValue } from '../../../runtime/json.ts';

/** An identity, and the words that the data of both sides hold about it. */
export interface Subject {
  identity: JsonObject;
  /** Keys and texts of its entries, the shallow first; its scopes and the parts of its name. */
  words: string[];
  /** The same by the member that they stand under: `resources` has the names of services. */
  under: Map<string, string[]>;
}

const SUBJECTS_MAX = 96;
const WORDS_MAX = 160;
const SPIFFE = 'spiffe://';

/**
 * Those come first whose data differ between the two sides, or whose tenant is one of `tenants`, as far
 * as there is room; `changed` is how many they are.
 */
export function subjectsOf(
  data: readonly JsonObject[],
  mentioned: readonly string[],
  tenants: readonly string[],
): { subjects: Subject[]; changed: number } {
  const known = data.flatMap((each) => Object.values(each)).flatMap(keysOf);
  const ids = [...new Set([...known, ...mentioned])].filter(isIdentity);
  const isChanged = (id: string) =>
    entriesOf(id, data.slice(0, 1)) !== entriesOf(id, data.slice(1));
  const isOfTenant = (id: string) => tenants.includes(id.split('/')[4] ?? '');
  const changed = [...new Set([...ids.filter(isChanged), ...ids.filter(isOfTenant)])];
  changed.splice(SUBJECTS_MAX);
  const others = spread(
    ids.filter((id) => !changed.includes(id)),
    SUBJECTS_MAX - changed.length,
  );
  const first = ids[0] ?? `${SPIFFE}platform.local/agent/acme/bot/main`;
  const all = [...changed, ...others, ...strangersTo(first)];
  return { subjects: all.map((id) => subjectOf(id, data)), changed: changed.length };
}

/** Identities that look like the one that is given, and one like nobody. */
function strangersTo(id: string): string[] {
  const parts = id.split('/');
  const at = (index: number, change: (part: string) => string) =>
    parts.map((part, each) => (each === index ? change(part) : part)).join('/');
  return [
    `${SPIFFE}${parts[2]}/agent/stranger/unknown/main`,
    at(4, (tenant) => `${tenant}-x`),
    at(2, (domain) => `x.${domain}`),
    `${id}x`,
  ];
}

function subjectOf(spiffeId: string, data: readonly JsonObject[]): Subject {
  const [domain = '', kind = '', ...names] = spiffeId.slice(SPIFFE.length).split('/');
  const [tenant = '', agent = '', role = ''] = kind === 'agent' ? names : [];
  const identity = { spiffe_id: spiffeId, trust_domain: domain, tenant, agent, role };
  const scope = `${SPIFFE}${domain}/${kind}`;
  const scopes = kind === 'agent' ? [`${scope}/${tenant}/*`, `${scope}/${tenant}/${agent}/*`] : [];
  const words = new Set(
    [spiffeId, ...scopes, domain, ...names, role].filter((word) => word !== ''),
  );
  const under = new Map<string, string[]>();
  const keys = [spiffeId, ...scopes, tenant].filter((key) => key !== '');
  for (const roots of data.flatMap((each) => Object.values(each))) {
    for (const key of keys) {
      const entry = isJsonObject(roots) ? roots[key] : undefined;
      if (entry !== undefined) collect(entry, '', words, under);
    }
  }
  return { identity, words: [...words].slice(0, WORDS_MAX), under };
}

/** Breadth first, so that the names of services come before what is said of them. */
function collect(
  entry: JsonValue,
  member: string,
  words: Set<string>,
  under: Map<string, string[]>,
): void {
  let level: [string, JsonValue][] = [[member, entry]];
  while (level.length > 0 && words.size < WORDS_MAX) {
    const next: [string, JsonValue][] = [];
    for (const [name, value] of level) {
      const found = textsIn(value);
      for (const text of found) words.add(text);
      under.set(name, [...(under.get(name) ?? []), ...found].slice(0, WORDS_MAX));
      if (isJsonObject(value)) next.push(...Object.entries(value));
      else if (Array.isArray(value))
        next.push(...value.map((each) => [name, each] as [string, JsonValue]));
    }
    level = next.slice(0, WORDS_MAX);
  }
}

function textsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  return isJsonObject(value) ? Object.keys(value) : [];
}

function keysOf(root: JsonValue): string[] {
  if (!isJsonObject(root)) return [];
  const below = Object.values(root).flatMap((each) =>
    isJsonObject(each) ? Object.values(each).filter(isJsonObject).flatMap(Object.keys) : [],
  );
  return [...Object.keys(root), ...new Set(below)];
}

function isIdentity(text: string): boolean {
  return text.startsWith(SPIFFE) && !text.endsWith('*') && text.split('/').length >= 5;
}

function entriesOf(id: string, data: readonly JsonObject[]): string {
  return JSON.stringify(
    data.map((each) => Object.values(each).map((root) => (isJsonObject(root) ? root[id] : null))),
  );
}

/**
 * The keys of a place in the data of both sides; below `*` only the subject's own entry where it has
 * one, else everybody's, bounded.
 */
export function keysAt(
  data: readonly JsonObject[],
  root: readonly string[],
  { identity }: Subject,
): string[] {
  let places: JsonValue[] = [...data];
  for (const name of root) {
    places = places.filter(isJsonObject).flatMap((place) => {
      if (name !== '*') return [place[name] ?? null];
      const own = [identity.spiffe_id, identity.tenant].flatMap((key) => place[String(key)] ?? []);
      return own.length > 0 ? own : spread(Object.values(place), WORDS_MAX);
    });
    places = places.slice(0, WORDS_MAX);
  }
  return [
    ...new Set(
      places.filter(isJsonObject).flatMap((place) => spread(Object.keys(place), WORDS_MAX)),
    ),
  ];
}

/** At most `count` of the list, taken from all over it. */
export function spread<T>(list: readonly T[], count: number): T[] {
  if (list.length <= count) return [...list];
  return Array.from({ length: count }, (_, at) => list[Math.floor((at * list.length) / count)]!);
}
