// The values that each place of an input is tried with: constants of both policies and of the data, and their neighbours.
import {
  isJsonObject,
  type JsonObject,
  type JsonPrimitive,
  type JsonValue,
} from '../../../runtime/json.ts';
import { changedIn, scalarsOf } from './changes.ts';
import { isPortable, withNeighbours, wrongTypes } from './neighbours.ts';
import { fitting, isSettable, type Slot } from './slots.ts';
import { keysAt, type Subject, spread, subjectsOf } from './subjects.ts';
import type { Constraint, Path, RuleFacts } from './syntax.ts';

export interface Sources {
  /** Rules of both sides that decide at this boundary. */
  rules: readonly RuleFacts[];
  /** The data of the old and of the new side. */
  data: readonly [JsonObject, JsonObject];
  /** Tenants whose own policies are not the same on both sides. */
  tenants: readonly string[];
}

/** A value to try; undefined takes the member away. */
export type Candidate = JsonValue | undefined;

const CANDIDATES_MAX = 400;
const CONSTANTS_MAX = 300;
const NOON = '2026-01-01T12:00:00.000Z';
/** Each full hour and the moment before it, on a Thursday, then noon of the other days of the week. */
const moments = [
  ...Array.from({ length: 24 }, (_, hour) => Date.UTC(2026, 0, 1, hour)).flatMap((at) => [
    at,
    at - 1,
  ]),
  ...Array.from({ length: 6 }, (_, day) => Date.UTC(2026, 0, 2 + day, 12)),
].map((at) => new Date(at).toISOString());

/** What is known at one boundary; candidates are made once for each place and subject. */
export class Vocabulary {
  readonly subjects: readonly Subject[];
  /** How many of the subjects, the first ones, have other data on the new side. */
  readonly changedSubjects: number;
  readonly #texts: string[];
  readonly #numbers: number[];
  readonly #changed: JsonPrimitive[];
  readonly #data: readonly JsonObject[];
  readonly #compared = new Map<string, JsonPrimitive[]>();
  readonly #lookups = new Map<string, Set<string>>();
  readonly #cache = new Map<Slot, Map<Subject, { plain: Candidate[]; all: Candidate[] }>>();

  constructor({ rules, data, tenants }: Sources) {
    const constants = [...new Set(rules.flatMap((rule) => rule.constants))].filter(isPortable);
    this.#data = data;
    this.#changed = [...changedIn(data[0], data[1])].filter(isPortable);
    const common = new Set<JsonPrimitive>();
    for (const { agents: _, ...others } of data) scalarsOf(others, common);
    const texts = [...constants, ...[...common].filter(isPortable)].filter(
      (value) => typeof value === 'string',
    );
    this.#texts = [...new Set(texts)].slice(0, CONSTANTS_MAX);
    const numbers = [...constants, ...this.#changed, ...[...common].filter(isPortable)];
    this.#numbers = [...new Set(numbers.filter((value) => typeof value === 'number'))];
    for (const { path, values } of rules.flatMap((rule) => rule.constraints))
      this.#add(path, values);
    for (const { path, root } of rules.flatMap((rule) => rule.lookups)) {
      const key = JSON.stringify(path);
      this.#lookups.set(key, (this.#lookups.get(key) ?? new Set()).add(JSON.stringify(root)));
    }
    const { subjects, changed } = subjectsOf(data, texts, tenants);
    this.subjects = subjects;
    this.changedSubjects = changed;
  }

  /** Values that a well-meant request may have here. */
  plain(slot: Slot, subject: Subject): readonly Candidate[] {
    return this.#of(slot, subject).plain;
  }

  /** Those, absence, neighbours, other people's values and wrong types; the telling ones first. */
  all(slot: Slot, subject: Subject): readonly Candidate[] {
    return this.#of(slot, subject).all;
  }

  /** The constants that some rule compares this path with. */
  compared(path: Path): readonly JsonPrimitive[] {
    return this.#compared.get(JSON.stringify(path)) ?? [];
  }

  #add(path: Path, values: readonly JsonPrimitive[]): void {
    const key = JSON.stringify(path);
    const known = this.#compared.get(key) ?? [];
    const all = new Set([...known, ...values.filter(isPortable)]);
    this.#compared.set(key, [...all].slice(0, CONSTANTS_MAX));
  }

  #of(slot: Slot, subject: Subject): { plain: Candidate[]; all: Candidate[] } {
    const ofSlot = this.#cache.get(slot) ?? new Map();
    this.#cache.set(slot, ofSlot);
    let found = ofSlot.get(subject);
    if (found === undefined) {
      const plain = distinct(this.#plain(slot, subject));
      const near = distinct(plain.filter(isPrimitive).slice(0, 48).flatMap(withNeighbours));
      const compared = this.compared(slot.path).flatMap(withNeighbours);
      const said = Array.isArray(slot.schema.enum) ? plain : [];
      const all = [
        ...said,
        undefined,
        ...compared,
        ...plain.slice(0, 12),
        null,
        ...near,
        ...plain.slice(12),
      ];
      const rest = [...this.#strange(slot), ...wrongTypes];
      found = { plain, all: distinct([...all.slice(0, CANDIDATES_MAX), ...rest]) };
      ofSlot.set(subject, found);
    }
    return found;
  }

  /** In the order of how likely they belong here. */
  #plain(slot: Slot, subject: Subject): Candidate[] {
    const { path, schema, isIdentity } = slot;
    if (Array.isArray(schema.enum)) return schema.enum;
    if (isIdentity) {
      const some = [subject, ...spread(this.subjects, 24)];
      return some.map(({ identity }) => fitting(identity, slot));
    }
    const compared = this.compared(path);
    if (schema.type === 'array') return this.#arrays(slot, subject);
    if (schema.type === 'boolean') return [true, false];
    if (schema.type === 'object') return [{}];
    if (schema.type === 'number' || schema.type === 'integer')
      return [1, ...this.#numbersFor(path)];
    if (schema.format === 'date-time') return [NOON, ...compared.filter(isTime), ...moments];
    const name = path.at(-1) ?? '';
    const own = [...(subject.under.get(name) ?? []), ...(subject.under.get(`${name}s`) ?? [])];
    const named = [...this.#keysFor(path, subject), ...own];
    const words = [...this.#changed, ...subject.words].flatMap(withoutStars);
    const texts = [...named.flatMap(withoutStars), ...compared, ...words, ...this.#texts].filter(
      (value) => typeof value === 'string',
    );
    if (schema.type === 'string') return [...texts, 'x'];
    return [...compared, ...this.#numbersFor(path), ...texts, true];
  }

  /** The keys among which some rule looks this path up. */
  #keysFor(path: Path, subject: Subject): string[] {
    const roots = [...(this.#lookups.get(JSON.stringify(path)) ?? [])];
    const keys = roots.flatMap((root) => keysAt(this.#data, JSON.parse(root), subject));
    return [...new Set(keys)].slice(0, CONSTANTS_MAX);
  }

  /** Numbers compared with it, those that the data has under its name, and all others. */
  #numbersFor(path: Path): number[] {
    const name = path.at(-1) ?? '';
    const named = this.#data.flatMap((each) =>
      Object.values(each).map((root) => (isJsonObject(root) ? root[name] : undefined)),
    );
    const all = [...this.compared(path), ...named, ...this.#numbers, 0, 2, 1e6];
    return all.filter((value) => typeof value === 'number').slice(0, CONSTANTS_MAX);
  }

  /** Arrays of none, one and two elements. */
  #arrays(slot: Slot, subject: Subject): Candidate[] {
    const items = isJsonObject(slot.schema.items) ? slot.schema.items : {};
    const path = [...slot.path, '*'];
    const elements = isJsonObject(items.properties)
      ? this.#objects(items, path, subject)
      : this.#plain({ path, schema: items, optional: false, isIdentity: false }, subject);
    const some = distinct(elements).slice(0, 24);
    return [
      [],
      ...some.map((each) => [each]),
      ...some.slice(1).map((each) => [some[0], each]),
    ] as JsonValue[];
  }

  /** Objects that differ from the first in one member. */
  #objects(schema: JsonObject, path: Path, subject: Subject): JsonValue[] {
    const members = Object.entries(schema.properties as JsonObject).map(([name, member]) => {
      const slot = {
        path: [...path, name],
        schema: member as JsonObject,
        optional: true,
        isIdentity: false,
      };
      return [name, this.#plain(slot, subject).filter((value) => value !== undefined)] as const;
    });
    const required = Array.isArray(schema.required) ? schema.required : [];
    const first: JsonObject = {};
    for (const [name, values] of members)
      if (required.includes(name)) first[name] = values[0] ?? null;
    return [
      first,
      ...members.flatMap(([name, values]) =>
        values.slice(0, 6).map((value) => ({ ...first, [name]: value })),
      ),
    ];
  }

  /** What is somebody else's. */
  #strange(slot: Slot): Candidate[] {
    const { schema, isIdentity } = slot;
    if (isIdentity) return this.subjects.slice(-4).map(({ identity }) => fitting(identity, slot));
    if (schema.type !== 'string') return [];
    return spread(this.subjects, 24).flatMap(({ identity }) => Object.values(identity));
  }
}

/** What each of `some`, and all of `rules` that it refers to, compare: one input can satisfy them together. */
export function templatesOf(
  rules: readonly RuleFacts[],
  some: readonly RuleFacts[] = rules,
): Constraint[][] {
  const byName = new Map<string, RuleFacts[]>();
  for (const rule of rules) {
    const name = `${rule.package}.${rule.name}`;
    byName.set(name, [...(byName.get(name) ?? []), rule]);
  }
  const templates = new Map<string, Constraint[]>();
  for (const rule of some) {
    const merged = new Map<string, Constraint>();
    merge(rule, byName, merged, new Set());
    if (merged.size > 0) templates.set(JSON.stringify([...merged.values()]), [...merged.values()]);
  }
  return [...templates.values()].sort((a, b) => a.length - b.length);
}

/** Every two paths that one rule compares with constants; those in arrays are left out. */
export function pairsOf(rules: readonly RuleFacts[]): [Path, Path][] {
  const pairs = new Map<string, [Path, Path]>();
  for (const { constraints } of rules) {
    const paths = constraints.map(({ path }) => path).filter(isSettable);
    for (const [at, first] of paths.entries()) {
      for (const second of paths.slice(at + 1)) {
        const key = JSON.stringify([first, second]);
        if (JSON.stringify(first) !== JSON.stringify(second)) pairs.set(key, [first, second]);
      }
    }
  }
  return [...pairs.values()];
}

function merge(
  rule: RuleFacts,
  byName: Map<string, RuleFacts[]>,
  into: Map<string, Constraint>,
  seen: Set<RuleFacts>,
): void {
  if (seen.has(rule) || seen.size > 64) return;
  seen.add(rule);
  for (const { path, values } of rule.constraints) {
    const key = JSON.stringify(path);
    const known = into.get(key)?.values ?? [];
    const all = [...new Set([...known, ...values.filter(isPortable)])];
    if (all.length > 0 && isSettable(path)) into.set(key, { path, values: all });
  }
  for (const name of rule.uses) {
    for (const used of byName.get(name) ?? []) merge(used, byName, into, seen);
  }
}

function distinct(values: readonly Candidate[]): Candidate[] {
  const seen = new Set<string>();
  return values.filter((value) => {
    if (isPrimitive(value) && !isPortable(value)) return false;
    const key = JSON.stringify(value) ?? 'absent';
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** A pattern, and something that it covers. */
function withoutStars(value: JsonPrimitive): JsonPrimitive[] {
  if (typeof value !== 'string' || !value.includes('*')) return [value];
  return [value.replaceAll('*', 'x'), value];
}

function isPrimitive(value: Candidate): value is JsonPrimitive {
  return value !== undefined && (typeof value !== 'object' || value === null);
}

function isTime(value: JsonPrimitive): value is string {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T/.test(value);
}
