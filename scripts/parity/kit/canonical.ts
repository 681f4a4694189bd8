// The kit's layer of canonical JSON: input bytes to canonical bytes, or to the code of the rule they break.
import fc from 'fast-check';
import { codeOf } from '../../../runtime/errors.ts';
import { hex } from '../../../runtime/hex.ts';
import { hostileJson } from '../../../runtime/testing/json-arbitraries.ts';
import { numberTexts, oddPiece, stringTexts } from '../../../runtime/testing/requests/pieces.ts';
import { base64, bytesOf, type Layer, type Vector } from './layer.ts';

const SEED = 1;
const RANDOM = 150;
const BYTES_MAX = 3000;
const MIB = 1 << 20;

/** A text of which a part is repeated, for the limits: pieces of base64, and how often each stands there. */
function repeated(...pieces: [text: string, times: number][]): Vector {
  return { parts: pieces.map(([text, times]) => ({ base64: base64(Buffer.from(text)), times })) };
}

const limits: Vector[] = [
  repeated(['"', 1], ['x', MIB - 2], ['"', 1]),
  repeated(['"', 1], ['x', MIB - 1], ['"', 1]),
  repeated([' ', MIB - 2], ['{}', 1]),
  repeated([' ', MIB - 1], ['{}', 1]),
  repeated(['[', 64], [']', 64]),
  repeated(['[', 65], [']', 65]),
  repeated(['{"a":', 63], ['[]', 1], ['}', 63]),
  repeated(['{"a":', 64], ['[]', 1], ['}', 64]),
  repeated(['[', 100_000]),
  repeated(['{"', 1], ['k', 256], ['":1}', 1]),
  repeated(['{"', 1], ['k', 257], ['":1}', 1]),
  repeated(['{"', 1], ['\\u00e9', 128], ['":1}', 1]),
  repeated(['{"', 1], ['\\u00e9', 129], ['":1}', 1]),
  repeated(['[', 1], ['0,', 200_000], ['0]', 1]),
];

/** The bytes of a vector's input. */
export function inputOf(vector: Vector): Buffer {
  if (typeof vector.input === 'string') return bytesOf(vector.input);
  const parts = vector.parts as { base64: string; times: number }[];
  return Buffer.concat(
    parts.flatMap(({ base64: text, times }) => new Array<Buffer>(times).fill(bytesOf(text))),
  );
}

export const canonicalLayer: Layer = {
  name: 'canonical',
  inputs() {
    const texts = [...numberTexts, ...stringTexts].map(
      (text): Uint8Array => Buffer.from(`{"b":${text},"a":[]}`),
    );
    const odd = fc.sample(oddPiece, { numRuns: RANDOM, seed: SEED });
    const random = fc.sample(hostileJson(), { numRuns: RANDOM, seed: SEED });
    const all = [...texts, ...odd, ...random].filter(({ length }) => length <= BYTES_MAX);
    const once = new Set(all.map(base64));
    return [...[...once].map((input): Vector => ({ input })), ...limits];
  },
  expect({ record }, vector): Vector {
    let output: Uint8Array;
    try {
      output = record.canonicalize(inputOf(vector));
    } catch (error) {
      return { error: codeOf(error) };
    }
    return vector.parts === undefined
      ? { output: base64(output) }
      : { output_sha256: hex(record.sha256(output)) };
  },
};
