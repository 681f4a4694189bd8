// Cedar in Wasm: the same questions as permit policies and entities, parsed beforehand as far as it can be.
import { createRequire } from 'node:module';
import type { JsonObject } from '../../runtime/json.ts';
import { type Contestant, local } from './contestant.ts';

interface Cedar {
  preparsePolicySet(id: string, policies: { staticPolicies: string }): { type: string };
  statefulIsAuthorized(call: JsonObject): {
    type: string;
    response?: { decision: string };
    errors?: { message: string }[];
  };
}

/** A request of bench/fixtures/inputs.json, as far as policies read it. */
export interface Asked {
  identity: { spiffe_id: string };
  resource: { name: string; action: string };
  counters: { agent_minute: number };
}

const KEYED = `permit(principal, action == Action::"read", resource) when {
  principal.tools.contains(resource) && context.agent_minute <= 600 };`;

/** One policy that looks into the agent's own entity, which is all that is given along. */
export function cedarKeyed(inputs: Asked[], toolOf: (agent: string) => string): Contestant {
  return contestant('keyed', KEYED, inputs, (agent) => [
    {
      uid: { type: 'Agent', id: agent },
      attrs: { tools: [{ __entity: { type: 'Tool', id: toolOf(agent) } }] },
      parents: [],
    },
  ]);
}

/** A policy for each agent. */
export function cedarRules(inputs: Asked[], agents: [agent: string, tool: string][]): Contestant {
  const policies = agents.map(
    ([agent, tool]) =>
      `permit(principal == Agent::"${agent}", action == Action::"read", resource == Tool::"${tool}") when { context.agent_minute <= 600 };`,
  );
  return contestant('rules', policies.join('\n'), inputs, () => []);
}

function contestant(
  id: string,
  policies: string,
  inputs: Asked[],
  entitiesOf: (agent: string) => JsonObject[],
): Contestant {
  // The package has no ES module for Node.
  const cedar = createRequire(import.meta.url)('@cedar-policy/cedar-wasm/nodejs') as Cedar;
  const parsed = cedar.preparsePolicySet(id, { staticPolicies: policies });
  if (parsed.type !== 'success') throw new Error(`Cedar: ${JSON.stringify(parsed)}`);
  const entities = inputs.map(({ identity }) => entitiesOf(identity.spiffe_id));
  return local('cedar-wasm', inputs.length, id === 'rules' ? 10 : 100, (number) => {
    const { identity, resource, counters } = inputs[number]!;
    const { response, errors } = cedar.statefulIsAuthorized({
      principal: { type: 'Agent', id: identity.spiffe_id },
      action: { type: 'Action', id: resource.action },
      resource: { type: 'Tool', id: resource.name },
      context: { agent_minute: counters.agent_minute },
      preparsedPolicySetId: id,
      entities: entities[number]!,
    });
    if (response === undefined) throw new Error(`Cedar: ${JSON.stringify(errors)}`);
    return response.decision === 'allow';
  });
}
