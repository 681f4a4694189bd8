// The hash by which words are known: FNV-1a, mixed so that its upper bits are as good as its lower ones.

/** The hash of some bytes; never 0. */
export function hashOf(pointer: usize, length: u32): u32 {
  let hash: u32 = 0x811c9dc5;
  for (let i: u32 = 0; i < length; i++) hash = (hash ^ <u32>load<u8>(pointer + i)) * 0x01000193;
  hash ^= hash >> 16;
  hash *= 0x85ebca6b;
  hash ^= hash >> 13;
  hash *= 0xc2b2ae35;
  hash ^= hash >> 16;
  return hash == 0 ? 1 : hash;
}
