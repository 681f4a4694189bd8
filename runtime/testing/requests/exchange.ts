// Generated inputs of the exchange boundary.
import fc from 'fast-check';
import type { JsonValue } from '../../json.ts';
import { sampleAgent, sampleService } from '../sample-data.ts';
import { agentNumber, moment, nearMiss } from './values.ts';

/** Inputs of the exchange boundary. */
export const exchangeInput: fc.Arbitrary<JsonValue> = fc
  .record({
    number: agentNumber,
    offset: fc.constantFrom(0, 0, 0, 0, 0, 1, 1, 1, 2, 3),
    action: fc.constantFrom(undefined, 'read', 'read', 'read', 'write', 'write', 'delete', null),
    tenantOffset: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 1),
    nearMiss,
  })
  .map(
    (of): JsonValue => ({
      spiffe_id: sampleAgent(of.number) + of.nearMiss,
      service: sampleService(of.number + of.offset),
      tenant: `tenant-${(of.number + of.tenantOffset) % 20}`,
      ...(of.action === undefined ? {} : { action: of.action }),
      context: moment,
    }),
  );
