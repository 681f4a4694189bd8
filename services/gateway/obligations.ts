// Keeps what an allowed call's decision asks for: how large its answer may be, and what of it nobody sees.
import type { Obligation } from '../../runtime/decide/decision.ts';
import { PlatformError } from '../../runtime/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../runtime/json.ts';

/** What stands in place of a value that policy withholds. */
export const REDACTED = '[redacted]';

/** Throws `result_too_large` for a body that is larger than every `max_bytes` lets through. */
export function requireSmall(bytes: number, obligations: readonly Obligation[]): void {
  const limits = obligations.flatMap(({ kind, bytes }) =>
    kind === 'max_bytes' ? [Number(bytes)] : [],
  );
  const most = Math.min(...limits);
  if (bytes <= most) return;
  throw new PlatformError(
    'result_too_large',
    `policy lets at most ${most} bytes of an answer through`,
  );
}

/**
 * The result with the mark in place of every value that a path of a `redact` obligation leads to, and
 * the paths that led to one. Throws `result_not_redactable` where a path meets another form than it was
 * written for: text that it leads into, an array at a member's name, an object at `*`. Who makes the answer
 * could otherwise move the value away from the path.
 */
export function redact(
  result: JsonValue,
  obligations: readonly Obligation[],
): { result: JsonValue; paths: string[] } {
  const all = obligations.flatMap(({ kind, paths }) =>
    kind === 'redact' ? (paths as string[]) : [],
  );
  const paths = [...new Set(all)].sort();
  if (paths.length === 0 || result === null) return { result, paths: [] };
  if (paths.includes('')) return { result: REDACTED, paths: [''] };
  const found: string[] = [];
  let redacted: JsonValue = result;
  for (const path of paths) {
    const before: JsonValue = redacted;
    redacted = without(before, segmentsOf(path));
    if (redacted !== before) found.push(path);
  }
  return { result: redacted, paths: found };
}

/** The unescaped segments of a JSON Pointer (RFC 6901, section 4). */
function segmentsOf(path: string): string[] {
  return path
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The same value where there is nothing at the path. `*` is every element of an array. */
function without(value: JsonValue, [segment, ...rest]: string[]): JsonValue {
  if (segment === undefined) return value === REDACTED ? value : REDACTED;
  if (value === REDACTED || value === null) return value;
  if (Array.isArray(value)) {
    if (!/^(\*|0|[1-9]\d*)$/.test(segment)) throw otherForm();
    const changed = value.map((element, index) =>
      segment === '*' || segment === String(index) ? without(element, rest) : element,
    );
    return changed.every((element, index) => element === value[index]) ? value : changed;
  }
  if (typeof value === 'string' || (isJsonObject(value) && segment === '*')) throw otherForm();
  if (!isJsonObject(value) || !Object.hasOwn(value, segment)) return value;
  const before = value[segment]!;
  const member = without(before, rest);
  return member === before ? value : withMember(value, segment, member);
}

function otherForm(): PlatformError {
  const message = 'policy withholds parts of the answer, and the answer has another form';
  return new PlatformError('result_not_redactable', message);
}

/** A copy with another member; `__proto__` is a member like any other. */
function withMember(object: JsonObject, name: string, member: JsonValue): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [key, key === name ? member : value]),
  );
}
