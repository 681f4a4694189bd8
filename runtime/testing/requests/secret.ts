// Generated inputs of the secret boundary.
import fc from 'fast-check';
import type { JsonValue } from '../../json.ts';
import { SAMPLE_GATEWAY, SAMPLE_OPERATOR, sampleAgent } from '../sample-data.ts';
import { agentNumber, identity, moment, text } from './values.ts';

/** Inputs of the secret boundary. */
export const secretInput: fc.Arbitrary<JsonValue> = fc
  .record({
    number: agentNumber,
    who: fc.constantFrom('agent', 'agent', 'agent', 'agent', 'operator', 'stranger'),
    action: fc.constantFrom(
      'read',
      'read',
      'write',
      'write',
      'list',
      'delete',
      'restore',
      'rotate',
    ),
    scope: fc.constantFrom(
      '/*',
      '/*',
      '/*',
      '/*',
      '/*',
      '/*',
      '/main',
      '/worker',
      '/../*',
      'x/*',
      '',
    ),
    wide: fc.constantFrom(false, false, false, true),
    actor: fc.constantFrom<(string | undefined)[]>(
      undefined,
      undefined,
      undefined,
      SAMPLE_GATEWAY,
      '',
    ),
    key: text,
    counters: fc.record({
      agent_minute: fc.integer({ min: 1, max: 650 }),
      tenant_minute: fc.integer({ min: 1, max: 3200 }),
    }),
  })
  .map((of): JsonValue => {
    const agent = sampleAgent(of.number);
    const base = agent.slice(0, agent.lastIndexOf('/'));
    const scope = of.wide ? `${base.slice(0, base.lastIndexOf('/'))}/*` : base + of.scope;
    const catalog = of.action === 'rotate' || (of.action === 'list' && of.wide);
    const who = { agent, operator: SAMPLE_OPERATOR, stranger: `${agent}/x` }[of.who]!;
    return {
      action: of.action,
      identity: of.who === 'agent' ? identity(agent) : { ...identity(''), spiffe_id: who },
      ...(of.actor === undefined ? {} : { actor: of.actor }),
      resource: catalog ? { kind: 'vault' } : { kind: 'secret', key: of.key, scope },
      counters: of.counters,
      context: moment,
    };
  });
