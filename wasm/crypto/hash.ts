// Hashes and message authentication codes of bytes in memory: MD5, SHA-1 and SHA-2 (FIPS 180-4, RFC 2104).

import { alloc, mark, release } from '../common/arena';
import { sha256Begin, sha256End, sha256Update } from '../common/sha256';
import { md5Begin, md5Block } from './md5';
import { sha1Begin, sha1Block } from './sha1';
import { sha384Begin, sha512Begin, sha512Block } from './sha512';

export const enum Hash {
  Md5,
  Sha1,
  Sha256,
  Sha384,
  Sha512,
}

/** The most bytes that a digest has. */
export const DIGEST_MAX: u32 = 64;

const state: u32 = <u32>memory.data(64, 16);
/** The last bytes of a message with their padding: at most two blocks. */
const tail: u32 = <u32>memory.data(256, 16);

/** Bytes of a hash's digest. */
export function digestBytes(hash: Hash): u32 {
  if (hash == Hash.Md5) return 16;
  if (hash == Hash.Sha1) return 20;
  if (hash == Hash.Sha256) return 32;
  return hash == Hash.Sha384 ? 48 : 64;
}

/** Bytes of a hash's block. */
export function blockBytes(hash: Hash): u32 {
  return hash >= Hash.Sha384 ? 128 : 64;
}

function begin(hash: Hash): void {
  if (hash == Hash.Md5) md5Begin(state);
  else if (hash == Hash.Sha1) sha1Begin(state);
  else if (hash == Hash.Sha384) sha384Begin(state);
  else sha512Begin(state);
}

function block(hash: Hash, p: u32): void {
  if (hash == Hash.Md5) md5Block(state, p);
  else if (hash == Hash.Sha1) sha1Block(state, p);
  else sha512Block(state, p);
}

function finish(hash: Hash, out: u32): void {
  const bytes = digestBytes(hash);
  if (hash == Hash.Md5) memory.copy(out, state, bytes);
  else if (hash == Hash.Sha1) {
    for (let i: u32 = 0; i < bytes; i += 4) store<u32>(out + i, bswap(load<u32>(state + i)));
  } else for (let i: u32 = 0; i < bytes; i += 8) store<u64>(out + i, bswap(load<u64>(state + i)));
}

/** Writes the digest of the bytes, `digestBytes` long, to `out`. */
export function digest(hash: Hash, pointer: u32, length: u32, out: u32): void {
  if (hash == Hash.Sha256) {
    sha256Begin();
    sha256Update(pointer, length);
    sha256End(out);
    return;
  }
  begin(hash);
  const size = blockBytes(hash);
  const rest = length & (size - 1);
  const whole = length - rest;
  for (let i: u32 = 0; i < whole; i += size) block(hash, pointer + i);
  memory.copy(tail, pointer + whole, rest);
  store<u8>(tail + rest, 0x80);
  const end = rest + 1 + (size >> 3) <= size ? size : size << 1;
  memory.fill(tail + rest + 1, 0, end - rest - 1);
  const bits = (<u64>length) << 3;
  store<u64>(
    tail + end - (hash == Hash.Md5 ? size >> 3 : 8),
    hash == Hash.Md5 ? bits : bswap(bits),
  );
  for (let i: u32 = 0; i < end; i += size) block(hash, tail + i);
  finish(hash, out);
}

/** Writes the message's code under the key (RFC 2104), `digestBytes` long, to `out`. */
export function hmac(
  hash: Hash,
  key: u32,
  keyLength: u32,
  message: u32,
  length: u32,
  out: u32,
): void {
  const point = mark();
  const size = blockBytes(hash);
  const bytes = digestBytes(hash);
  const inner = alloc(size + length);
  const outer = alloc(size + bytes);
  memory.fill(inner, 0, size);
  if (keyLength > size) digest(hash, key, keyLength, inner);
  else memory.copy(inner, key, keyLength);
  for (let i: u32 = 0; i < size; i++) {
    const byte = load<u8>(inner + i);
    store<u8>(inner + i, byte ^ 0x36);
    store<u8>(outer + i, byte ^ 0x5c);
  }
  memory.copy(inner + size, message, length);
  digest(hash, inner, size + length, outer + size);
  digest(hash, outer, size + bytes, out);
  release(point);
}

/** Whether two byte strings are equal, in a time that depends on their lengths alone. */
export function equalBytes(a: u32, aLength: u32, b: u32, bLength: u32): bool {
  if (aLength != bLength) return false;
  let difference: u32 = 0;
  for (let i: u32 = 0; i < aLength; i++) difference |= load<u8>(a + i) ^ load<u8>(b + i);
  return difference == 0;
}
