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

/** Replaces the values of the named members; names that are absent are left out. */
export function replaceMembers(
  canonical: Uint8Array,
  replacements: ReadonlyMap<string, Uint8Array>,
): Uint8Array {
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const member of topLevelMembers(canonical)) {
    const replacement = replacements.get(member.name);
    if (replacement === undefined) continue;
    parts.push(canonical.subarray(from, member.start), replacement);
    from = member.end;
  }
  parts.push(canonical.subarray(from));
  return Buffer.concat(parts);
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
