// Finds the tenants, agents and services that a sentence names in the data.
import { isJsonObject, type JsonObject } from '../../../runtime/json.ts';
import { suggest } from '../../suggest.ts';
import { SentenceError } from './property.ts';

/** The entries of `data.agents`, by SPIFFE ID. */
export function agentsOf(data: JsonObject): JsonObject {
  return isJsonObject(data.agents) ? data.agents : {};
}

/** The tenant segment of an agent's SPIFFE ID; undefined for the ID of anything else. */
export function tenantSegment(spiffeId: string): string | undefined {
  const [scheme, empty, , kind, tenant, agent, role, ...more] = spiffeId.split('/');
  const isAgent = scheme === 'spiffe:' && empty === '' && kind === 'agent' && more.length === 0;
  return isAgent && agent && role ? tenant : undefined;
}

/** What stands beside a SPIFFE ID in inputs: empty texts where it is not that of an agent. */
export function partsOf(spiffeId: string): Record<string, string> {
  const [, , trustDomain = '', kind, ...path] = spiffeId.split('/');
  const [tenant = '', agent = '', role = ''] = kind === 'agent' ? path : [];
  return { trust_domain: trustDomain, tenant, agent, role };
}

/** Whether both the entry in the data and the SPIFFE ID itself say that it is in the tenant. */
export function isInside(data: JsonObject, spiffeId: string, tenant: string): boolean {
  const agents = agentsOf(data);
  const entry = Object.hasOwn(agents, spiffeId) ? agents[spiffeId] : undefined;
  return isJsonObject(entry) && entry.tenant === tenant && tenantSegment(spiffeId) === tenant;
}

/**
 * The SPIFFE IDs of an agent: one given as such, those of `tenant/agent`, or of the one agent of that name.
 * @throws SentenceError `input_invalid` for an agent that is not in the data, or that two tenants have
 */
export function identitiesOf(data: JsonObject, name: string): string[] {
  const agents = agentsOf(data);
  if (Object.hasOwn(agents, name)) return [name];
  const named = Object.entries(agents).filter(([, entry]) => {
    if (!isJsonObject(entry)) return false;
    return entry.agent === name || `${String(entry.tenant)}/${String(entry.agent)}` === name;
  });
  const tenants = new Set(named.map(([, entry]) => (entry as JsonObject).tenant));
  if (tenants.size > 1) {
    throw new SentenceError('input_invalid', `several tenants have an agent ${name}`, {
      hint: `write one of ${[...tenants].map((tenant) => `${String(tenant)}/${name}`).join(', ')}`,
    });
  }
  if (named.length > 0) return named.map(([spiffeId]) => spiffeId);
  const names = Object.values(agents).filter(isJsonObject);
  throw unknown('agent', name, [
    ...new Set(
      names.flatMap(({ tenant, agent }) => [String(agent), `${String(tenant)}/${String(agent)}`]),
    ),
  ]);
}

/** @throws SentenceError `input_invalid` for a tenant that no agent of the data has */
export function requireTenant(data: JsonObject, tenant: string): void {
  const entries = Object.values(agentsOf(data)).filter(isJsonObject);
  const tenants = [...new Set(entries.map((entry) => String(entry.tenant)))];
  if (!tenants.includes(tenant)) throw unknown('tenant', tenant, tenants);
}

/** Refuses a service, scope or control that neither the data nor the policy mentions: a misspelling proves everything. */
export function requireMentioned(what: string, name: string, mentioned: readonly string[]): void {
  if (!mentioned.includes(name)) throw unknown(what, name, mentioned);
}

/**
 * Refuses a scope that is neither mentioned nor that of a listed agent, its role, agent or tenant.
 * @throws SentenceError `input_invalid`
 */
export function requireScope(data: JsonObject, scope: string, mentioned: readonly string[]): void {
  const covers = (id: string) => scope.endsWith('/*') && id.startsWith(scope.slice(0, -1));
  if (!Object.keys(agentsOf(data)).some(covers)) requireMentioned('scope', scope, mentioned);
}

/** Every string of a JSON value, names of members included. */
export function stringsOf(value: unknown, into = new Set<string>()): Set<string> {
  if (typeof value === 'string') into.add(value);
  else if (Array.isArray(value)) for (const item of value) stringsOf(item, into);
  else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      into.add(name);
      stringsOf(member, into);
    }
  }
  return into;
}

function unknown(what: string, name: string, known: readonly string[]): SentenceError {
  const meant = suggest(name, known);
  const some = [...known].sort().slice(0, 8).join(', ');
  return new SentenceError(
    'input_invalid',
    `nothing in the data or the policy is a ${what} ${name}`,
    {
      hint:
        meant === undefined
          ? some === ''
            ? `the data names no ${what}`
            : `there are: ${some}`
          : `did you mean: ${meant}`,
    },
  );
}
