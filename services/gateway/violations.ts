// Names, for the caller alone, the members that a violation's pointer gives only the index of.
import { isJsonObject, type JsonObject, type JsonValue } from '../../runtime/json.ts';

/**
 * The violations with each `*<index>` of a pointer (see docs/arguments.md) replaced by the name of that
 * member of the caller's own arguments. For the answer only: evidence keeps the violations as they are.
 */
export function withNames(violations: readonly JsonValue[], args: JsonObject): JsonValue[] {
  return violations.map((violation) =>
    isJsonObject(violation) && typeof violation.pointer === 'string'
      ? { ...violation, pointer: named(violation.pointer, args) }
      : violation,
  );
}

function named(pointer: string, args: JsonObject): string {
  let place: JsonValue | undefined = args;
  const tokens = pointer.split('/').slice(1);
  const names = tokens.map((token) => {
    const plain = token.replaceAll('~1', '/').replaceAll('~0', '~');
    const name = isJsonObject(place) ? memberOf(place, plain) : plain;
    if (isJsonObject(place)) place = Object.hasOwn(place, name) ? place[name] : undefined;
    else place = Array.isArray(place) ? place[Number(name)] : undefined;
    return name.replaceAll('~', '~0').replaceAll('/', '~1');
  });
  return names.map((name) => `/${name}`).join('');
}

/** A member of the name itself comes first: schemas may well name one `*0`. */
function memberOf(object: JsonObject, token: string): string {
  if (Object.hasOwn(object, token) || !/^\*\d+$/.test(token)) return token;
  // The default order of strings is by UTF-16 code units, as canonical JSON wants it.
  return Object.keys(object).sort()[Number(token.slice(1))] ?? token;
}
