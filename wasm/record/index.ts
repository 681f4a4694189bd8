// The record module: canonical JSON, SHA-256, Merkle leaf and node hashes, decision ids.

import { alloc } from '../common/arena';
import { INPUT_INVALID, OK } from '../common/errors';
import { sha256Begin, sha256Byte, sha256End, sha256Update } from '../common/sha256';
import { setOutput } from '../common/writer';

export { output, outputLength, reserve } from '../common/abi';
export { canonicalize } from './canonical';

const HASH_BYTES: u32 = 32;
/** Tag, boundary, module, policy revision, data revision, committed input, output. */
const DECISION_FIELDS: u32 = 7;
/** "platform/decision/v1" */
const TAG: u32 = <u32>(
  memory.data<u8>([
    0x70, 0x6c, 0x61, 0x74, 0x66, 0x6f, 0x72, 0x6d, 0x2f, 0x64, 0x65, 0x63, 0x69, 0x73, 0x69, 0x6f,
    0x6e, 0x2f, 0x76, 0x31,
  ])
);
const TAG_BYTES: u32 = 20;

function finish(): i32 {
  const hash = alloc(HASH_BYTES);
  sha256End(hash);
  setOutput(hash, HASH_BYTES);
  return OK;
}

/** SHA-256 of the input (FIPS 180-4). */
export function sha256(pointer: u32, length: u32): i32 {
  sha256Begin();
  sha256Update(pointer, length);
  return finish();
}

/** Hash of a Merkle leaf: a zero byte, then the data (RFC 6962 section 2.1). */
export function leafHash(pointer: u32, length: u32): i32 {
  sha256Begin();
  sha256Byte(0);
  sha256Update(pointer, length);
  return finish();
}

/** Hash of an inner Merkle node: a one byte, then both children's hashes (RFC 6962 section 2.1). */
export function nodeHash(pointer: u32, length: u32): i32 {
  if (length != HASH_BYTES * 2) return INPUT_INVALID;
  sha256Begin();
  sha256Byte(1);
  sha256Update(pointer, length);
  return finish();
}

/** SHA-256 of a framed decision, after checking that it holds exactly the seven fields, the tag first. */
export function decisionId(pointer: u32, length: u32): i32 {
  let rest = length;
  let p = pointer;
  for (let field: u32 = 0; field < DECISION_FIELDS; field++) {
    if (rest < 4) return INPUT_INVALID;
    const size = bswap(load<u32>(p));
    if (size > rest - 4) return INPUT_INVALID;
    if (field == 0 && (size != TAG_BYTES || memory.compare(p + 4, TAG, TAG_BYTES) != 0)) {
      return INPUT_INVALID;
    }
    p += 4 + size;
    rest -= 4 + size;
  }
  if (rest != 0) return INPUT_INVALID;
  return sha256(pointer, length);
}
