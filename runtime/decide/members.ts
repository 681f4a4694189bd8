// Finds and replaces top-level members in canonical JSON bytes, without parsing the rest.

/** A top-level member of a canonical JSON object: where its value begins and ends. */
export interface Member {
  name: string;
  start: number;
  end: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const decoder = new TextDecoder();

/**
 * Lists the members of a canonical JSON object (RFC 8785: no white space, keys sorted).
 * Returns none for any other value. The bytes must come from the `record` module.
 */
export function topLevelMembers(canonical: Uint8Array): Member[] {
  const members: Member[] = [];
  if (canonical[0] !== 0x7b || canonical[1] === 0x7d) return members;
  let at = 1;
  while (at < canonical.length) {
    const keyEnd = endOfString(canonical, at);
    const name = JSON.parse(decoder.decode(canonical.subarray(at, keyEnd))) as string;
    const start = keyEnd + 1;
    const end = endOfValue(canonical, start);
    members.push({ name, start, end });
    at = end + 1;
  }
  return members;
}

/**
 * Finds the members with the given ASCII names (which no canonical key spells with escapes), in the
 * order of the object.
 */
export function findMembers(canonical: Uint8Array, names: readonly string[]): Member[] {
  const found: Member[] = [];
  if (canonical[0] !== 0x7b || canonical[1] === 0x7d) return found;
  let at = 1;
  while (at < canonical.length && found.length < names.length) {
    const keyEnd = endOfString(canonical, at);
    const name = names.find((candidate) => isKey(canonical, at + 1, keyEnd - 1, candidate));
    const start = keyEnd + 1;
    const end = endOfValue(canonical, start);
    if (name !== undefined) found.push({ name, start, end });
    at = end + 1;
  }
  return found;
}

function isKey(bytes: Uint8Array, start: number, end: number, name: string): boolean {
  if (end - start !== name.length) return false;
  for (let i = 0; i < name.length; i++) {
    if (bytes[start + i] !== name.charCodeAt(i)) return false;
  }
  return true;
}

/** Replaces values: `members` as `findMembers` gave them, `values` beside them. */
export function spliceMembers(
  canonical: Uint8Array,
  members: readonly Member[],
  values: readonly Uint8Array[],
): Uint8Array {
  let size = canonical.length;
  members.forEach((member, index) => {
    size += values[index]!.length - (member.end - member.start);
  });
  const spliced = new Uint8Array(size);
  let from = 0;
  let at = 0;
  members.forEach((member, index) => {
    spliced.set(canonical.subarray(from, member.start), at);
    at += member.start - from;
    spliced.set(values[index]!, at);
    at += values[index]!.length;
    from = member.end;
  });
  spliced.set(canonical.subarray(from), at);
  return spliced;
}

/** Replaces the values of the named members; names that are absent are left out. */
export function replaceMembers(
  canonical: Uint8Array,
  replacements: ReadonlyMap<string, Uint8Array>,
): Uint8Array {
  const members = findMembers(canonical, [...replacements.keys()]);
  return spliceMembers(
    canonical,
    members,
    members.map((member) => replacements.get(member.name)!),
  );
}

function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

/** The position behind the value that begins at `start`: the next comma or closing brace at its depth. */
function endOfValue(bytes: Uint8Array, start: number): number {
  let depth = 0;
  let at = start;
  for (;;) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      at = endOfString(bytes, at);
      continue;
    }
    if (byte === 0x7b || byte === 0x5b) depth += 1;
    else if (byte === 0x7d || byte === 0x5d) {
      if (depth === 0) return at;
      depth -= 1;
    } else if (byte === 0x2c && depth === 0) return at;
    at += 1;
  }
}
