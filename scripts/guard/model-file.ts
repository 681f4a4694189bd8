// The form of wasm/guard/models/*.bin: a header of 64 bytes and one signed byte for each bucket, 64 KB in all.

import type { Rounded } from './logistic.ts';

export const HEADER_BYTES = 64;
export const MODEL_BYTES = 65536;
/** How many buckets the features are hashed into; wasm/guard/model/features.ts has the same number. */
export const BUCKETS = MODEL_BYTES - HEADER_BYTES;
/** "ATLM". */
const MAGIC = 0x4d4c5441;
/** Log-odds are in thousandths; the square root of the number of features is taken with eight more bits. */
const FIXED = 1000 * 256;

/**
 * The bytes of a model: magic, bias in thousandths (i32), then the unit of the weights such that the
 * log-odds are bias + sum * unit / isqrt(features * 65536) (u32); all little endian.
 */
export function encodeModel({ weights, unit, bias }: Rounded): Uint8Array {
  if (weights.length !== BUCKETS) throw new Error(`a model has ${BUCKETS} weights`);
  const bytes = new Uint8Array(MODEL_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC, true);
  view.setInt32(4, Math.round(bias * 1000), true);
  view.setUint32(8, Math.round(unit * FIXED), true);
  bytes.set(new Uint8Array(weights.buffer, weights.byteOffset, weights.length), HEADER_BYTES);
  return bytes;
}

/** The model that the bytes hold; throws when they hold none. */
export function decodeModel(bytes: Uint8Array): Rounded {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length !== MODEL_BYTES || view.getUint32(0, true) !== MAGIC) {
    throw new Error('these are not the bytes of a model');
  }
  return {
    weights: Int8Array.from(new Int8Array(bytes.buffer, bytes.byteOffset + HEADER_BYTES, BUCKETS)),
    bias: view.getInt32(4, true) / 1000,
    unit: view.getUint32(8, true) / FIXED,
  };
}
