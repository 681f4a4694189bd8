// Generated inputs of the tool boundary.
import fc from 'fast-check';
import type { JsonValue } from '../../json.ts';
import { sampleAgent, sampleService } from '../sample-data.ts';
import { agentNumber, anyValue, counters, identity, moment, text } from './values.ts';

/** Inputs of the tool boundary. */
export const toolInput: fc.Arbitrary<JsonValue> = fc
  .record({
    number: agentNumber,
    offset: fc.constantFrom(0, 0, 0, 1, 2, 3),
    counters,
    arguments: fc.dictionary(text, anyValue, { maxKeys: 4, noNullPrototype: true }),
    action: fc.constantFrom('call', 'call', 'call', 'get', 'list', 'search', 'register', 'fly'),
    effect: fc.constantFrom('read', 'write'),
    nearMiss: fc.constantFrom('', '', '', '', '/', 'x', '%2f', '\u0000'),
  })
  .map((of): JsonValue => {
    const service = sampleService(of.number + of.offset);
    const catalog = of.action !== 'call' && of.action !== 'get';
    return {
      action: of.action,
      identity: identity(sampleAgent(of.number) + of.nearMiss),
      resource: catalog
        ? { kind: 'catalog', ...(of.action === 'register' ? { service } : {}) }
        : {
            kind: 'tool',
            name: `${service}_get`,
            service,
            action: of.effect,
            source: 'openapi',
            tags: [],
          },
      arguments: of.arguments,
      provenance: { '/a': [{ source: 'prompt' }] },
      session: null,
      counters: of.counters,
      approval: null,
      context: moment,
    };
  });
