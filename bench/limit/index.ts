// The bare limit: the question of bench/fixtures/keyed.rego, written by hand, on bytes already in memory.

/** A grant: its hash, agent (pointer, length), tool (pointer, length), the most calls a minute. */
const GRANT_BYTES: u32 = 24;
let table: u32 = 0;
let mask: u32 = 0;
let top: u32 = <u32>__heap_base;

/** Reserves memory. */
export function take(bytes: u32): u32 {
  const pointer = (top + 7) & ~7;
  top = pointer + bytes;
  const missing = <i32>((top + 65535) >> 16) - memory.size();
  if (missing > 0) memory.grow(missing);
  return pointer;
}

/** Makes a table of so many slots, a power of two. */
export function begin(slots: u32): void {
  table = take(slots * GRANT_BYTES);
  mask = slots - 1;
}

function hash(pointer: u32, length: u32, seed: u32): u32 {
  let value = seed;
  for (let i: u32 = 0; i < length; i++) value = (value ^ load<u8>(pointer + i)) * 0x01000193;
  return value;
}

/** Adds what an agent may read. */
export function grant(agent: u32, agentLength: u32, tool: u32, toolLength: u32, rate: u32): void {
  const key = hash(tool, toolLength, hash(agent, agentLength, 0x811c9dc5)) | 1;
  let slot = key & mask;
  while (load<u32>(table + slot * GRANT_BYTES) != 0) slot = (slot + 1) & mask;
  const at = table + slot * GRANT_BYTES;
  store<u32>(at, key);
  store<u32>(at, agent, 4);
  store<u32>(at, agentLength, 8);
  store<u32>(at, tool, 12);
  store<u32>(at, toolLength, 16);
  store<u32>(at, rate, 20);
}

/** Decides: 1 for allow. The request holds agent, tool and action (pointer, length each) and the count of calls. */
export function decide(request: u32): u32 {
  const agent = load<u32>(request);
  const agentLength = load<u32>(request, 4);
  const tool = load<u32>(request, 8);
  const toolLength = load<u32>(request, 12);
  const key = hash(tool, toolLength, hash(agent, agentLength, 0x811c9dc5)) | 1;
  for (let slot = key & mask; ; slot = (slot + 1) & mask) {
    const at = table + slot * GRANT_BYTES;
    const known = load<u32>(at);
    if (known == 0) return 0;
    if (known != key || load<u32>(at, 8) != agentLength || load<u32>(at, 16) != toolLength)
      continue;
    if (memory.compare(load<u32>(at, 4), agent, agentLength) != 0) continue;
    if (memory.compare(load<u32>(at, 12), tool, toolLength) != 0) continue;
    const isRead = load<u32>(request, 20) == 4 && load<u32>(load<u32>(request, 16)) == 0x64616572;
    return isRead && load<u32>(request, 24) <= load<u32>(at, 20) ? 1 : 0;
  }
}
