// The place that is being looked at, in a schema or in the arguments, written as a JSON Pointer (RFC 6901) or, for
// members that the schema does not name, with `*` and their index in canonical order.

import { alloc, persist } from '../common/arena';
import { writeByte, writeJsonByte, writeU32 } from '../common/writer';
import { POINTER_BYTES_MAX } from './limits';

/** Tokens of the deepest place: JSON has at most 64 levels; the rest is slack that no input reaches. */
const TOKENS_MAX: u32 = 72;

/** Stands in a token for the address of a key: what follows is the index of a member. */
const UNNAMED: u32 = 1;

const TOKENS: u32 = takeTokens();
let depth: u32 = 0;

function takeTokens(): u32 {
  const tokens = alloc(TOKENS_MAX * 8);
  persist();
  return tokens;
}

/** Goes back to the root. */
export function resetPath(): void {
  depth = 0;
}

/** Goes to the member with this key. */
export function enterKey(pointer: u32, length: u32): void {
  assert(depth < TOKENS_MAX);
  store<u32>(TOKENS + depth * 8, pointer);
  store<u32>(TOKENS + depth * 8, length, 4);
  depth++;
}

/** Goes to the element with this index. */
export function enterIndex(index: u32): void {
  // No key lies at address 0 or 1.
  enterKey(0, index);
}

/**
 * Goes to the member with this index in canonical order, whose name the schema does not say: the name
 * is the caller's content, and an answer holds none of that.
 */
export function enterUnnamed(index: u32): void {
  enterKey(UNNAMED, index);
}

/** Goes back to the container. */
export function leave(): void {
  depth--;
}

function tokenBytes(token: u32): u32 {
  if (load<u32>(token) <= UNNAMED) return 11;
  let bytes = load<u32>(token, 4);
  const end = load<u32>(token) + bytes;
  for (let at = load<u32>(token); at < end; at++) {
    const byte = load<u8>(at);
    if (byte == 0x7e || byte == 0x2f) bytes++;
  }
  return bytes;
}

/** Writes the place as a JSON string; of a pointer that is too long, the nearest ancestor that fits. */
export function writePointer(): void {
  writeByte(0x22);
  let bytes: u32 = 0;
  for (let index: u32 = 0; index < depth; index++) {
    const token = TOKENS + index * 8;
    bytes += 1 + tokenBytes(token);
    if (bytes > POINTER_BYTES_MAX) break;
    writeByte(0x2f);
    writeToken(token);
  }
  writeByte(0x22);
}

function writeToken(token: u32): void {
  const pointer = load<u32>(token);
  const length = load<u32>(token, 4);
  if (pointer <= UNNAMED) {
    if (pointer == UNNAMED) writeByte(0x2a);
    writeU32(length);
    return;
  }
  for (let index: u32 = 0; index < length; index++) {
    const byte = <u32>load<u8>(pointer + index);
    if (byte == 0x7e || byte == 0x2f) {
      writeByte(0x7e);
      writeByte(byte == 0x7e ? 0x30 : 0x31);
    } else {
      writeJsonByte(byte);
    }
  }
}
