// The wire of the identity service on one machine: agents come and go over the control socket.
import { PlatformError } from '../../runtime/errors.ts';
import type { EntryRole } from '../../runtime/identity/entry.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../runtime/json.ts';
import { type Canonicalizer, readJsonObject } from '../common/http/json.ts';
import type { Route } from '../common/http/port.ts';
import type { OperatorGate } from '../common/operator.ts';
import type { AgentRequest, Agents, RegisteredAgent } from './agents.ts';

export interface IdentityRoutesConfig {
  agents: Agents;
  gate: OperatorGate;
  record: Canonicalizer;
}

/** POST and GET /api/v1/agents, DELETE /api/v1/agents/:id. */
export function identityRoutes({ agents, gate, record }: IdentityRoutesConfig): Route[] {
  const operate = { boundary: 'console', action: 'operate' };
  return [
    {
      method: 'POST',
      path: '/api/v1/agents',
      boundary: operate,
      handler: (request) =>
        gate.operate('agents', {}, async () => {
          const draft = readAgent(readJsonObject(request, record));
          if (request.peer === undefined) {
            throw new PlatformError('caller_unknown', 'register over the control socket');
          }
          const agent = await agents.create(draft, request.peer);
          const detail = { entry: agent.entry.id, agents: agent.spiffeIds };
          return { status: 201, body: agentJson(agent), detail };
        }),
    },
    {
      method: 'GET',
      path: '/api/v1/agents',
      boundary: { boundary: 'console', action: 'view' },
      handler: () => gate.view('agents', async () => ({ agents: agents.list().map(agentJson) })),
    },
    {
      method: 'DELETE',
      path: '/api/v1/agents/:id',
      boundary: operate,
      handler: ({ params }) =>
        gate.operate('agents', { entry: params.id ?? '' }, async () => {
          const deleted = await agents.delete(params.id ?? '');
          if (!deleted) throw new PlatformError('agent_unknown', 'there is no such agent');
          return { status: 200, body: { deleted: params.id ?? '' } };
        }),
    },
  ];
}

/** An agent as the wire shows it. */
export function agentJson(agent: RegisteredAgent): JsonObject {
  const { entry } = agent;
  return {
    id: entry.id,
    tenant: entry.tenant,
    agent: entry.agent,
    framework: agent.framework,
    spiffe_ids: agent.spiffeIds,
    pid: entry.process.pid,
    created_at: entry.createdAt,
    gateway_url: agent.gatewayUrl,
    resources: Object.entries(agent.grants.resources).flatMap(([service, { actions }]) =>
      Object.keys(actions).map((action) => `${service}:${action}`),
    ),
  };
}

function readAgent(body: JsonObject): AgentRequest {
  const { subprocess_support: subprocessRoles = false } = body;
  if (typeof subprocessRoles !== 'boolean') throw invalid('subprocess_support is true or false');
  const { tenant, agent, roles = [], resources = [], framework = 'pure_python', pid } = body;
  if (typeof tenant !== 'string' || typeof agent !== 'string' || typeof framework !== 'string') {
    throw invalid('tenant, agent and framework are text');
  }
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 0) {
    throw invalid('pid is the number of a process');
  }
  if (!Array.isArray(resources) || !resources.every((each) => typeof each === 'string')) {
    throw invalid('resources is a list of text');
  }
  if (!Array.isArray(roles)) throw invalid('roles is a list');
  return {
    ...{ tenant, agent, framework, pid, resources, subprocessRoles },
    roles: roles.map(readRole),
  };
}

function readRole(role: JsonValue): EntryRole {
  if (!isJsonObject(role) || typeof role.name !== 'string') throw invalid('a role has a name');
  const pattern = role.command_pattern;
  if (pattern === undefined) return { name: role.name };
  if (typeof pattern !== 'string') throw invalid('command_pattern is text');
  return { name: role.name, commandPattern: pattern };
}

function invalid(message: string): PlatformError {
  return new PlatformError('input_invalid', message);
}
