// Generated inputs of the modules that are the same at every boundary.
import fc from 'fast-check';
import type { JsonValue } from '../../json.ts';
import { sampleAgent } from '../sample-data.ts';
import { agentNumber, anyValue, text } from './values.ts';

/** Schemas of the `arguments` module. */
export const schemaTexts = [
  '{"additionalProperties":false,"properties":{"id":{"maximum":100,"minimum":0,"type":"integer"},"q":{"maxLength":40,"type":"string"}},"type":"object"}',
  '{"properties":{"to":{"items":{"pattern":"^[a-z]+@[a-z]+$","type":"string"},"type":"array"}},"type":"object"}',
  '{"anyOf":[{"required":["id"]},{"maxProperties":2}],"type":"object"}',
];
/** Values for them. */
export const argumentValues = fc.oneof(
  fc.record({ id: fc.integer({ min: -5, max: 110 }), q: text }, { requiredKeys: [] }),
  fc.record({ to: fc.array(fc.constantFrom('a@b', 'x', 'abc@def'), { maxLength: 3 }) }),
  fc.dictionary(text, anyValue, { maxKeys: 4, noNullPrototype: true }),
  anyValue,
);

const guardTexts = fc.oneof(
  text,
  fc.string({ maxLength: 300 }),
  fc
    .tuple(
      text,
      fc.constantFrom(
        'ada@example.org',
        '078-05-1121',
        '4111 1111 1111 1111',
        'DE89 3704 0044 0532 0130 00',
        ['gh', 'p_', 'a1B2'.repeat(7), 'a13tNSQc'].join(''),
        ['AKI', 'A', 'Q7PT3XKW5LM2ZRVD'].join(''),
      ),
      text,
    )
    .map((parts) => parts.join(' ')),
);
/** Inputs of the `guard` module. */
export const guardInput = fc
  .record({
    direction: fc.constantFrom('input', 'output'),
    scanners: fc.subarray(['InvisibleText', 'PII', 'Secrets'], { minLength: 1 }),
    text: guardTexts,
  })
  .map((input) => input as JsonValue);

const ids = fc.oneof(
  agentNumber.map(sampleAgent),
  fc.constantFrom(
    'spiffe://platform.local/agent/t/botnet/x',
    'spiffe://Platform.local/a',
    'spiffe://platform.local/a/../b',
    'spiffe://platform.local',
    'spiffe://platform.local/a%2Fb',
    'https://platform.local/a',
  ),
  text,
);
/** Inputs of the `scope` module. */
export const scopeInput = fc.oneof(
  agentNumber.map(
    (n): JsonValue => ({ scope: sampleAgent(n).replace(/main$/, '*'), spiffe_id: sampleAgent(n) }),
  ),
  agentNumber.map((n): JsonValue => ({ scope: sampleAgent(n), spiffe_id: sampleAgent(n) })),
  fc.record({ scope: ids, spiffe_id: ids }).map((input) => input as JsonValue),
);
