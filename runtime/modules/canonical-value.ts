// Canonical JSON (RFC 8785) of values, by the engine's own writer.

const DEPTH_MAX = 64;
/** Of UTF-16, so that no key is over 256 bytes of UTF-8. */
const KEY_UNITS_MAX = 85;

/** What has no canonical form, or one that only the record module can tell. */
const UNKNOWN = Symbol('unknown');

/**
 * A JSON value with the members of its objects in canonical order: itself where they are, which nearly
 * all that services make have. JSON.stringify writes its canonical form, byte for byte what the record
 * module gives, since it writes numbers and escapes as the standard wants them. Undefined for what that
 * module has to judge: no JSON value, or a rare one.
 */
export function canonicalValue(value: unknown): unknown {
  const ordered = inOrder(value, 0);
  return ordered === UNKNOWN ? undefined : ordered;
}

/** Marks bytes that were made canonical here; a copy of them is without it. */
const CANONICAL = Symbol('canonical');
type Marked = Uint8Array & { [CANONICAL]?: true };

/** Notes that these bytes, which nobody changes any more, are canonical JSON. */
export function noteCanonical(bytes: Uint8Array): Uint8Array {
  (bytes as Marked)[CANONICAL] = true;
  return bytes;
}

/** Whether bytes were noted as canonical. */
export function isKnownCanonical(bytes: Uint8Array): boolean {
  return (bytes as Marked)[CANONICAL] === true;
}

function inOrder(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.isWellFormed() ? value : UNKNOWN;
  if (typeof value === 'number') {
    const isPlain = Number.isSafeInteger(value) || !Number.isInteger(value);
    return isPlain && Number.isFinite(value) ? value : UNKNOWN;
  }
  if (typeof value !== 'object') return typeof value === 'boolean' ? value : UNKNOWN;
  if (value === null) return value;
  if (depth === DEPTH_MAX) return UNKNOWN;
  return Array.isArray(value)
    ? arrayInOrder(value, depth)
    : objectInOrder(value as { [key: string]: unknown }, depth);
}

function arrayInOrder(value: unknown[], depth: number): unknown {
  if (Object.getPrototypeOf(value) !== Array.prototype || 'toJSON' in value) return UNKNOWN;
  let ordered = value;
  for (let index = 0; index < value.length; index++) {
    const element = inOrder(value[index], depth + 1);
    if (element === UNKNOWN) return UNKNOWN;
    if (element === value[index]) continue;
    if (ordered === value) ordered = value.slice();
    ordered[index] = element;
  }
  return ordered;
}

function objectInOrder(value: { [key: string]: unknown }, depth: number): unknown {
  // Anything but plain data may have a `toJSON` that JSON.stringify would ask instead.
  if (Object.getPrototypeOf(value) !== Object.prototype || value.toJSON !== undefined) {
    return UNKNOWN;
  }
  let last: string | undefined;
  let count = 0;
  for (const key in value) {
    count++;
    if (key.length > KEY_UNITS_MAX || !key.isWellFormed()) return UNKNOWN;
    const member = inOrder(value[key], depth + 1);
    if (member === UNKNOWN) return UNKNOWN;
    // Comparing texts compares UTF-16 code units, as section 3.2.3 of the standard sorts keys.
    const isBehind = last === undefined || key > last;
    if (!isBehind || member !== value[key]) return sorted(value, depth);
    last = key;
  }
  // JSON.stringify leaves out members that are not enumerable, which others would read.
  return Object.getOwnPropertyNames(value).length === count ? value : UNKNOWN;
}

function sorted(value: { [key: string]: unknown }, depth: number): unknown {
  const copy: { [key: string]: unknown } = {};
  for (const key of Object.keys(value).sort()) {
    // JavaScript keeps no order of such keys, and `__proto__` would not become a member.
    if (isDigit(key.charCodeAt(0)) || key === '__proto__') return UNKNOWN;
    if (key.length > KEY_UNITS_MAX || !key.isWellFormed()) return UNKNOWN;
    const member = inOrder(value[key], depth + 1);
    if (member === UNKNOWN) return UNKNOWN;
    copy[key] = member;
  }
  return copy;
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}
