// Generated inputs of the sandbox boundary.
import fc from 'fast-check';
import type { JsonValue } from '../../json.ts';
import { sampleAgent } from '../sample-data.ts';
import { agentNumber, identity, moment, mostly, nearMiss } from './values.ts';

/** Inputs of the sandbox boundary. */
export const sandboxInput: fc.Arbitrary<JsonValue> = fc
  .record({
    number: agentNumber,
    nearMiss,
    language: mostly('python', ['bash', 'javascript', 'Python', '']),
    timeout: fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: 1, max: 20 }) },
      { weight: 1, arbitrary: fc.constantFrom<JsonValue>(0, -1, 21, 31, 0.5, 1e9, null, '1') },
    ),
    memory: fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: 1, max: 512 }) },
      { weight: 1, arbitrary: fc.constantFrom<JsonValue>(0, -1, 513, null, '1') },
    ),
    packages: mostly<JsonValue>(
      [],
      [['numpy'], ['numpy', 'left-pad'], 'numpy', { numpy: 'numpy' }],
    ),
    envVars: mostly<JsonValue>([], [['REGION'], ['REGION', 'LD_PRELOAD'], { REGION: 'REGION' }]),
    network: mostly<JsonValue>(false, [true, null, 0]),
    counters: fc.record({
      agent_minute: fc.integer({ min: 1, max: 63 }),
      tenant_minute: fc.integer({ min: 1, max: 310 }),
    }),
  })
  .map(
    (of): JsonValue => ({
      action: 'exec',
      identity: identity(sampleAgent(of.number) + of.nearMiss),
      resource: {
        kind: 'sandbox',
        language: of.language,
        timeout_seconds: of.timeout,
        memory_mb: of.memory,
        packages: of.packages,
        env_vars: of.envVars,
        network: of.network,
      },
      counters: of.counters,
      context: moment,
    }),
  );
