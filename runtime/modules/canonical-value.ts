// Canonical JSON (RFC 8785) of values that are in its order already, by the engine's own writer.

const DEPTH_MAX = 64;
/** Of UTF-16, so that no key is over 256 bytes of UTF-8. */
const KEY_UNITS_MAX = 85;

/**
 * The canonical text of a JSON value whose objects have their members in canonical order, as nearly all
 * that services make have; undefined for any other value, which the record module has to judge. What is
 * given back is byte for byte what that module gives: JSON.stringify writes numbers and escapes as the
 * standard wants them.
 */
export function canonicalText(value: unknown): string | undefined {
  return isInOrder(value, 0) ? JSON.stringify(value) : undefined;
}

/** Whether JSON.stringify gives the canonical text of the value. */
export function isCanonicalValue(value: unknown): boolean {
  return isInOrder(value, 0);
}

/** Bytes that were made canonical here, so that nobody has to check them again. */
const known = new WeakSet<Uint8Array>();

/** Notes that these bytes, which nobody changes any more, are canonical JSON. */
export function noteCanonical(bytes: Uint8Array): Uint8Array {
  known.add(bytes);
  return bytes;
}

/** Whether bytes were noted as canonical. */
export function isKnownCanonical(bytes: Uint8Array): boolean {
  return known.has(bytes);
}

function isInOrder(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));
  }
  if (typeof value !== 'object') return typeof value === 'boolean';
  if (value === null) return true;
  if (depth === DEPTH_MAX) return false;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      if (!isInOrder(value[index], depth + 1)) return false;
    }
    return true;
  }
  return isObjectInOrder(value as { [key: string]: unknown }, depth);
}

function isObjectInOrder(value: { [key: string]: unknown }, depth: number): boolean {
  // Anything but plain data may have a `toJSON` that JSON.stringify would ask instead.
  if (Object.getPrototypeOf(value) !== Object.prototype || value.toJSON !== undefined) return false;
  let last: string | undefined;
  for (const key in value) {
    // Comparing texts compares UTF-16 code units, as section 3.2.3 of the standard sorts keys.
    if (last !== undefined && key <= last) return false;
    if (key.length > KEY_UNITS_MAX || !key.isWellFormed()) return false;
    if (!isInOrder(value[key], depth + 1)) return false;
    last = key;
  }
  return true;
}
