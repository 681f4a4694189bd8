// Generated inputs of the message boundary.
import fc from 'fast-check';
import type { JsonValue } from '../../json.ts';
import { SAMPLE_GATEWAY, sampleAgent } from '../sample-data.ts';
import { agentNumber, counters, identity, moment, nearMiss } from './values.ts';

/** Inputs of the message boundary. */
export const messageInput: fc.Arbitrary<JsonValue> = fc
  .record({
    number: agentNumber,
    offset: fc.constantFrom(20, 20, 20, 20, 20, 20, 40, 0, 1, 1),
    swapped: fc.constantFrom(false, false, false, false, false, true),
    action: fc.constantFrom(
      ...Array<string>(9).fill('send'),
      ...Array<string>(9).fill('receive'),
      'broadcast',
    ),
    caller: nearMiss,
    target: nearMiss,
    stranger: fc.nat(15).map((n) => n === 0),
    skill: fc.constantFrom(undefined, undefined, 'summarize', ''),
    counters,
  })
  .map((of): JsonValue => {
    const first = sampleAgent(of.number) + of.caller;
    const second = of.stranger
      ? SAMPLE_GATEWAY
      : sampleAgent((of.number + of.offset + 220) % 220) + of.target;
    const [caller, target] = of.swapped ? [second, first] : [first, second];
    const { trust_domain: _, ...named } = identity(target);
    return {
      action: of.action,
      identity: identity(caller),
      target: named,
      ...(of.skill === undefined ? {} : { skill: of.skill }),
      counters: of.counters,
      context: moment,
    };
  });
