// Generated inputs of the registration boundary: before a body is read, and with what it holds.
import fc from 'fast-check';
import type { JsonValue } from '../../json.ts';
import { SAMPLE_OPERATOR, sampleAgent, sampleService } from '../sample-data.ts';
import { agentNumber, counters, identity, moment } from './values.ts';

/** Inputs of the registration boundary. */
export const registrationInput: fc.Arbitrary<JsonValue> = fc
  .record({
    number: agentNumber.map((n) => n - (n % 3)),
    other: fc.constantFrom(0, 0, 0, 0, 0, 1),
    who: fc.constantFrom('agent', 'agent', 'agent', 'agent', 'operator', 'stranger'),
    offset: fc.constantFrom(0, 0, 0, 0, 2, 1, 3),
    described: fc.constantFrom(true, true, false),
    tools: fc.nat(50),
    action: fc.constantFrom(...new Array<string>(9).fill('register'), 'list'),
    counters,
  })
  .map((of): JsonValue => {
    const agent = sampleAgent(of.number + of.other);
    const who = { agent, operator: SAMPLE_OPERATOR, stranger: `${agent}/x` }[of.who]!;
    const service = sampleService(of.number + of.offset);
    return {
      action: of.action,
      identity: of.who === 'agent' ? identity(agent) : { ...identity(''), spiffe_id: who },
      resource: of.described
        ? {
            ...{ kind: 'catalog', service, source: 'openapi', tools: of.tools },
            origin: 'https://api.example',
          }
        : { kind: 'catalog' },
      session: null,
      counters: of.counters,
      context: moment,
    };
  });
