// Header maps as the proxy-wasm ABI has them in memory.
// https://github.com/proxy-wasm/spec/tree/main/abi-versions/v0.2.1#serialization
import type { HeaderPairs } from './filter.ts';

export const PAIRS_MAX = 1024;
export const PAIRS_BYTES_MAX = 1 << 20;

/** The count, the lengths of each name and value, then each with a final NUL; little-endian. */
export function encodePairs(pairs: HeaderPairs): Uint8Array {
  let size = 4;
  for (const [name, value] of pairs) size += 8 + name.length + 1 + value.length + 1;
  const bytes = Buffer.alloc(size);
  bytes.writeUInt32LE(pairs.length, 0);
  let at = 4;
  for (const [name, value] of pairs) {
    bytes.writeUInt32LE(name.length, at);
    bytes.writeUInt32LE(value.length, at + 4);
    at += 8;
  }
  for (const [name, value] of pairs) {
    at += bytes.write(name, at, 'latin1') + 1;
    at += bytes.write(value, at, 'latin1') + 1;
  }
  return bytes;
}

/** The pairs, or undefined when the bytes are not exactly a map, or too many. */
export function decodePairs(bytes: Uint8Array): HeaderPairs | undefined {
  // An empty map may be no byte at all, or one zero byte.
  if (bytes.length === 0 || (bytes.length === 1 && bytes[0] === 0)) return [];
  if (bytes.length < 4 || bytes.length > PAIRS_BYTES_MAX) return undefined;
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const count = source.readUInt32LE(0);
  if (count > PAIRS_MAX || 4 + count * 8 > source.length) return undefined;
  const pairs: HeaderPairs = [];
  let at = 4 + count * 8;
  const take = (length: number): string | undefined => {
    const end = at + length;
    if (end >= source.length || source[end] !== 0) return undefined;
    const text = source.toString('latin1', at, end);
    at = end + 1;
    return text;
  };
  for (let index = 0; index < count; index++) {
    const name = take(source.readUInt32LE(4 + index * 8));
    const value = take(source.readUInt32LE(8 + index * 8));
    if (name === undefined || value === undefined) return undefined;
    pairs.push([name, value]);
  }
  return at === source.length ? pairs : undefined;
}
