// What stands in an id in place of a secret or a prompt: a salted commitment (runtime/decide/commitment.ts).

import { alloc } from '../common/arena';
import { sha256Begin, sha256End } from '../common/sha256';
import { beginOutput, outputBytes, outputPointer, writeAscii, writeBytes } from '../common/writer';
import { SALT_BYTES } from './facts';
import { frame, frameText, fromHex } from './frames';
import { firstMember, keyEnd, keyStart, nextMember, valueEnd, valueStart } from './members';
import { isCommitted, Module } from './module';
import { hex } from './text';

const HASH_BYTES: u32 = 32;

/** Length of what the last call gave. */
export let committedLength: u32 = 0;

/** Canonical input with its committed fields replaced; `salt` is 64 hexadecimal digits. */
export function commitFields(
  module: Module,
  boundary: u32,
  boundaryLength: u32,
  input: u32,
  length: u32,
  salt: u32,
): u32 {
  beginOutput();
  let from = input;
  let has = firstMember(input, length);
  while (has) {
    if (isCommitted(module, boundary, boundaryLength, keyStart, keyEnd - keyStart)) {
      writeBytes(from, valueStart - from);
      writeCommitment(salt, keyStart, keyEnd - keyStart, valueStart, valueEnd - valueStart);
      from = valueEnd;
    }
    has = nextMember();
  }
  writeBytes(from, input + length - from);
  return finish();
}

/** The commitment over all of an input that cannot be read. */
export function commitWhole(raw: u32, length: u32, salt: u32): u32 {
  beginOutput();
  writeCommitment(salt, 0, 0, raw, length);
  return finish();
}

function finish(): u32 {
  committedLength = outputBytes();
  return outputPointer();
}

/** Each field has a salt of its own, so that opening one says nothing of the others. */
function writeCommitment(salt: u32, name: u32, nameLength: u32, value: u32, length: u32): void {
  const hash = alloc(HASH_BYTES);
  sha256Begin();
  frameText('platform/salt/v1');
  frame(fromHex(salt, SALT_BYTES), HASH_BYTES);
  frame(name, nameLength);
  sha256End(hash);
  sha256Begin();
  frameText('platform/commitment/v1');
  frame(hash, HASH_BYTES);
  frame(name, nameLength);
  frame(value, length);
  sha256End(hash);
  writeAscii('{"$commitment":"sha256:');
  writeBytes(hex(hash, HASH_BYTES), HASH_BYTES << 1);
  writeAscii('"}');
}
