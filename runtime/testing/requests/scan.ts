// Generated inputs of the scan boundary.
import fc from 'fast-check';
import type { JsonValue } from '../../json.ts';
import { SAMPLE_GATEWAY, sampleAgent } from '../sample-data.ts';
import { agentNumber, identity, moment, mostly, nearMiss } from './values.ts';

const finding = fc.record({
  scanner: fc.constantFrom('PII', 'PII', 'Toxicity', 'Secrets', 'PromptInjection', 'Another'),
  kind: fc.constantFrom('email', 'github_token', 'override'),
  score: fc.integer({ min: 0, max: 1000 }),
  count: fc.integer({ min: 1, max: 256 }),
});

/** Inputs of the scan boundary. */
export const scanInput: fc.Arbitrary<JsonValue> = fc
  .record({
    number: agentNumber,
    nearMiss,
    client: mostly(false, [true]),
    direction: fc.constantFrom('input', 'output'),
    source: fc.constantFrom('user', 'tool', 'document'),
    findings: fc.oneof(
      { weight: 3, arbitrary: fc.constant<JsonValue>([]) },
      { weight: 6, arbitrary: fc.array(finding, { maxLength: 3 }) },
      { weight: 1, arbitrary: fc.constantFrom<JsonValue>(null, {}, [null], [{ scanner: 1 }]) },
    ),
    truncated: mostly<JsonValue>(false, [true, null]),
    enforcement: fc.constantFrom('block', 'warn', 'warn', 'Warn'),
  })
  .map(
    (of): JsonValue => ({
      action: 'scan',
      identity: identity(of.client ? SAMPLE_GATEWAY : sampleAgent(of.number) + of.nearMiss),
      resource: {
        ...{ kind: 'text', direction: of.direction, source: of.source, bytes: 12 },
        scanners: ['PII', 'Secrets'],
      },
      findings: of.findings as JsonValue,
      truncated: of.truncated,
      enforcement: of.enforcement,
      guard_decision: '0'.repeat(64),
      context: moment,
    }),
  );
