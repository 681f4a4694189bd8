// The places of an input that can be varied, as its JSON Schema and the policies' references name them.
import { isJsonObject, type JsonObject, type JsonValue } from '../../../runtime/json.ts';
import type { Path } from './syntax.ts';

/** A member of the input at any depth. */
export interface Slot {
  path: Path;
  schema: JsonObject;
  /** Whether the schema lets it be absent. */
  optional: boolean;
  /** An object with `spiffe_id`: somebody, whose members belong together. */
  isIdentity: boolean;
}

const SLOTS_MAX = 256;
const KEY_BYTES_MAX = 256;
const DEPTH_MAX = 8;

/**
 * Every member that the schema declares, and below members that are open (`additionalProperties`),
 * those that the policies read. Elements of arrays are varied as whole arrays.
 */
export function slotsOf(schema: JsonObject, read: readonly Path[]): Slot[] {
  const slots: Slot[] = [];
  const walk = (node: JsonObject, path: Path): void => {
    if (path.length >= DEPTH_MAX) return;
    const declared = isJsonObject(node.properties) ? node.properties : {};
    const required = Array.isArray(node.required) ? node.required : [];
    const open = openMembers(node, declared, path, read);
    for (const [name, member] of [...Object.entries(declared), ...open]) {
      if (slots.length >= SLOTS_MAX || !isJsonObject(member)) continue;
      const isIdentity = isJsonObject(member.properties) && 'spiffe_id' in member.properties;
      const next = [...path, name];
      slots.push({ path: next, schema: member, optional: !required.includes(name), isIdentity });
      walk(member, next);
    }
  };
  walk(schema, []);
  return slots;
}

function openMembers(
  { additionalProperties, type }: JsonObject,
  declared: JsonObject,
  path: Path,
  read: readonly Path[],
): [string, JsonValue][] {
  const isOpen =
    additionalProperties === true || (type === undefined && additionalProperties === undefined);
  if (!isOpen && !isJsonObject(additionalProperties)) return [];
  const names = read
    .filter((each) => each.length > path.length && path.every((name, at) => each[at] === name))
    .map((each) => each[path.length]!);
  const schema = isJsonObject(additionalProperties) ? additionalProperties : {};
  return [...new Set(names)]
    .filter((name) => name !== '*' && !(name in declared) && isKey(name))
    .map((name) => [name, schema]);
}

/** True for a path that can be set: of object members only, each with a key that every host takes. */
export function isSettable(path: Path): boolean {
  return path.length > 0 && path.length < DEPTH_MAX && !path.includes('*') && path.every(isKey);
}

/** A key that every host takes; `__proto__` cannot be set as a member here. */
function isKey(name: string): boolean {
  return name !== '__proto__' && name.isWellFormed() && Buffer.byteLength(name) <= KEY_BYTES_MAX;
}

/** A copy of the value with one member set, or taken away when `to` is undefined; parents are made. */
export function replaced(value: JsonValue, path: Path, to: JsonValue | undefined): JsonValue {
  const [name, ...rest] = path;
  if (name === undefined) return to ?? null;
  const object = isJsonObject(value) ? value : {};
  const { [name]: before, ...others } = object;
  if (to === undefined && (rest.length === 0 || !isJsonObject(before))) {
    return rest.length === 0 ? others : value;
  }
  return { ...object, [name]: replaced(before ?? {}, rest, to) };
}

/** An identity with the members that the schema has at this place. */
export function fitting(identity: JsonObject, { schema }: Slot): JsonObject {
  const declared = isJsonObject(schema.properties) ? schema.properties : {};
  return Object.fromEntries(Object.entries(identity).filter(([name]) => name in declared));
}

/** The member at a path, or undefined. */
export function memberAt(value: JsonValue | undefined, path: Path): JsonValue | undefined {
  let found = value;
  for (const name of path) found = isJsonObject(found) ? found[name] : undefined;
  return found;
}
