// Generated inputs of the tool boundary.
import fc from 'fast-check';
import type { JsonValue } from '../../json.ts';
import { sampleAgent, sampleService } from '../sample-data.ts';
import { agentNumber, anyValue, counters, identity, moment, text } from './values.ts';

const calls = fc.integer({ min: 1, max: 60 });
const windows = fc.record({ minute: calls, hour: calls, day: calls });
const toolCounters = fc
  .record({
    counters,
    calls: fc.record({ agent: windows, tenant: windows }),
    spend: fc.record({ agent: fc.nat(2000), tenant: fc.nat(9000) }),
  })
  .map(({ counters, ...more }) => ({ ...counters, ...more }));

/** Inputs of the tool boundary. */
export const toolInput: fc.Arbitrary<JsonValue> = fc
  .record({
    number: agentNumber,
    offset: fc.constantFrom(0, 0, 0, 1, 2, 3),
    counters: toolCounters,
    cost: fc.constantFrom(undefined, { currency: 'EUR', minor: 250 }),
    arguments: fc.dictionary(text, anyValue, { maxKeys: 4, noNullPrototype: true }),
    action: fc.constantFrom('call', 'call', 'call', 'get', 'list', 'search', 'fly'),
    effect: fc.constantFrom('read', 'write'),
    nearMiss: fc.constantFrom(...new Array<string>(9).fill(''), '/', 'x', '%2f', '\u0000'),
  })
  .map((of): JsonValue => {
    const service = sampleService(of.number + of.offset);
    const catalog = of.action !== 'call' && of.action !== 'get';
    return {
      action: of.action,
      identity: identity(sampleAgent(of.number) + of.nearMiss),
      resource: catalog
        ? { kind: 'catalog' }
        : {
            kind: 'tool',
            name: `${service}_get`,
            service,
            action: of.effect,
            source: 'openapi',
            tags: [],
            ...(of.cost === undefined ? {} : { cost: of.cost }),
          },
      arguments: of.arguments,
      provenance: { '/a': [{ source: 'prompt' }] },
      session: null,
      counters: of.counters,
      approval: null,
      context: moment,
    };
  });
