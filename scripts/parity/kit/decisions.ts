// The kit's layers of decisions: one for each module, from a request to its output, committed input and id.
import type { Boundary, DecisionModule } from '../../../runtime/decide/boundary.ts';
import { hex } from '../../../runtime/hex.ts';
import { hostileRequests, type SampleRequest } from '../../../runtime/testing/sample-requests.ts';
import { base64, bytesOf, hexOf, type Layer, type Vector } from './layer.ts';

const SEED = 8;
const CANDIDATES = 30_000;
const BYTES_MAX = 2500;

/** So many vectors of each boundary and reason. */
const kept: Record<DecisionModule, { each: number; by: 'boundary' | 'reason' }> = {
  authorization: { each: 2, by: 'boundary' },
  arguments: { each: 14, by: 'reason' },
  guard: { each: 14, by: 'reason' },
  scope: { each: 6, by: 'reason' },
};

let candidates: SampleRequest[] | undefined;

/** Requests of a module, a few of every kind of answer. */
function chosen(module: DecisionModule, reasonOf: (request: SampleRequest) => string): Vector[] {
  candidates ??= hostileRequests(CANDIDATES, SEED);
  const { each, by } = kept[module];
  const counts = new Map<string, number>();
  const vectors: Vector[] = [];
  for (const request of candidates) {
    if (request.module !== module || request.input.length > BYTES_MAX) continue;
    const key = `${by === 'boundary' ? request.boundary : ''} ${reasonOf(request)}`;
    const count = counts.get(key) ?? 0;
    if (count >= each) continue;
    counts.set(key, count + 1);
    vectors.push({
      ...{ boundary: request.boundary, module, input: base64(request.input) },
      salt: hex(request.salt),
      ...(request.schema && { schema: base64(request.schema) }),
    });
  }
  return vectors;
}

function layerOf(module: DecisionModule): Layer {
  return {
    name: module,
    inputs: ({ decider }) => chosen(module, (request) => decider.decide(request).reason.code),
    expect({ decider }, vector) {
      const decision = decider.decide({
        ...{ boundary: vector.boundary as Boundary, module },
        ...{ input: bytesOf(vector.input), salt: hexOf(vector.salt) },
        ...(vector.schema === undefined ? {} : { schema: bytesOf(vector.schema) }),
      });
      return {
        committed_input: base64(decision.committedInput),
        output: base64(decision.outputBytes),
        id: decision.id,
      };
    },
  };
}

export const decisionLayers: readonly Layer[] = (
  ['scope', 'arguments', 'guard', 'authorization'] as const
).map(layerOf);
