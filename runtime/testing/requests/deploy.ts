// Generated inputs of the deploy boundary.
import fc from 'fast-check';
import type { JsonValue } from '../../json.ts';
import { SAMPLE_APPROVER, SAMPLE_OPERATOR, sampleAgent } from '../sample-data.ts';
import { agentNumber, identity, moment, mostly, nearMiss } from './values.ts';

const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;
const digests = mostly<JsonValue>(digest, ['', 'latest', digest.toUpperCase(), null]);

/** Inputs of the deploy boundary. */
export const deployInput: fc.Arbitrary<JsonValue> = fc
  .record({
    number: agentNumber,
    nearMiss,
    who: mostly(SAMPLE_OPERATOR, [SAMPLE_APPROVER, sampleAgent(1)]),
    target: fc.constantFrom('development', 'staging', 'production', 'production'),
    digest: digests,
    sbom: digests,
    signed: mostly<JsonValue>(true, [false, null]),
    level: fc.constantFrom('basic', 'standard', 'standard', 'strict', 'strict', 'none'),
    critical: mostly<JsonValue>(0, [1, -1, null, '0']),
    high: fc.constantFrom(0, 0, 2),
    approver: mostly(SAMPLE_APPROVER, [SAMPLE_OPERATOR, sampleAgent(1), '']),
    verdict: mostly('allow', ['deny', 'Allow']),
    expires: mostly('2026-01-01T00:05:00.000Z', ['2025-12-31T00:00:00.000Z', '']),
    approved: mostly(true, [false]),
  })
  .map((of): JsonValue => {
    const { tenant = '', agent = '' } = identity(sampleAgent(of.number));
    return {
      action: 'deploy',
      identity: { ...identity(''), spiffe_id: of.who + of.nearMiss },
      resource: { kind: 'agent', tenant, agent, target: of.target },
      image: {
        digest: of.digest,
        signature_verified: of.signed,
        sbom_digest: of.sbom,
        scan: { level: of.level, critical: of.critical, high: of.high },
      },
      approval: of.approved
        ? {
            id: 'a1',
            call_digest: 'd',
            verdict: of.verdict,
            approver: of.approver,
            expires_at: of.expires,
          }
        : null,
      context: moment,
    };
  });
