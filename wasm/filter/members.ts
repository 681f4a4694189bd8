// Walks the top-level members of canonical JSON, without parsing the rest (runtime/decide/members.ts).

/** The member that is looked at: its key's text, which may hold escapes, and its value's. */
export let keyStart: u32 = 0;
export let keyEnd: u32 = 0;
export let valueStart: u32 = 0;
export let valueEnd: u32 = 0;

let limit: u32 = 0;

/** Goes to the first member; false when there is none. The text must be canonical. */
export function firstMember(canonical: u32, length: u32): bool {
  if (length < 3 || load<u8>(canonical) != 0x7b || load<u8>(canonical, 1) == 0x7d) return false;
  limit = canonical + length;
  readMember(canonical + 1);
  return true;
}

/** Goes to the next one; false behind the last. */
export function nextMember(): bool {
  if (valueEnd + 1 >= limit) return false;
  readMember(valueEnd + 1);
  return true;
}

function readMember(at: u32): void {
  keyStart = at + 1;
  keyEnd = endOfString(at) - 1;
  valueStart = keyEnd + 2;
  valueEnd = endOfValue(valueStart);
}

function endOfString(start: u32): u32 {
  let at = start + 1;
  while (load<u8>(at) != 0x22) at += load<u8>(at) == 0x5c ? 2 : 1;
  return at + 1;
}

/** Behind the value that begins at `start`: the next comma or closing brace at its depth. */
function endOfValue(start: u32): u32 {
  let depth: u32 = 0;
  let at = start;
  while (true) {
    const byte = <u32>load<u8>(at);
    if (byte == 0x22) {
      at = endOfString(at);
      continue;
    }
    if (byte == 0x7b || byte == 0x5b) depth += 1;
    else if (byte == 0x7d || byte == 0x5d) {
      if (depth == 0) return at;
      depth -= 1;
    } else if (byte == 0x2c && depth == 0) return at;
    at += 1;
  }
}
