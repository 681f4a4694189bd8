// Generated inputs of the mesh boundary.
import fc from 'fast-check';
import type { JsonValue } from '../../json.ts';
import { SAMPLE_GATEWAY, SAMPLE_OPERATOR, sampleAgent } from '../sample-data.ts';
import { agentNumber, identity, moment } from './values.ts';

/** Inputs of the mesh boundary. */
export const meshInput: fc.Arbitrary<JsonValue> = fc
  .record({
    peer: fc.oneof(
      { weight: 6, arbitrary: agentNumber.map(sampleAgent) },
      { weight: 1, arbitrary: fc.constantFrom(SAMPLE_GATEWAY, SAMPLE_OPERATOR) },
    ),
    nearMiss: fc.constantFrom(...Array<string>(9).fill(''), '/', 'x', '%2f'),
    name: fc.constantFrom('gateway', 'gateway', 'vault', 'vault', 'vault', 'billing'),
    action: fc.constantFrom('connect', 'connect', 'connect', 'connect', 'connect', 'listen'),
  })
  .map(
    (of): JsonValue => ({
      action: of.action,
      identity: of.peer.includes('/agent/')
        ? identity(of.peer + of.nearMiss)
        : { ...identity(''), spiffe_id: of.peer + of.nearMiss },
      resource: { kind: 'service', name: of.name },
      context: moment,
    }),
  );
