// The data of policies on one machine: what the operator wrote in data.json, and the agents that run.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BundleError } from '../../runtime/errors.ts';
import { operatorSpiffeId, serviceSpiffeId } from '../../runtime/identity/spiffe-id.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../runtime/json.ts';
import type { RegisteredAgent } from '../../services/identity/agents.ts';
import { type Grants, grantsJson } from '../../services/identity/grants.ts';

const bytesMax = 4 * 1024 * 1024;

/**
 * Reads `data.json` of each folder, where there is one; a later folder's members replace an
 * earlier's. Throws `bundle_manifest_invalid`.
 */
export async function operatorData(folders: readonly string[]): Promise<JsonObject> {
  let merged: JsonObject = {};
  for (const folder of folders) {
    const file = join(folder, 'data.json');
    const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw new BundleError('bundle_manifest_invalid', `cannot read ${file}`, { cause: error });
    });
    if (bytes !== undefined) merged = merge(merged, parse(file, bytes));
  }
  return merged;
}

/**
 * `data.json` of the data bundle. An identity that the operator's own data names keeps the grants
 * that it has there, whatever its source declares.
 */
export function dataOf(
  trustDomain: string,
  operator: JsonObject,
  agents: readonly RegisteredAgent[],
): JsonObject {
  const declared: JsonObject = {};
  for (const agent of agents) {
    const { tenant, agent: name, roles } = agent.entry;
    for (const [index, spiffeId] of agent.spiffeIds.entries()) {
      const role = roles[index]?.name ?? '';
      const exchange = exchangeOf(agent.grants);
      declared[spiffeId] = { tenant, agent: name, role, ...grantsJson(agent.grants), exchange };
    }
  }
  const gateway = serviceSpiffeId(trustDomain, 'gateway');
  const person = {
    actions: { view: true, approve: true, operate: true },
    // Not to production: that takes a second person, whom one machine does not have.
    deploy: { development: true, staging: true },
  };
  return merge(
    {
      agents: declared,
      operators: { [operatorSpiffeId(trustDomain)]: person },
      services: {
        gateway: { agents: true, callers: {} },
        vault: { agents: true, callers: { [gateway]: true }, delegates: { [gateway]: true } },
        guard: { agents: true, callers: {} },
      },
      scopes: {},
      tenants: {},
      tools: {},
      limits: { agent_minute: 120, tenant_minute: 600 },
    },
    operator,
  );
}

/**
 * An agent may exchange its identity for what it declared, for every action or for those that it
 * named. What an operator refuses under a scope counts before that.
 */
function exchangeOf({ resources }: Grants): JsonObject {
  const rules = Object.entries(resources).map(([service, { actions }]): [string, JsonValue] => [
    service,
    actions.read === true && actions.write === true ? true : { actions: { ...actions } },
  ]);
  return Object.fromEntries(rules);
}

/** Members of the second replace those of the first, one level down. */
function merge(first: JsonObject, second: JsonObject): JsonObject {
  const merged = { ...first };
  for (const [root, value] of Object.entries(second)) {
    const before = merged[root];
    merged[root] = isJsonObject(before) && isJsonObject(value) ? { ...before, ...value } : value;
  }
  return merged;
}

function parse(file: string, bytes: Buffer): JsonObject {
  if (bytes.length > bytesMax) {
    throw new BundleError('bundle_too_large', `${file} is over ${bytesMax} bytes`);
  }
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'not JSON';
    throw new BundleError('bundle_manifest_invalid', `${file}: ${why}`, { cause, data: { file } });
  }
  if (isJsonObject(value)) return value;
  throw new BundleError('bundle_manifest_invalid', `${file} is not an object`, { data: { file } });
}
