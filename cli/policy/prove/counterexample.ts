// Looks for one real input of a class that the compiled module allows.
import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import { isJsonObject } from '../../../runtime/json.ts';
import type { Evaluation } from './evaluate.ts';
import { type Look, lookFor, mayAllow } from './explore.ts';
import type { Assignment, Held, Subject } from './machine.ts';
import { keyOf } from './values.ts';
import { partsOf } from './who.ts';

/** The answer of the compiled module for an input; undefined where it has none. */
export type Ask = (input: JsonObject) => JsonValue | undefined;

export interface Searching {
  subject: Subject;
  entrypoint: string;
  ask: Ask;
  /** The input's JSON Schema, from which an ordinary input is made. */
  schema: JsonValue | undefined;
  /** JSON Pointer of who asks, and a SPIFFE ID for one that is not listed. */
  identity: string;
  stranger: string;
  /** How many inputs may still be tried, over all searches. */
  budget: { inputs: number };
  /** Evaluates a class, and says whether it may hold what is looked for; allows, unless given. */
  look?: Look;
  /** What the module's answer must be; that it allows, unless given. */
  confirms?: (output: JsonValue) => boolean;
}

const INPUTS_A_CLASS_MAX = 1000;

/**
 * An input that agrees with `held` and that the module answers as looked for. `exhausted` says that every
 * class was looked at and none can be such an input.
 */
export function findInput(
  searching: Searching,
  held: Assignment,
): { input?: JsonObject; exhausted: boolean } {
  const { subject, entrypoint, confirms = allows } = searching;
  const look = searching.look ?? lookFor(subject, entrypoint, mayAllow);
  let left = INPUTS_A_CLASS_MAX;
  let exhausted = true;
  const visit = (at: Map<string, Held>): JsonObject | undefined => {
    const evaluation = look(at);
    if (evaluation === undefined) return undefined;
    for (const [form, read] of formsOf(evaluation.read)) {
      if (--left < 0 || --searching.budget.inputs < 0) {
        exhausted = false;
        return undefined;
      }
      const input = inputOf(searching, at, form, read);
      const output = searching.ask(input);
      if (output !== undefined && confirms(output)) return input;
    }
    const next = nextPointer(evaluation, at);
    if (next === undefined) {
      exhausted = false;
      return undefined;
    }
    const [pointer, constants] = next;
    for (const constant of constants) {
      const found = visit(new Map(at).set(pointer, { is: constant }));
      if (found !== undefined) return found;
    }
    return visit(new Map(at).set(pointer, { not: new Set(constants.map((one) => keyOf(one)!)) }));
  };
  const input = visit(new Map(held));
  return input === undefined ? { exhausted } : { input, exhausted: false };
}

/** The pointer with the fewest constants that nothing holds yet, neither it nor what is around it. */
function nextPointer(evaluation: Evaluation, held: Assignment) {
  const free = [...evaluation.met].filter(([pointer]) =>
    [...held.keys()].every(
      (other) =>
        other !== pointer && !other.startsWith(`${pointer}/`) && !pointer.startsWith(`${other}/`),
    ),
  );
  const [first] = free.sort((a, b) => a[1].size - b[1].size);
  return first === undefined ? undefined : ([first[0], [...first[1].values()]] as const);
}

function allows(output: JsonValue): boolean {
  return isJsonObject(output) && output.allow === true;
}

/** As small as may be, with what the policy looks at besides, with every member, without what it knows. */
const FORMS = ['least', 'read', 'most', 'missing'] as const;

/** Each form, then with all but one of what the policy looks at: a refusal may hang on one that is there. */
function* formsOf(read: ReadonlySet<string>) {
  for (const form of FORMS) yield [form, read] as const;
  for (const left of read) {
    yield ['read', new Set([...read].filter((pointer) => pointer !== left))] as const;
  }
}

/** An ordinary input after the schema, with what is held put in. */
function inputOf(
  searching: Searching,
  held: Assignment,
  form: (typeof FORMS)[number],
  read: ReadonlySet<string>,
): JsonObject {
  const sample = sampleOf(searching.schema, form === 'most');
  const input: JsonObject = isJsonObject(sample) ? sample : {};
  if (form === 'read') for (const pointer of read) fill(input, pointer, read);
  const { identity, stranger } = searching;
  const who = held.get(identity);
  put(input, identity, who === undefined || 'not' in who ? stranger : who.is);
  for (const [pointer, what] of held) {
    if ('is' in what) put(input, pointer, what.is);
    else if (pointer !== identity) put(input, pointer, form === 'missing' ? undefined : 'another');
  }
  completeIdentity(input, held, '');
  for (const name of Object.keys(input)) completeIdentity(input[name], held, `/${name}`);
  return input;
}

/** What a SPIFFE ID says of tenant, agent and role also stands beside it, unless something else is held. */
function completeIdentity(at: JsonValue | undefined, held: Assignment, pointer: string): void {
  if (!isJsonObject(at) || typeof at.spiffe_id !== 'string') return;
  const parts = partsOf(at.spiffe_id);
  for (const [name, part] of Object.entries(parts)) {
    if (Object.hasOwn(at, name) && !held.has(`${pointer}/${name}`)) at[name] = part;
  }
}

/** Puts a text where the policy looks and the sample has nothing. */
function fill(input: JsonObject, pointer: string, read: ReadonlySet<string>): void {
  if ([...read].some((other) => other.startsWith(`${pointer}/`))) return;
  let at: JsonValue | undefined = input;
  for (const name of namesOf(pointer)) {
    at = isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }
  if (at === undefined) put(input, pointer, 'any');
}

function namesOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A value that fits a schema: its first `enum`, its required members, or with `most` all of them. */
function sampleOf(schema: JsonValue | undefined, most = false): JsonValue {
  if (!isJsonObject(schema)) return {};
  if (Array.isArray(schema.enum) && schema.enum[0] !== undefined) return schema.enum[0];
  if (schema.type === 'string') {
    return schema.format === 'date-time' ? '2026-01-05T12:00:00.000Z' : 'any';
  }
  if (schema.type === 'number' || schema.type === 'integer') return 1;
  if (schema.type === 'boolean') return false;
  if (schema.type === 'array') return [];
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const names = most ? Object.keys(properties) : required;
  return Object.fromEntries(names.map((name) => [name, sampleOf(properties[name], most)]));
}

/** Sets, or with undefined deletes, the member at a pointer; objects on the way are made. */
function put(input: JsonObject, pointer: string, value: JsonValue | undefined): void {
  const names = namesOf(pointer);
  const last = names.pop();
  if (last === undefined) return;
  let at = input;
  for (const name of names) {
    const next = Object.hasOwn(at, name) ? at[name] : undefined;
    const member: JsonObject = isJsonObject(next) ? next : {};
    Object.defineProperty(at, name, {
      value: member,
      enumerable: true,
      writable: true,
      configurable: true,
    });
    at = member;
  }
  if (value === undefined) delete at[last];
  else
    Object.defineProperty(at, last, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    });
}
