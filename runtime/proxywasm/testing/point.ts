// What the tests of a decision point share: requests as programs without an SDK post them, and a filter to post them to.
import * as assert from 'uvu/assert';
import type { LoadedPair } from '../../bundle/pair.ts';
import { SAMPLE_TRUST_DOMAIN, sampleAgent } from '../../testing/sample-data.ts';
import type { SampleRequest } from '../../testing/sample-requests.ts';
import type { Filter } from '../filter.ts';
import { meshFilter } from '../mesh-filter.ts';
import { peerProperties } from './mesh.ts';

/** A request as it is on the wire. */
export interface WireRequest {
  boundary: string;
  module: string;
  input: string;
  salt: string;
  schema?: string;
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

/** The wire's form of a request. */
export function wireOf({ boundary, module, input, salt, schema }: SampleRequest): WireRequest {
  return {
    ...{ boundary, module, input: base64(input), salt: Buffer.from(salt).toString('hex') },
    ...(schema === undefined ? {} : { schema: base64(schema) }),
  };
}

/** A filter that answers decision requests of a peer that its policy lets in. */
export function decisionPoint(pair: LoadedPair): Filter {
  return meshFilter(pair, { service: 'vault', trustDomain: SAMPLE_TRUST_DOMAIN, decide: true });
}

/** Posts a body in these parts, and gives the answer of the filter. */
export function post(filter: Filter, ...parts: (string | Uint8Array)[]) {
  const stream = filter.stream(peerProperties(sampleAgent(1)));
  let verdict = stream.requestHeaders([[':method', 'POST']], parts.length === 0);
  for (const [index, part] of parts.entries()) {
    assert.is(verdict.kind, 'wait');
    verdict = stream.requestBody(Buffer.from(part), index === parts.length - 1);
    if (verdict.kind === 'respond') break;
  }
  stream.end();
  assert.is(verdict.kind, 'respond');
  if (verdict.kind !== 'respond') throw new Error('the filter answers itself');
  return { status: verdict.status, body: Buffer.from(verdict.body).toString() };
}
