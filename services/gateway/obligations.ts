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
 * the paths that led to one. Throws `result_not_redactable` for text, in which no path leads anywhere.
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
  if (typeof result === 'string' && !paths.includes('')) {
    const message = 'policy withholds parts of the answer, and the answer has no parts';
    throw new PlatformError('result_not_redactable', message);
  }
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

/** The same value where the path leads nowhere. `*` is every element of an array. */
function without(value: JsonValue, [segment, ...rest]: string[]): JsonValue {
  if (segment === undefined) return value === REDACTED ? value : REDACTED;
  if (Array.isArray(value)) {
    const changed = value.map((element, index) =>
      segment === '*' || segment === String(index) ? without(element, rest) : element,
    );
    return changed.every((element, index) => element === value[index]) ? value : changed;
  }
  if (!isJsonObject(value) || !Object.hasOwn(value, segment)) return value;
  const before = value[segment]!;
  const member = without(before, rest);
  return member === before ? value : withMember(value, segment, member);
}

/** A copy with another member; `__proto__` is a member like any other. */
function withMember(object: JsonObject, name: string, member: JsonValue): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [key, key === name ? member : value]),
  );
}
