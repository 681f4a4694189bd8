// Generated inputs of the console boundary.
import fc from 'fast-check';
import type { JsonValue } from '../../json.ts';
import { SAMPLE_OPERATOR, sampleAgent } from '../sample-data.ts';
import { identity, moment } from './values.ts';

/** Inputs of the console boundary. */
export const consoleInput: fc.Arbitrary<JsonValue> = fc
  .record({
    action: fc.constantFrom('view', 'approve', 'operate', 'destroy'),
    operator: fc.constantFrom(true, true, true, false),
    name: fc.constantFrom('approvals', 'telemetry', 'agents'),
  })
  .map(
    (of): JsonValue => ({
      action: of.action,
      identity: {
        ...identity(of.operator ? SAMPLE_OPERATOR : sampleAgent(1)),
      },
      resource: { kind: 'console', name: of.name },
      context: moment,
    }),
  );
