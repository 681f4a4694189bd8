// Generated inputs of the credential boundary.
import fc from 'fast-check';
import type { JsonValue } from '../../json.ts';
import { SAMPLE_OPERATOR, sampleAgent, sampleService } from '../sample-data.ts';
import { agentNumber, counters, identity, moment } from './values.ts';

/** Inputs of the credential boundary. */
export const credentialInput: fc.Arbitrary<JsonValue> = fc
  .record({
    number: agentNumber,
    offset: fc.constantFrom(0, 0, 0, 0, 0, 1, 2),
    name: fc.constantFrom('key', 'key', 'key', 'other'),
    registrar: fc.constantFrom(SAMPLE_OPERATOR, SAMPLE_OPERATOR, SAMPLE_OPERATOR, sampleAgent(1)),
    counters,
  })
  .map(
    (of): JsonValue => ({
      action: 'use',
      identity: identity(sampleAgent(of.number)),
      resource: {
        kind: 'credential',
        name: of.name,
        service: sampleService(of.number + of.offset),
        origin: 'https://api.example',
        registered_by: of.registrar,
      },
      counters: of.counters,
      context: moment,
    }),
  );
